import { Fragment, type ReactNode, useMemo } from 'react'
import { useActions } from '../model/console.tsx'
import { navigate } from '../model/router.ts'
import { Main, Sidebar } from './frame.tsx'
import { Link } from './link.tsx'
import { Tabs } from './tabs.tsx'
import './sections.css'

/** A section of a room: an address and a name. */
export interface Section {
  /** The part of the address after the room, such as `users`. */
  readonly id: string
  readonly label: string
  /** A number or a state at the end of the line, such as "2 waiting". */
  readonly note?: string | undefined
}

/** A room that consists of sections: a list on the left, or a row of tabs on phones. */
export function SectionRoom({
  room,
  title,
  groups,
  current,
  footer,
  children,
}: {
  /** The first segment of the addresses, such as `people`. */
  readonly room: string
  readonly title: string
  /** The sections in groups with headings. The first heading is the title of the whole list. */
  readonly groups: readonly { readonly title: string; readonly sections: readonly Section[] }[]
  /** The id of the open section. */
  readonly current: string
  readonly footer?: ReactNode
  readonly children: ReactNode
}) {
  const sections = groups.flatMap((group) => group.sections)
  useSectionActions(room, title, sections)
  return (
    <>
      <Sidebar title={groups[0]?.title ?? title} footer={footer}>
        {groups.map((group, i) => (
          <Fragment key={group.title}>
            {i > 0 && <h2>{group.title}</h2>}
            {group.sections.map(({ id, label, note }) => (
              <Link
                key={id}
                className="item"
                to={`/${room}/${id}`}
                aria-current={id === current ? 'page' : undefined}
              >
                {label}
                {note !== undefined && <span className="num">{note}</span>}
              </Link>
            ))}
          </Fragment>
        ))}
      </Sidebar>
      <Main label={title}>
        <div className="section-tabs">
          <Tabs
            label={title}
            tabs={sections.map(({ id, label }) => ({
              to: `/${room}/${id}`,
              label,
              isCurrent: id === current,
            }))}
          />
        </div>
        {children}
      </Main>
    </>
  )
}

/** Offers each section in the palette. */
function useSectionActions(room: string, title: string, sections: readonly Section[]): void {
  const names = JSON.stringify(sections.map(({ id, label }) => [id, label]))
  useActions(
    useMemo(
      () =>
        (JSON.parse(names) as [string, string][]).map(([id, label]) => ({
          id: `${room}/${id}`,
          label,
          group: title,
          run: () => navigate(`/${room}/${id}`),
        })),
      [room, title, names],
    ),
  )
}
