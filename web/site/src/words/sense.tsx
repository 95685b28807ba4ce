import { ErrorMessage } from '../error-message.tsx'
import type { RequestState } from '../use-request.ts'
import { addressOf } from './address.ts'
import type { Group, RelatedMeanings, Sense } from './load-words.ts'

interface SensesProps {
  readonly senses: readonly Sense[]
  readonly chosen: Sense
}

/** The senses of a word, grouped by part of speech. */
export function Senses({ senses, chosen }: SensesProps) {
  const partsOfSpeech = [...new Set(senses.map(({ kind }) => kind))]
  return (
    <div className="words-senses">
      <h2>{chosen.word}</h2>
      {partsOfSpeech.map((part) => (
        <section key={part} aria-label={part}>
          <h3>{part}</h3>
          <ol>
            {senses
              .filter((sense) => sense.kind === part)
              .map((sense) => (
                <li key={sense.sense} data-chosen={sense === chosen}>
                  <SenseLine sense={sense} isChosen={sense === chosen} />
                </li>
              ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function SenseLine({ sense, isChosen }: { sense: Sense; isChosen: boolean }) {
  return (
    <>
      <a href={addressOf(sense)} aria-current={isChosen ? 'true' : undefined}>
        {sense.gloss}
      </a>
      {sense.words.length > 1 && (
        <span className="words-quiet"> Also: {sense.words.slice(1).join(', ')}.</span>
      )}
      {sense.frequency > 0 && (
        <span className="words-quiet"> Frequency: {sense.frequency.toLocaleString('en')}.</span>
      )}
      {isChosen && sense.examples.map((example) => <q key={example}>{example}</q>)}
    </>
  )
}

/** The meanings related to the chosen sense, as links. */
export function RelatedList({ related }: { related: RequestState<RelatedMeanings> }) {
  return (
    <div className="words-relations">
      <h3>Related meanings</h3>
      {related.status === 'loading' && <p className="words-quiet">Loading…</p>}
      {related.status === 'error' && <ErrorMessage error={related.error} retry={related.retry} />}
      {related.status === 'ready' && related.data.groups.length === 0 && (
        <p className="words-quiet">WordNet lists no related meanings.</p>
      )}
      {related.status === 'ready' && (
        <dl>
          {related.data.groups.map((group) => (
            <RelationGroup key={group.label} group={group} />
          ))}
        </dl>
      )}
    </div>
  )
}

function RelationGroup({ group: { label, members, isPartial } }: { group: Group }) {
  return (
    <>
      <dt>
        {label}
        {isPartial && <span className="words-quiet"> the first {members.length}</span>}
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
