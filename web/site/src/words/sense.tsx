import { Failure } from '../failure.tsx'
import type { Asked } from '../use-asked.ts'
import { addressOf } from './address.ts'
import type { Group, Near, Sense } from './ask.ts'

/** The meanings of a word, by parts of speech; one of them is chosen. */
export function Senses({ senses, chosen }: { senses: readonly Sense[]; chosen: Sense }) {
  const kinds = [...new Set(senses.map(({ kind }) => kind))]
  return (
    <div className="words-senses">
      <h2>{chosen.word}</h2>
      {kinds.map((kind) => (
        <section key={kind} aria-label={kind}>
          <h3>{kind}</h3>
          <ol>
            {senses
              .filter((sense) => sense.kind === kind)
              .map((sense) => (
                <li key={sense.sense} data-chosen={sense === chosen}>
                  <SenseLine sense={sense} chosen={sense === chosen} />
                </li>
              ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function SenseLine({ sense, chosen }: { sense: Sense; chosen: boolean }) {
  return (
    <>
      <a href={addressOf(sense)} aria-current={chosen ? 'true' : undefined}>
        {sense.gloss}
      </a>
      {sense.words.length > 1 && (
        <span className="words-quiet"> Also: {sense.words.slice(1).join(', ')}.</span>
      )}
      {sense.frequency > 0 && (
        <span className="words-quiet"> Met {sense.frequency.toLocaleString('en')} times.</span>
      )}
      {chosen && sense.examples.map((example) => <q key={example}>{example}</q>)}
    </>
  )
}

/** What the chosen meaning is related to; each is a link that walks on. */
export function Relations({ near }: { near: Asked<Near> }) {
  return (
    <div className="words-relations">
      <h3>What it hangs together with</h3>
      {near.status === 'loading' && <p className="words-quiet">Please Wait...</p>}
      {near.status === 'error' && <Failure error={near.error} retry={near.retry} />}
      {near.status === 'ready' && near.data.groups.length === 0 && (
        <p className="words-quiet">WordNet relates this meaning to nothing.</p>
      )}
      {near.status === 'ready' && (
        <dl>
          {near.data.groups.map((group) => (
            <Members key={group.says} group={group} />
          ))}
        </dl>
      )}
    </div>
  )
}

function Members({ group: { says, members, more } }: { group: Group }) {
  return (
    <>
      <dt>
        {says}
        {more && <span className="words-quiet"> the first {members.length}</span>}
      </dt>
      <dd>
        <ul className="words-members">
          {members.map(({ id, sense, words, gloss }) => (
            <li key={`${id} ${sense}`}>
              <a href={addressOf({ word: words[0] ?? '', sense })} title={gloss}>
                {words.join(', ')}
              </a>
            </li>
          ))}
        </ul>
      </dd>
    </>
  )
}
