import { useMemo } from 'react'
import { useActions, useConsole } from '../model/console.tsx'
import { useFound } from '../model/found.ts'
import { numberText } from '../model/names.ts'
import { useLocation } from '../model/router.ts'
import { type ConsoleType, reloadTypes, useTypes } from '../model/types.ts'
import { Main, Sidebar } from '../parts/frame.tsx'
import { Link } from '../parts/link.tsx'
import { ThreadMark } from '../parts/marks.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Picture } from './picture.tsx'
import { SourceView } from './source-view.tsx'
import { TypePanel } from './type-panel.tsx'
import './schema.css'

/** Maximum number of types in the picture. The limit exists because drawing a type reads its records. */
const maxDrawn = 60

/** Schema: the types and links as found in the data and as declared. */
export function Room() {
  const { rest, params } = useLocation()
  const { navigate } = useConsole()
  const { status, types, error } = useTypes()
  const records = types.filter(({ kind }) => kind === 'record')
  const drawn = records.toSorted((a, b) => b.count - a.count).slice(0, maxDrawn)
  const selected = records.find(({ name }) => name === rest[0])
  const isSource = params.get('show') === 'types'
  useActions(
    useMemo(
      () => [
        {
          id: 'schema-types',
          label: 'Show generated types',
          run: () => navigate('/schema?show=types'),
        },
      ],
      [navigate],
    ),
  )
  return (
    <>
      <TypeSide records={records} selected={selected?.name ?? ''} />
      <Main label="Schema">
        <h1 className="unseen">Schema</h1>
        <div className="bar ruled">
          <Tabs
            label="Schema"
            tabs={[
              { to: '/schema', label: 'Picture', isCurrent: !isSource },
              { to: '/schema?show=types', label: 'Generated types', isCurrent: isSource },
            ]}
          />
        </div>
        {status === 'loading' && <Loading>Still loading the types.</Loading>}
        {status === 'error' && <Failed error={error} retry={() => void reloadTypes()} />}
        {status === 'ready' && isSource && (
          <SourceView
            language={params.get('in') === 'go' ? 'go' : 'ts'}
            version={JSON.stringify(records.map(({ declared }) => declared))}
          />
        )}
        {status === 'ready' && !isSource && (
          <Types records={records} drawn={drawn} selected={selected} asked={rest[0]} />
        )}
      </Main>
    </>
  )
}

function TypeSide({ records, selected }: { records: readonly ConsoleType[]; selected: string }) {
  return (
    <Sidebar title="Types" footer="The numbers count the records that you can see.">
      {records.map((type) => (
        <Link
          key={type.name}
          className="item"
          to={`/schema/${type.name}`}
          aria-current={type.name === selected ? 'page' : undefined}
        >
          <ThreadMark mark={type.mark} />
          {type.names.many}
          <span className="num">{numberText(type.count)}</span>
        </Link>
      ))}
    </Sidebar>
  )
}

interface TypesProps {
  readonly records: readonly ConsoleType[]
  readonly drawn: readonly ConsoleType[]
  readonly selected: ConsoleType | undefined
  /** The name of the type in the address; undefined without one. */
  readonly asked: string | undefined
}

function Types({ records, drawn, selected, asked }: TypesProps) {
  const find = useFound(
    [
      ...drawn.filter(({ id }) => id !== 0),
      ...(selected && selected.id !== 0 ? [selected] : []),
    ].map(({ name }) => name),
  )
  const failed = drawn.map(({ name }) => find(name)).find(({ status }) => status === 'error')
  if (records.length === 0)
    return (
      <Empty title="There are no types yet">
        <p>A type appears here with its first record, or when the schema declares it.</p>
      </Empty>
    )
  return (
    <div className="schema">
      <div className="schema-drawing">
        {records.length > drawn.length && (
          <p className="soft">
            The picture shows the {drawn.length} largest of {numberText(records.length)} types.
          </p>
        )}
        {failed?.status === 'error' && (
          <p className="note c" role="status">
            Links that are only in the data are missing. {failed.message}
          </p>
        )}
        <Picture types={drawn} find={find} selected={selected?.name ?? ''} />
      </div>
      {selected && <TypePanel key={selected.name} type={selected} finding={find(selected.name)} />}
      {!selected && asked !== undefined && (
        <Empty title={`There is no type “${asked}”`}>
          <p>No record that you can see is of this type, and the schema does not declare it.</p>
        </Empty>
      )}
      {!selected && asked === undefined && (
        <Empty title="Choose a type">
          <p>Its fields and links are shown here, as found in the data and as declared.</p>
        </Empty>
      )}
    </div>
  )
}
