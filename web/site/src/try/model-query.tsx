import { useEffect, useState } from 'react'
import { ErrorMessage } from '../error-message.tsx'
import { hasLanguageModel, proposeQuery, runQuery } from './language-model.ts'
import { ShownQuery } from './shown-query.tsx'

/**
 * The steps of asking the language model. Each request may end in `failed`, from where a retry proposes again.
 *
 *   offered ─▶ working ─▶ proposed ─▶ working ─▶ answered
 *                 └──────▶ failed ◀──────┘
 */
type Step =
  | { readonly status: 'offered' | 'working' }
  | { readonly status: 'proposed'; readonly query: object }
  | { readonly status: 'answered'; readonly query: object; readonly records: string }
  | { readonly status: 'failed'; readonly error: Error }

/** Lets the language model of the server propose a query, which the user sees before it runs. */
export function ModelQuery({ question }: { question: string }) {
  const [isAvailable, setAvailable] = useState(false)
  const [step, setStep] = useState<Step>({ status: 'offered' })
  useEffect(() => {
    hasLanguageModel().then(setAvailable, () => setAvailable(false))
  }, [])
  if (!isAvailable) return null
  const fail = (error: Error) => setStep({ status: 'failed', error })
  const propose = () => {
    setStep({ status: 'working' })
    proposeQuery(question).then((query) => setStep({ status: 'proposed', query }), fail)
  }
  const run = (query: object) => {
    setStep({ status: 'working' })
    runQuery(query).then((records) => setStep({ status: 'answered', query, records }), fail)
  }
  return (
    <section className="try-model" aria-label="Language model">
      <p>The operator of this server has configured a language model that can write queries.</p>
      {step.status === 'offered' && (
        <button type="button" className="button quiet" onClick={propose}>
          Propose a query
        </button>
      )}
      {step.status === 'working' && <p role="status">Loading…</p>}
      {step.status === 'failed' && <ErrorMessage error={step.error} retry={propose} />}
      {(step.status === 'proposed' || step.status === 'answered') && (
        <ShownQuery query={step.query} />
      )}
      {step.status === 'proposed' && (
        <button type="button" className="button" onClick={() => run(step.query)}>
          Run this query
        </button>
      )}
      {step.status === 'answered' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        <section tabIndex={0} className="try-code" aria-label="Result">
          <pre>
            <code>{step.records}</code>
          </pre>
        </section>
      )}
    </section>
  )
}
