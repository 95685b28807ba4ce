import type { QueryState } from '@weft/client'
import { lazy, Suspense, useMemo } from 'react'
import { useConsole } from '../../model/console.tsx'
import { numberText } from '../../model/names.ts'
import { useLocation } from '../../model/router.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Empty, Failed, Loading, Offline } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { queryOfGroup } from '../question/groups.ts'
import type { WireQuery } from '../question/wire.ts'
import { type ChartPoint, chartData, chartSources } from './chart-data.ts'
import { type ChartForm, ChartView, chartForms } from './chart-view.tsx'
import { PlanView } from './plan-view.tsx'
import { csvOf, plainData, type ResultTable, tableOf } from './rows.ts'
import { GroupTable, TableView } from './table-view.tsx'
import { TreeView } from './tree-view.tsx'

const AnswerGraphView = lazy(() =>
  import('./answer-graph-view.tsx').then(({ AnswerGraphView }) => ({ default: AnswerGraphView })),
)

const views = [
  ['table', 'Table'],
  ['tree', 'Tree'],
  ['graph', 'Graph'],
  ['chart', 'Chart'],
  ['json', 'JSON'],
  ['plan', 'Plan'],
] as const
type View = (typeof views)[number][0]

type Ready = Extract<QueryState<unknown>, { status: 'ready' }>

interface ResultProps {
  readonly query: WireQuery
  readonly state: QueryState<unknown>
  /** Time from the question to the answer, in milliseconds; undefined until the answer arrives. */
  readonly took: number | undefined
  readonly refresh: () => void
  /** Returns the address of this room with other parameters. */
  readonly addressOf: (changes: Readonly<Record<string, string | undefined>>) => string
}

/** The live answer, in the chosen form. */
export function Result(props: ResultProps) {
  const { state, took, refresh, addressOf } = props
  const { params } = useLocation()
  const view = (params.get('as') ?? 'table') as View
  return (
    <section className="result" aria-label="Answer" aria-busy={state.status === 'loading'}>
      <div className="bar ruled">
        <Tabs
          label="Form of the answer"
          tabs={views.map(([id, label]) => ({
            to: addressOf({ as: id === 'table' ? undefined : id }),
            label,
            isCurrent: id === view,
          }))}
        />
        <span className="grow" />
        <span className="soft desk" role="status">
          {state.status === 'ready' ? summaryOf(state, took) : ''}
        </span>
      </div>
      {state.status === 'loading' && <Loading>The question is still running.</Loading>}
      {state.status === 'error' && (
        <Failed title="The question was not answered" error={state.error} retry={refresh} />
      )}
      {state.status === 'ready' && <ReadyResult {...props} state={state} view={view} />}
    </section>
  )
}

