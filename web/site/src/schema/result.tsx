import { useState } from 'react'
import type { Answer, Outcome } from './ask.ts'
import { Plan } from './plan.tsx'
import { rowsOf, type Table } from './table.ts'
import { Tree } from './tree.tsx'

/** The answer to a query, or why there is none. */
export function Result({ outcome }: { outcome: Outcome }) {
  if (outcome.kind === 'silent')
    return (
      <p className="schema-refused" role="alert">
        The server does not answer. The query stays here: try again.
      </p>
    )
  if (outcome.kind === 'refused')
    return (
      <p className="schema-refused" role="alert">
        Error: {outcome.message}
      </p>
    )
  const { answer, took } = outcome
  const links = answer.linkers.length
  return (
    <>
      <p className="schema-sum">
        <strong>{counted(answer)}</strong>
        <span className="schema-quiet">
          {` ${links === 1 ? '1 connection' : `${links} connections`}, ${took.toFixed(took < 10 ? 1 : 0)} ms there and back`}
        </span>
      </p>
      <Views answer={answer} />
      {answer.groups?.map(({ name, distinct, top }) => (
        <Grouped key={name} name={name} distinct={distinct} top={top} />
      ))}
      {answer.plan && <Plan text={answer.plan} />}
    </>
  )
}

/** How much was found, in words. */
export function counted({ mainCompositionIds, mainCount, mainCountAtLeast }: Answer): string {
  const shown = mainCompositionIds.length
  if (shown === 0) return 'Nothing was found.'
  const all = `${mainCountAtLeast ? 'at least ' : ''}${mainCount.toLocaleString('en')}`
  return `${shown} of ${all} ${mainCount === 1 ? 'record' : 'records'}.`
}

type View = 'table' | 'tree' | 'json' | 'ids'
const names: Record<View, string> = { table: 'Table', tree: 'Tree', json: 'JSON', ids: 'Ids' }

function Views({ answer }: { answer: Answer }) {
  const [wanted, want] = useState<View>('table')
  const data = answer.data ?? []
  const table = rowsOf(data)
  const possible: readonly View[] = table
    ? ['table', 'tree', 'json', 'ids']
    : ['tree', 'json', 'ids']
  const view = possible.includes(wanted) ? wanted : 'tree'
  if (answer.mainCompositionIds.length === 0) return null
  return (
    <>
      <fieldset className="schema-views">
        <legend className="unseen">How to show it</legend>
        {possible.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="schema-view"
              checked={view === each}
              onChange={() => want(each)}
            />
            <span>{names[each]}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="schema-data" tabIndex={0} aria-label="Answer">
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
        {name}: {distinct.toLocaleString('en')} different
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
