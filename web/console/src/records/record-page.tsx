import type { ConsoleType } from '../model/types.ts'
import { Main } from '../parts/frame.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { RecordBody } from './record-body.tsx'

/** A record as a separate page. */
export function RecordPage({
  type,
  types,
  id,
}: {
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
  readonly id: number
}) {
  return (
    <Main label={type.names.one}>
      <div className="record page">
        <nav className="bar ruled crumbs" aria-label="Path">
          <Link className="button bare" to={`/records/${type.name}`}>
            <Icon name="left" />
            <ThreadMark mark={type.mark} /> {type.names.many}
          </Link>
        </nav>
        <RecordBody type={type} types={types} id={id} />
      </div>
    </Main>
  )
}