function ReadyResult({
  query,
  state,
  view,
  addressOf,
}: ResultProps & { readonly state: Ready; readonly view: View }) {
  const { client } = useConsole()
  const table = useMemo(() => tableOf(state.data), [state.data])
  const groupAddress = (name: string, value: string) => {
    const found = queryOfGroup(query, name, value)
    return found && addressOf({ query: JSON.stringify(found), as: undefined })
  }
  const groups = state.groups ?? []
  const isOffline = !state.complete && client.sync.get().state === 'offline'
  return (
    <>
      {isOffline && (
        <Offline>You are offline. This is the answer from the records on this device.</Offline>
      )}
      {state.warnings?.map((warning) => (
        <p key={warning} className="note c" role="status">
          {warning.charAt(0).toUpperCase() + warning.slice(1)}.
        </p>
      ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <section className="result-body" tabIndex={0} aria-label={`Answer as ${view}`}>
        {state.data.length === 0 && view !== 'plan' && groups.length === 0 && (
          <Empty title="No record matches">
            <p>Change or remove a condition.</p>
          </Empty>
        )}
        {view === 'table' && (
          <>
            {groups.map((group) => (
              <GroupTable
                key={group.name}
                group={group}
                addressOf={(value) => groupAddress(group.name, value)}
              />
            ))}
            <TableView table={table} />
            <CsvButton table={table} />
          </>
        )}
        {view === 'tree' && <TreeView value={plainData(state.data)} />}
        {view === 'graph' && (
          <Suspense fallback={<Loading>Still loading the drawing.</Loading>}>
            <AnswerGraphView data={state.data} />
          </Suspense>
        )}
        {view === 'chart' && (
          <Chart state={state} table={table} groupAddress={groupAddress} addressOf={addressOf} />
        )}
        {view === 'json' && <Json state={state} />}
        {view === 'plan' && <PlanView plan={state.plan ?? ''} steps={state.planSteps} />}
      </section>
    </>
  )
}

/** Returns the size of an answer in words: "200 records in 18 ms". */
function summaryOf(
  { data, total = data.length, atLeast }: Ready,
  took: number | undefined,
): string {
  const shown = data.length < total ? `${numberText(data.length)} of ` : ''
  const records =
    total === 1 && shown === ''
      ? '1 record'
      : `${shown}${atLeast ? 'at least ' : ''}${numberText(total)} records`
  return took === undefined ? records : `${records} in ${took.toFixed(took < 10 ? 1 : 0)} ms`
}

function Json({ state }: { state: Ready }) {
  const answer = {
    mainCount: state.total,
    ...(state.atLeast && { mainCountAtLeast: true }),
    data: plainData(state.data),
    ...(state.groups && { groups: state.groups }),
    ...(state.next !== undefined && { next: state.next }),
  }
  const text = JSON.stringify(answer, undefined, 2)
  return (
    <>
      <p className="acts">
        <CopyButton text={text} />
      </p>
      <pre className="code">
        {text.length > maxShownJson ? `${text.slice(0, maxShownJson)}\n…` : text}
      </pre>
    </>
  )
}

/** Maximum number of characters of JSON that are shown. Copy copies all of them. */
const maxShownJson = 300_000

interface ChartProps {
  readonly state: Ready
  readonly table: ResultTable
  readonly groupAddress: (name: string, value: string) => string | undefined
  readonly addressOf: ResultProps['addressOf']
}

function Chart({ state, table, groupAddress, addressOf }: ChartProps) {
  const { params } = useLocation()
  const { setParams } = useConsole()
  const groups = state.groups ?? []
  const sources = chartSources(table, groups)
  const source = sources.find(({ id }) => id === params.get('of')) ?? sources[0]
  const form = chartForms.find((one) => one === params.get('chart')) ?? 'bar'
  if (!source)
    return (
      <Empty title="There are no numbers to draw">
        <p>
          Show a field with numbers. Or count by a link: in its settings, set “Instead of records”
          to “each value and its number”.
        </p>
      </Empty>
    )
  const pointAddress = ({ group, label, id }: ChartPoint) => {
    if (group) return groupAddress(group.name, label)
    const type = table.rows.find((row) => row.id === id)?.type
    return type === undefined ? undefined : `/records/${type}/${id}`
  }
  return (
    <>
      <div className="bar chart-bar">
        {chartForms.map((one) => (
          <ChartFormLink
            key={one}
            form={one}
            isCurrent={one === form}
            to={addressOf({ chart: one === 'bar' ? undefined : one })}
          />
        ))}
        <label>
          <span className="unseen">Numbers of the chart</span>
          <select
            value={source.id}
            onChange={(event) => setParams({ of: event.currentTarget.value })}
          >
            {sources.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ChartView data={chartData(table, groups, source)} form={form} addressOf={pointAddress} />
    </>
  )
}

const formNames: Readonly<Record<ChartForm, string>> = { bar: 'Bars', line: 'Line', pie: 'Pie' }

function ChartFormLink({
  form,
  isCurrent,
  to,
}: {
  form: ChartForm
  isCurrent: boolean
  to: string
}) {
  const { navigate } = useConsole()
  return (
    <button
      type="button"
      className={isCurrent ? 'button' : 'button quiet'}
      aria-pressed={isCurrent}
      onClick={() => navigate(to, { replace: true })}
    >
      {formNames[form]}
    </button>
  )
}

function CsvButton({ table }: { table: ResultTable }) {
  if (table.rows.length === 0) return null
  const save = () => {
    const url = URL.createObjectURL(new Blob([csvOf(table)], { type: 'text/csv' }))
    const link = Object.assign(document.createElement('a'), { href: url, download: 'answer.csv' })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url))
  }
  return (
    <p className="acts">
      <button type="button" className="button quiet" onClick={save}>
        Save as CSV
      </button>
    </p>
  )
}
