import { useState } from 'react'
import { FirstSteps } from '../first/first-steps.tsx'
import { SampleData } from '../first/sample-data.tsx'
import { useConsole } from '../model/console.tsx'
import { numberText } from '../model/names.ts'
import type { ConsoleType, TypeList } from '../model/types.ts'
import { Sidebar } from '../parts/frame.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { NewType } from './new-type.tsx'
import { SavedViews } from './saved-views.tsx'

/** The types on the left: declared types and own records first, then the records of the site and shared values. */
export function TypeSide({ list, current }: { list: TypeList; current: string | undefined }) {
  const { isAdmin } = useConsole()
  const groups = groupTypes(list.types)
  return (
    <Sidebar title="Types" action={<NewType />} footer={rightsText(isAdmin)}>
      {groups.main.map((type) => (
        <TypeItem key={type.name} type={type} isCurrent={type.name === current} />
      ))}
      <TypeGroup title="Types of the site and accounts" types={groups.site} current={current} />
      <TypeGroup title="Shared values" types={groups.values} current={current} />
      <SampleData key={groups.main.length} />
      <FirstSteps hasData={groups.main.some(({ count }) => count > 0)} />
    </Sidebar>
  )
}

const rightsText = (isAdmin: boolean): string =>
  isAdmin
    ? 'You see all records: you are an admin.'
    : 'You see your own records and public ones. The numbers count these.'

/** The types of the site, of widgets and of accounts, which every store has. */
const siteTypes = new Set(
  [
    ...['widget', 'child_widget', 'page', 'project', 'documentation', 'json_list', 'wrapper'],
    ...['entity', 'user', 'weft_schema', 'console_view', 'message'],
  ].map((name) => `the_${name}`),
)

/** Reports whether a type belongs to the site, its widgets or accounts. */
export const isSiteType = (name: string): boolean => siteTypes.has(name)

function groupTypes(types: readonly ConsoleType[]) {
  const isSite = ({ name, declared }: ConsoleType) => !declared && siteTypes.has(name)
  const records = types.filter(({ kind }) => kind === 'record')
  return {
    main: records.filter((type) => !isSite(type)),
    site: records.filter(isSite),
    values: types.filter(({ kind, name }) => kind === 'value' && !siteTypes.has(name)),
  }
}

function TypeItem({ type, isCurrent }: { type: ConsoleType; isCurrent: boolean }) {
  return (
    <>
      <Link
        className="item"
        to={`/records/${type.name}`}
        aria-current={isCurrent ? 'page' : undefined}
        title={type.name}
      >
        {type.kind === 'record' && <ThreadMark mark={type.mark} />}
        <span className="cut">{type.names.many}</span>
        <span className="num">
          {type.counted ? '' : '~'}
          {numberText(type.count)}
        </span>
      </Link>
      {isCurrent && <SavedViews type={type} />}
    </>
  )
}

interface TypeGroupProps {
  readonly title: string
  readonly types: readonly ConsoleType[]
  readonly current: string | undefined
}

function TypeGroup({ title, types, current }: TypeGroupProps) {
  const hasCurrent = types.some(({ name }) => name === current)
  const [isOpen, setOpen] = useState(hasCurrent)
  if (types.length === 0) return null
  return (
    <details open={isOpen || hasCurrent} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} <span className="num">{types.length}</span>
      </summary>
      {types.map((type) => (
        <TypeItem key={type.name} type={type} isCurrent={type.name === current} />
      ))}
    </details>
  )
}
