import type { Answer, Meaning, Reply } from './answer-question.ts'
import { ShownQuery } from './shown-query.tsx'
import { wireQuery } from './wire-query.ts'

/** The answer to a question, and the query that returned it. */
export function AnswerView({ reply }: { reply: Reply }) {
  return (
    <div className="try-answer">
      <section aria-label="Answer" aria-live="polite">
        <Shape answer={reply.answer} />
      </section>
      <ShownQuery query={wireQuery(reply.query)} />
    </div>
  )
}

function Shape({ answer }: { answer: Answer }) {
  switch (answer.shape) {
    case 'meanings':
      return <Meanings answer={answer} />
    case 'groups':
      return <Groups answer={answer} />
    case 'words':
      return <Words answer={answer} />
    case 'verdict':
      return <Verdict answer={answer} />
  }
}

function Meanings({ answer }: { answer: Extract<Answer, { shape: 'meanings' }> }) {
  const { word, meanings } = answer
  return (
    <>
      <h2>{meanings.length === 0 ? `No results for “${word}”` : word}</h2>
      <ol className="try-meanings">
        {meanings.map((meaning) => (
          <li key={meaning.id}>
            <OneMeaning meaning={meaning} />
          </li>
        ))}
      </ol>
    </>
  )
}

function Words({ answer }: { answer: Extract<Answer, { shape: 'words' }> }) {
  const { words, total } = answer
  return (
    <>
      <h2>
        {total === 0 ? 'No words' : `${total.toLocaleString('en')} words`}
        {words.length < total && `, ${words.length} of them shown`}
      </h2>
      <ul className="try-words">
        {words.map((word) => (
          <li key={word}>
            <Word word={word} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Verdict({ answer }: { answer: Extract<Answer, { shape: 'verdict' }> }) {
  return (
    <>
      <h2>{answer.summary}</h2>
      {answer.chains.map((chain) => (
        <ol className="try-chain" key={chain.map(({ id }) => id).join()}>
          {chain.map((meaning) => (
            <li key={meaning.id}>
              <OneMeaning meaning={meaning} />
            </li>
          ))}
        </ol>
      ))}
    </>
  )
}

function Groups({ answer }: { answer: Extract<Answer, { shape: 'groups' }> }) {
  const { groups, counted } = answer
  const [noun, rest] = counted
  const count = groups.reduce((sum, { members }) => sum + members.length, 0)
  const isPartial = groups.some((group) => group.isPartial)
  return (
    <>
      <h2>
        {count === 0 ? 'No' : `${count}${isPartial ? ' or more' : ''}`}{' '}
        {count === 1 ? noun : `${noun}s`} {rest}
      </h2>
      {groups.map(({ of, members }) => (
        <section key={of.id}>
          <h3>
            {of.words[0]} <span className="try-gloss">{of.gloss}</span>
          </h3>
          <ul className="try-members">
            {members.map((meaning) => (
              <li key={meaning.id}>
                <OneMeaning meaning={meaning} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function OneMeaning({ meaning }: { meaning: Meaning }) {
  return (
    <>
      <p>
        {meaning.part && <span className="try-part">{meaning.part} </span>}
        {meaning.words.map((word, i) => (
          <span key={word}>
            {i > 0 && ', '}
            <Word word={word} />
          </span>
        ))}
      </p>
      <p className="try-gloss">{meaning.gloss}</p>
      {meaning.examples.slice(0, 2).map((example) => (
        <p className="try-example" key={example}>
          “{example}”
        </p>
      ))}
    </>
  )
}

function Word({ word }: { word: string }) {
  const parameters = new URLSearchParams({ q: `what does ${word} mean` })
  return <a href={`${location.pathname}?${parameters}`}>{word}</a>
}
