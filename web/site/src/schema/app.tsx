import { useEffect, useMemo, useState } from 'react'
import { navigate, usePlace } from '../place.ts'
import { type Outcome, run } from './ask.ts'
import { Editor } from './editor.tsx'
import { examples, written } from './example.ts'
import { spokenOf } from './place.ts'
import { counted, Result } from './result.tsx'
import './schema.css'

/** Writes a query, sends it to this server and shows what comes back; the one it opens with at once. */
export function SchemaExplorer() {
  const { search } = usePlace()
  const [first] = useState(() => shared(search) ?? written(examples[0]?.query ?? {}))
  const [text, setText] = useState(first)
  const [explain, setExplain] = useState(true)
  const [state, setState] = useState<Asking>({ status: 'asking' })
  const fault = useMemo(() => faultOf(state), [state])
  const asking = state.status === 'asking'

  useEffect(() => {
    void answered(first, true).then(setState)
  }, [first])
  const ask = async () => {
    if (asking) return
    setState({ status: 'asking' })
    share(text)
    setState(await answered(text, explain))
  }
  return (
    <section className="schema-app halves" aria-label="Try a query">
      <div className="schema-write">
        <label htmlFor="schema-example">Begin with an example</label>
        <select
          id="schema-example"
          value={examples.find(({ query }) => written(query) === text)?.title ?? ''}
          onChange={({ currentTarget }) => {
            const chosen = examples.find(({ title }) => title === currentTarget.value)
            if (chosen) setText(written(chosen.query))
          }}
        >
          <option value="" disabled>
            Your own
          </option>
          {examples.map(({ title }) => (
            <option key={title}>{title}</option>
          ))}
        </select>
        <Editor
          label="Query, as JSON"
          text={text}
          fault={fault}
          onChange={setText}
          onRun={() => void ask()}
        />
        <div className="schema-run">
          <button type="button" className="button" disabled={asking} onClick={() => void ask()}>
            Run
          </button>
          <label>
            <input
              type="checkbox"
              checked={explain}
              onChange={(event) => setExplain(event.currentTarget.checked)}
            />
            Explain how it is found
          </label>
          <span className="schema-quiet">
            Ctrl+Enter runs. The address of this page then holds the query.
          </span>
        </div>
      </div>
      <p className="unseen" role="status">
        {spoken(state)}
      </p>
      <div className="schema-read" aria-busy={asking}>
        {asking && <p className="schema-quiet">Please Wait...</p>}
        {state.status === 'unread' && (
          <p className="schema-refused" role="alert">
            This is not JSON yet: see the mark in the editor.
          </p>
        )}
        {state.status === 'done' && <Result outcome={state.outcome} />}
      </div>
    </section>
  )
}

type Asking =
  | { readonly status: 'asking' }
  | { readonly status: 'unread'; readonly text: string }
  | { readonly status: 'done'; readonly text: string; readonly outcome: Outcome }

async function answered(text: string, explain: boolean): Promise<Asking> {
  const query = parsed(text)
  if (query === undefined) return { status: 'unread', text }
  return { status: 'done', text, outcome: await run(query, explain) }
}

/** What is read out of an answer: how much was found, not all of it. */
function spoken(state: Asking): string {
  if (state.status !== 'done' || state.outcome.kind !== 'answer') return ''
  return counted(state.outcome.answer)
}

function faultOf(state: Asking) {
  if (state.status !== 'done' || state.outcome.kind !== 'refused') return undefined
  const { message } = state.outcome
  const at = spokenOf(message, state.text)
  return at && { text: state.text, at, message }
}

function parsed(text: string): object | undefined {
  try {
    const query: unknown = JSON.parse(text)
    return typeof query === 'object' && query !== null && !Array.isArray(query) ? query : undefined
  } catch {
    return undefined
  }
}

/** The query that the address holds, written out. */
function shared(search: string): string | undefined {
  const query = parsed(new URLSearchParams(search).get('query') ?? '')
  return query && written(query)
}

/** The longest query that goes into an address. */
const mostShared = 6_000

function share(text: string): void {
  const query = parsed(text)
  if (query === undefined || text.length > mostShared) return
  const search = new URLSearchParams({ query: JSON.stringify(query) })
  navigate(`${location.pathname}?${search}`, 'replace')
}
