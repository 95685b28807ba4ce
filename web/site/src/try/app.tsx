import { type FormEvent, useRef, useState } from 'react'
import { ErrorMessage } from '../error-message.tsx'
import { navigate, useSiteLocation } from '../navigation.ts'
import { useRequest } from '../use-request.ts'
import { countWords } from '../words/load-words.ts'
import { AnswerView } from './answer.tsx'
import { answerQuestion, UnknownWordError } from './answer-question.ts'
import { grammar, type Kind } from './grammar.ts'
import { ModelQuery } from './model-query.tsx'
import { type ParsedQuestion, parseQuestion } from './parse-question.ts'
import './try.css'

/**
 * Answers questions about English words. The question is in the address, as the parameter `q`.
 *
 *   parseQuestion (grammar) ─▶ queryFor ─▶ answerQuestion ─▶ AnswerView
 *            └─ not understood ─▶ ModelQuery, if the server has a language model
 */
export function TryBox() {
  const question = new URLSearchParams(useSiteLocation().search).get('q')?.trim() ?? ''
  const wordCount = useRequest('words', countWords)
  if (wordCount.status === 'ready' && wordCount.data === 0) return <NoWords />
  return (
    <section className="try" aria-label="Ask a question">
      <QuestionForm key={question} question={question} />
      {wordCount.status === 'ready' && <AboutTheWords count={wordCount.data} />}
      {wordCount.status === 'error' && (
        <ErrorMessage error={wordCount.error} retry={wordCount.retry} />
      )}
      {question === '' ? (
        <Examples title="Questions you can ask" />
      ) : (
        <Question question={question} />
      )}
    </section>
  )
}

/** A server with at least this many words has all of WordNet rather than a sample. */
const allWords = 100_000

/** Explains how questions are answered, and from which data. */
function AboutTheWords({ count }: { count: number }) {
  return (
    <p className="try-gloss">
      A grammar turns your question into a query. It understands the kinds of questions below, about
      English words only.{' '}
      {count < allWords
        ? `This server has a sample of ${count.toLocaleString('en')} words of WordNet, so a word or a relation may be missing.`
        : `This server has ${count.toLocaleString('en')} words of WordNet.`}
    </p>
  )
}

function NoWords() {
  return (
    <section className="try" aria-label="Ask a question">
      <h2>This server has no words yet</h2>
      <p>
        The operator can import them while the server is running: <code>make wordnet</code> installs
        WordNet from Debian and imports it, and <code>weft import wordnet DIR</code> imports a
        directory of WordNet database files.
      </p>
    </section>
  )
}

const maxQuestionLength = 200

function QuestionForm({ question }: { question: string }) {
  const [text, setText] = useState(question)
  const field = useRef<HTMLInputElement>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') field.current?.focus()
    else navigate(addressOf(text.trim()))
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
            maxLength={maxQuestionLength}
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

function Question({ question }: { question: string }) {
  const parsed = parseQuestion(question)
  if (parsed.kind === undefined) return <NotUnderstood question={question} parsed={parsed} />
  return <Understood key={question} kind={parsed.kind} words={parsed.words} />
}

function Understood({ kind, words }: Extract<ParsedQuestion, { kind: Kind }>) {
  const reply = useRequest(`${kind} ${words.join(' / ')}`, () => answerQuestion(kind, words))
  if (reply.status === 'loading') return <p role="status">Loading…</p>
  if (reply.status === 'ready')
    return (
      <>
        <p className="try-gloss">Understood as: {restate(kind, words)}.</p>
        <AnswerView reply={reply.data} />
      </>
    )
  const { error, retry } = reply
  if ((error as Error) instanceof UnknownWordError)
    return (
      <>
        <p role="status">The question was understood, but {error.message}.</p>
        <Examples title="Other questions" />
      </>
    )
  return <ErrorMessage error={error} retry={retry} />
}

/** Returns a question as it was understood, so that a misunderstanding is visible. */
function restate(kind: Kind, words: readonly string[]): string {
  const rule = grammar.find((rule) => rule.kind === kind)
  return `${rule?.description}, for ${words.map((word) => `“${word}”`).join(' and ')}`
}

interface NotUnderstoodProps {
  readonly question: string
  readonly parsed: Extract<ParsedQuestion, { kind: undefined }>
}

function NotUnderstood({ question, parsed: { understood, rest } }: NotUnderstoodProps) {
  return (
    <>
      <p role="status">
        {understood === '' && <>This question was not understood: “{question}”.</>}
        {understood !== '' && rest === '' && <>The question “{understood}” is incomplete.</>}
        {understood !== '' && rest !== '' && (
          <>
            “{understood}” was understood, but the rest was not: <mark>{rest}</mark>.
          </>
        )}
      </p>
      <ModelQuery key={question} question={question} />
      <Examples title="Questions you can ask" />
    </>
  )
}

function Examples({ title }: { title: string }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <dl className="try-offers">
        {grammar.map(({ kind, description, examples }) => (
          <div key={kind}>
            <dt>{description}</dt>
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
