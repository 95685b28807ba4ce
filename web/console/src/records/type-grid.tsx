import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { useConsole, useSummary } from '../model/console.tsx'
import { countText } from '../model/names.ts'
import { navigate, useLocation } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { Main } from '../parts/frame.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { buildQuery } from './build-query.ts'
import type { Column } from './columns.ts'
import { Grid } from './grid.tsx'
import { NoRows } from './no-rows.tsx'
import { RecordList } from './record-list.tsx'
import { RecordPanel } from './record-panel.tsx'
import { RowSource } from './row-source.ts'
import { Toolbar } from './toolbar.tsx'
import { useColumns } from './use-columns.ts'
import { usePhone } from './use-phone.ts'
import { useThroughColumns } from './use-through-columns.ts'
import { readView, type ViewState, writeView } from './view-state.ts'

interface TypeGridProps {
  readonly type: ConsoleType
  readonly types: readonly ConsoleType[]
}

/** The grid of a type with its toolbar, and the record that is open next to it. */
export function TypeGrid({ type, types }: TypeGridProps) {
  const state = useColumns(type)
  if (state.status === 'loading')
    return (
      <Main label={type.names.many}>
        <Loading>Still loading {countText(type.count, type.names)}.</Loading>
      </Main>
    )
  if (state.status === 'error')
    return (
      <Main label={type.names.many}>
        <Failed error={state.error} retry={state.retry} />
      </Main>
    )
  return <LoadedGrid type={type} types={types} columns={state.columns} />
}

interface LoadedGridProps extends TypeGridProps {
  readonly columns: readonly Column[]
}

function LoadedGrid({ type, types, columns }: LoadedGridProps) {
  const { params } = useLocation()
  const address = params.toString()
  const view = useMemo(() => readView(new URLSearchParams(address)), [address])
  const all = useThroughColumns(columns, view.columns, types)
  const visible = useMemo(() => visibleColumns(all, view), [all, view])
  const source = useRowSource({ type: type.name, visible, all, view, types })
  const state = useSyncExternalStore(source.subscribe, source.get)
  const setView = (change: Partial<ViewState>) =>
    navigate(`/records/${type.name}${writeView({ ...view, ...change }, params)}`, { replace: true })
  const openId = Number(params.get('open')) || undefined
  const isPhone = usePhone()
  useSummary(
    state.status === 'loading'
      ? ''
      : `${state.isAtLeast ? 'at least ' : ''}${countText(state.total, type.names)}`,
  )
  const shared = { type, types, columns: visible, source, view, setView }
  return (
    <Main label={type.names.many}>
      <Toolbar {...shared} all={all} />
      <div className={openId === undefined ? 'grid-area' : 'grid-area beside'}>
        {state.status === 'error' && state.total === 0 ? (
          <Failed error={state.error} />
        ) : state.status === 'ready' && state.total === 0 ? (
          <NoRows type={type} all={all} view={view} setView={setView} />
        ) : isPhone ? (
          <RecordList {...shared} />
        ) : (
          <Grid {...shared} openId={openId} />
        )}
        {openId !== undefined && (
          <RecordPanel key={openId} type={type} types={types} id={openId} source={source} />
        )}
      </div>
    </Main>
  )
}

/** The number of columns that are shown unless the address names them. */
const defaultColumns = 12

function visibleColumns(all: readonly Column[], view: ViewState): readonly Column[] {
  if (view.columns.length === 0)
    return all.filter(({ key }) => !key.includes('>')).slice(0, defaultColumns)
  return view.columns.flatMap((key) => all.find((column) => column.key === key) ?? [])
}

interface Shown {
  readonly type: string
  readonly visible: readonly Column[]
  readonly all: readonly Column[]
  readonly view: ViewState
  readonly types: readonly ConsoleType[]
}

/** Returns the rows of the view; another view has another source. */
function useRowSource({ type, visible, all, view, types }: Shown): RowSource {
  const { client } = useConsole()
  const query = useMemo(() => {
    const needed = all.filter(
      (column) =>
        visible.includes(column) ||
        view.conditions.some((condition) => condition.column === column.key) ||
        view.sort.some((key) => key.column === column.key) ||
        view.group === column.key,
    )
    return JSON.stringify(buildQuery(type, needed, view, types))
  }, [type, visible, all, view, types])
  const [source, setSource] = useState(() => new RowSource(client, JSON.parse(query)))
  const [shown, setShown] = useState(query)
  if (shown !== query) {
    setShown(query)
    setSource(new RowSource(client, JSON.parse(query)))
  }
  useEffect(() => () => source.close(), [source])
  return source
}
