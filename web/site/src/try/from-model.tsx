import { useEffect, useState } from 'react'
import { Failure } from '../failure.tsx'
import { askModel, hasModel, run } from './own-model.ts'
import { ShownQuery } from './shown-query.tsx'

type Step =
  | { readonly status: 'offered' | 'working' }
  | { readonly status: 'proposed'; readonly query: object }
  | { readonly status: 'answered'; readonly query: object; readonly answer: string }
  | { readonly status: 'failed'; readonly error: Error }

/** Where the operator has set up a language model: it proposes a query, which is run once somebody has seen it. */
export function FromModel({ question }: { question: string }) {
  const [on, setOn] = useState(false)
  const [step, setStep] = useState<Step>({ status: 'offered' })
  useEffect(() => {
    hasModel().then(setOn, () => setOn(false))
  }, [])
  if (!on) return null
  const failed = (error: Error) => setStep({ status: 'failed', error })
  const ask = () => {
    setStep({ status: 'working' })
    askModel(question).then((query) => setStep({ status: 'proposed', query }), failed)
  }
  const answer = (query: object) => {
    setStep({ status: 'working' })
    run(query).then((answer) => setStep({ status: 'answered', query, answer }), failed)
  }
  return (
    <section className="try-model" aria-label="The language model of this server">
      <p>The operator of this server has set up a language model that writes queries.</p>
      {step.status === 'offered' && (
        <button type="button" className="button quiet" onClick={ask}>
          Let it write one
        </button>
      )}
      {step.status === 'working' && <p role="status">Please Wait...</p>}
      {step.status === 'failed' && <Failure error={step.error} retry={ask} />}
      {(step.status === 'proposed' || step.status === 'answered') && (
        <ShownQuery query={step.query} />
      )}
      {step.status === 'proposed' && (
        <button type="button" className="button" onClick={() => answer(step.query)}>
          Run this query
        </button>
      )}
      {step.status === 'answered' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <section tabIndex={0} className="try-code" aria-label="What it found">
          <pre>
            <code>{step.answer}</code>
          </pre>
        </section>
      )}
    </section>
  )
}
