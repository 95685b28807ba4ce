import { type FormEvent, useRef, useState } from 'react'
import { Failure } from '../failure.tsx'
import { navigate, usePlace } from '../place.ts'
import { useAsked } from '../use-asked.ts'
import { Answered } from './answer.tsx'
import { countWords, reply, UnknownWord } from './ask.ts'
import { FromModel } from './from-model.tsx'
import { grammar } from './grammar.ts'
import { type Read, read } from './read.ts'
import './try.css'

/** A question in plain English becomes a query, which is shown, asked and answered: /try-ai?q=. */
export function TryBox() {
  const asked = new URLSearchParams(usePlace().search).get('q')?.trim() ?? ''
  const words = useAsked('words', countWords)
  if (words.status === 'ready' && words.data === 0) return <NoWords />
  return (
    <section className="try" aria-label="Ask the words">
      <Question key={asked} asked={asked} />
      {words.status === 'error' && <Failure error={words.error} retry={words.retry} />}
      {asked === '' ? <Offers title="What you can ask" /> : <Understood asked={asked} />}
    </section>
  )
}

function NoWords() {
  return (
    <section className="try" aria-label="Ask the words">
      <h2>There are no words here to ask about</h2>
      <p>
        Who runs this server brings them in: <code>make wordnet</code> installs WordNet from Debian
        and imports it, or <code>weft import wordnet DIR</code> imports a directory of its database
        files. The server may keep running.
      </p>
    </section>
  )
}

/** The longest question that is read, in characters. */
const longest = 200

function Question({ asked }: { asked: string }) {
  const [text, setText] = useState(asked)
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') field.current?.focus()
    else go(text)
  }
  return (
    <search>
      <form className="try-question" onSubmit={submit}>
        <label htmlFor="try-question">Your question about English words</label>
        <div>
          <input
            ref={field}
            id="try-question"
            value={text}
            maxLength={longest}
            autoComplete="off"
            enterKeyHint="search"
            placeholder="Is a whale a fish?"
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit" className="button">
            Ask
          </button>
        </div>
      </form>
    </search>
  )
}

const addressOf = (question: string): string =>
  `${location.pathname}?${new URLSearchParams({ q: question })}`

const go = (question: string): void => navigate(addressOf(question.trim()))

function Understood({ asked }: { asked: string }) {
  const found = read(asked)
  if (found.kind === undefined) return <NotUnderstood asked={asked} found={found} />
  return <Asking key={asked} kind={found.kind} words={found.words} />
}

function Asking({ kind, words }: Extract<Read, { kind: string }>) {
  const asked = useAsked(`${kind} ${words.join(' / ')}`, () => reply(kind, words))
  if (asked.status === 'loading') return <p role="status">Please Wait...</p>
  if (asked.status === 'ready') return <Answered reply={asked.data} />
  const { error, retry } = asked
  if ((error as Error) instanceof UnknownWord)
    return (
      <>
        <p role="status">The question is clear, but {error.message}.</p>
        <Offers title="Other questions" />
      </>
    )
  return <Failure error={error} retry={retry} />
}

function NotUnderstood({
  asked,
  found,
}: {
  asked: string
  found: Extract<Read, { kind: undefined }>
}) {
  return (
    <>
      <p role="status">
        {found.understood === '' ? (
          <>This way of asking is not known here: “{asked}”.</>
        ) : (
          <>
            “{found.understood}” was understood, but not how it goes on:{' '}
            <mark>{found.rest === '' ? 'nothing follows' : found.rest}</mark>.
          </>
        )}
      </p>
      <FromModel key={asked} question={asked} />
      <Offers title="What can be asked" />
    </>
  )
}

function Offers({ title }: { title: string }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <dl className="try-offers">
        {grammar.map(({ kind, offers, examples }) => (
          <div key={kind}>
            <dt>{offers}</dt>
            {examples.map((example) => (
              <dd key={example}>
                <a href={addressOf(example)}>{example}</a>
              </dd>
            ))}
          </div>
        ))}
      </dl>
    </section>
  )
}
