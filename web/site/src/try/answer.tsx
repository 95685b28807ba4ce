import type { Answer, Meaning, Reply } from './ask.ts'
import { ShownQuery } from './shown-query.tsx'
import { wireOf } from './wire.ts'

/** What was found, and the query that found it. */
export function Answered({ reply }: { reply: Reply }) {
  return (
    <div className="try-answer">
      <section aria-label="Answer" aria-live="polite">
        <Shape answer={reply.answer} />
      </section>
      <ShownQuery query={wireOf(reply.query)} />
    </div>
  )
}

function Shape({ answer }: { answer: Answer }) {
  switch (answer.shape) {
    case 'meanings':
      return (
        <>
          <h2>
            {answer.meanings.length === 0
              ? `Nothing of that kind for “${answer.word}”`
              : answer.word}
          </h2>
          <ol className="try-meanings">
            {answer.meanings.map((meaning) => (
              <li key={meaning.id}>
                <OneMeaning meaning={meaning} />
              </li>
            ))}
          </ol>
        </>
      )
    case 'groups':
      return <Groups answer={answer} />
    case 'words':
      return (
        <>
          <h2>
            {answer.total === 0 ? 'No words' : `${answer.total.toLocaleString('en')} words`}
            {answer.words.length < answer.total && `, of which these are ${answer.words.length}`}
          </h2>
          <ul className="try-words">
            {answer.words.map((word) => (
              <li key={word}>
                <Word word={word} />
              </li>
            ))}
          </ul>
        </>
      )
    case 'verdict':
      return (
        <>
          <h2>{answer.says}</h2>
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
}

function Groups({ answer }: { answer: Extract<Answer, { shape: 'groups' }> }) {
  const { groups, says } = answer
  const [noun, rest] = says
  const count = groups.reduce((sum, { members }) => sum + members.length, 0)
  const more = groups.some(({ more }) => more)
  return (
    <>
      <h2>
        {count === 0 ? 'No' : `${count}${more ? ' or more' : ''}`} {count === 1 ? noun : `${noun}s`}{' '}
        {rest}
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
  const asked = new URLSearchParams({ q: `what does ${word} mean` })
  return <a href={`${location.pathname}?${asked}`}>{word}</a>
}
