import { useState } from 'react'
import { Plan } from './plan.tsx'
import type { Answer, Outcome } from './run-query.ts'
import { rowsOf, type Table } from './table.ts'
import { Tree } from './tree.tsx'

/** The result of a query, or the reason why there is none. */
export function Result({ outcome }: { outcome: Outcome }) {
  if (outcome.kind === 'unreachable')
    return (
      <p className="schema-refused" role="alert">
        The server cannot be reached. Try again later.
      </p>
    )
  if (outcome.kind === 'rejected')
    return (
      <p className="schema-refused" role="alert">
        Error: {outcome.message}
      </p>
    )
  const { answer, roundTripMs } = outcome
  const links = answer.linkers.length
  return (
    <>
      <p className="schema-sum">
        <strong>{resultSummary(answer)}</strong>
        <span className="schema-quiet">
          {` ${links === 1 ? '1 connection' : `${links} connections`}, ${roundTripMs.toFixed(roundTripMs < 10 ? 1 : 0)} ms round trip`}
        </span>
      </p>
      <Views answer={answer} />
      {answer.groups?.map(({ name, distinct, top }) => (
        <Grouped key={name} name={name} distinct={distinct} top={top} />
      ))}
      {answer.plan && <Plan plan={answer.plan} />}
    </>
  )
}

/** Returns the number of records as a sentence. */
export function resultSummary({ mainCompositionIds, mainCount, mainCountAtLeast }: Answer): string {
  const shown = mainCompositionIds.length
  if (shown === 0) return 'No records found.'
  const all = `${mainCountAtLeast ? 'at least ' : ''}${mainCount.toLocaleString('en')}`
  return `${shown} of ${all} ${mainCount === 1 ? 'record' : 'records'}.`
}

type View = 'table' | 'tree' | 'json' | 'ids'
const viewNames: Record<View, string> = { table: 'Table', tree: 'Tree', json: 'JSON', ids: 'Ids' }

function Views({ answer }: { answer: Answer }) {
  const [chosen, setChosen] = useState<View>('table')
  const data = answer.data ?? []
  const table = rowsOf(data)
  const available: readonly View[] = table
    ? ['table', 'tree', 'json', 'ids']
    : ['tree', 'json', 'ids']
  const view = available.includes(chosen) ? chosen : 'tree'
  if (answer.mainCompositionIds.length === 0) return null
  return (
    <>
      <fieldset className="schema-views">
        <legend className="unseen">View</legend>
        {available.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="schema-view"
              checked={view === name}
              onChange={() => setChosen(name)}
            />
            <span>{viewNames[name]}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <section className="schema-data" tabIndex={0} aria-label="Result">
        {view === 'table' && table && <Rows table={table} />}
        {view === 'tree' && <Tree value={data} />}
        {view === 'json' && <pre>{JSON.stringify(data, undefined, 2)}</pre>}
        {view === 'ids' && <p className="schema-ids">{answer.mainCompositionIds.join(', ')}</p>}
      </section>
    </>
  )
}

function Rows({ table: { columns, rows } }: { table: Table }) {
  return (
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, cells }) => (
          <tr key={id}>
            {columns.map((column) => (
              <td key={column}>{cells[column] ?? ''}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Grouped({ name, distinct, top }: NonNullable<Answer['groups']>[number]) {
  return (
    <section className="schema-group" aria-label={name}>
      <h2>
        {name}: {distinct.toLocaleString('en')} distinct {distinct === 1 ? 'value' : 'values'}
      </h2>
      <ul>
        {top.map(({ id, value, count }) => (
          <li key={id}>
            {value || `concept ${id}`} <span className="schema-quiet">{count}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
