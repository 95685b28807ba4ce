import { type EditorFault, findErrorRange, JsonEditor } from '@weft/code'
import { useEffect, useMemo, useState } from 'react'
import { navigate, useSiteLocation } from '../navigation.ts'
import { BusyButton } from '../shared/busy-button.tsx'
import { examples, formatQuery } from './example.ts'
import { Result, resultSummary } from './result.tsx'
import { type Outcome, runQuery } from './run-query.ts'
import './schema.css'

/**
 * The state of the last run:
 *
 *   running ─▶ done | invalidJson
 *      ▲          │ Run
 *      └──────────┘
 */
type Run =
  | { readonly status: 'running' }
  | { readonly status: 'invalidJson'; readonly text: string }
  | { readonly status: 'done'; readonly text: string; readonly outcome: Outcome }

/** An editor that sends a query to this server and shows the result. Runs the first query when it opens. */
export function SchemaExplorer() {
  const { search } = useSiteLocation()
  const [firstQuery] = useState(() => sharedQuery(search) ?? formatQuery(examples[0]?.query ?? {}))
  const [text, setText] = useState(firstQuery)
  const [explain, setExplain] = useState(true)
  const [run, setRun] = useState<Run>({ status: 'running' })
  const fault = useMemo(() => faultOf(run), [run])
  const isRunning = run.status === 'running'

  useEffect(() => {
    void runText(firstQuery, true).then(setRun)
  }, [firstQuery])
  const start = async () => {
    if (isRunning) return
    setRun({ status: 'running' })
    shareQuery(text)
    setRun(await runText(text, explain))
  }
  return (
    <section className="schema-app halves" aria-label="Query editor">
      <div className="schema-write">
        <ExampleSelect text={text} setText={setText} />
        <JsonEditor
          className="schema-editor"
          label="Query, as JSON"
          text={text}
          fault={fault}
          onChange={setText}
          onRun={() => void start()}
        />
        <div className="schema-run">
          <BusyButton className="button" isBusy={isRunning} onClick={() => void start()}>
            Run
          </BusyButton>
          <label>
            <input
              type="checkbox"
              checked={explain}
              onChange={(event) => setExplain(event.currentTarget.checked)}
            />
            Show the query plan
          </label>
          <span className="schema-quiet">
            Ctrl+Enter runs the query and stores it in the address of this page.
          </span>
        </div>
      </div>
      <RunView run={run} />
    </section>
  )
}

interface ExampleSelectProps {
  readonly text: string
  readonly setText: (text: string) => void
}

function ExampleSelect({ text, setText }: ExampleSelectProps) {
  return (
    <>
      <label htmlFor="schema-example">Example</label>
      <select
        id="schema-example"
        value={examples.find(({ query }) => formatQuery(query) === text)?.title ?? ''}
        onChange={({ currentTarget }) => {
          const chosen = examples.find(({ title }) => title === currentTarget.value)
          if (chosen) setText(formatQuery(chosen.query))
        }}
      >
        <option value="" disabled>
          Your own query
        </option>
        {examples.map(({ title }) => (
          <option key={title}>{title}</option>
        ))}
      </select>
    </>
  )
}

function RunView({ run }: { run: Run }) {
  const isRunning = run.status === 'running'
  return (
    <>
      <p className="unseen" role="status">
        {announcement(run)}
      </p>
      <div className="schema-read" aria-busy={isRunning}>
        {isRunning && <p className="schema-quiet">Loading…</p>}
        {run.status === 'invalidJson' && (
          <p className="schema-refused" role="alert">
            The query is not valid JSON. The editor marks the error.
          </p>
        )}
        {run.status === 'done' && <Result outcome={run.outcome} />}
      </div>
    </>
  )
}

async function runText(text: string, explain: boolean): Promise<Run> {
  const query = parseQuery(text)
  if (query === undefined) return { status: 'invalidJson', text }
  return { status: 'done', text, outcome: await runQuery(query, explain) }
}

/** Returns the announcement for screen readers after a run: the number of records, not the records. */
function announcement(run: Run): string {
  if (run.status !== 'done' || run.outcome.kind !== 'answered') return ''
  return resultSummary(run.outcome.answer)
}

function faultOf(run: Run): EditorFault | undefined {
  if (run.status !== 'done' || run.outcome.kind !== 'rejected') return undefined
  const { message } = run.outcome
  const range = findErrorRange(message, run.text)
  return range && { text: run.text, range, message }
}

function parseQuery(text: string): object | undefined {
  try {
    const query: unknown = JSON.parse(text)
    return typeof query === 'object' && query !== null && !Array.isArray(query) ? query : undefined
  } catch {
    return undefined
  }
}

/** Returns the query in the address of the page, formatted. */
function sharedQuery(search: string): string | undefined {
  const query = parseQuery(new URLSearchParams(search).get('query') ?? '')
  return query && formatQuery(query)
}

/** Maximum length of a query in the address. */
const maxSharedLength = 6_000

function shareQuery(text: string): void {
  const query = parseQuery(text)
  if (query === undefined || text.length > maxSharedLength) return
  const search = new URLSearchParams({ query: JSON.stringify(query) })
  navigate(`${location.pathname}?${search}`, 'replace')
}
