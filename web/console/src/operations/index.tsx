import type { ComponentType } from 'react'
import { useLocation } from '../model/router.ts'
import { SectionRoom } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import { BackupList } from './backups.tsx'
import { JobList } from './jobs.tsx'
import { Logs } from './logs.tsx'
import { MailQueue } from './mail.tsx'
import { Overview } from './overview.tsx'
import { Settings } from './settings.tsx'
import { SlowQueries } from './slow-queries.tsx'
import { Uploads } from './uploads.tsx'
import { Usage } from './usage.tsx'
import { VersionNotes } from './version.tsx'
import { VisitCounts } from './visits.tsx'
import './operations.css'

interface OperationSection {
  readonly id: string
  readonly label: string
  readonly Content: ComponentType
}

const sections: readonly OperationSection[] = [
  { id: 'overview', label: 'Overview', Content: Overview },
  { id: 'slow', label: 'Slow queries', Content: SlowQueries },
  { id: 'logs', label: 'Logs', Content: Logs },
  { id: 'visits', label: 'Visits', Content: VisitCounts },
  { id: 'mail', label: 'Mail', Content: MailQueue },
  { id: 'uploads', label: 'Uploads', Content: Uploads },
  { id: 'usage', label: 'Usage ranking', Content: Usage },
  { id: 'jobs', label: 'Jobs', Content: JobList },
  { id: 'backups', label: 'Backups', Content: BackupList },
  { id: 'settings', label: 'Settings', Content: Settings },
  { id: 'version', label: 'Version', Content: VersionNotes },
]

/** Operations: the state of the server, for admins. Each section has an address, such as `/operations/logs?level=error`. */
export function Room() {
  const { rest } = useLocation()
  const id = rest[0] ?? 'overview'
  const Content = sections.find((section) => section.id === id)?.Content ?? Missing
  return (
    <SectionRoom
      room="operations"
      title="Operations"
      groups={[{ title: 'Operations', sections }]}
      current={id}
      footer="Only admins see these pages."
    >
      <Content key={id} />
    </SectionRoom>
  )
}

const Missing = () => (
  <Empty title="There is no such page">
    <p>Choose a section of Operations.</p>
  </Empty>
)
