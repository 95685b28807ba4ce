import { lazy, Suspense, useEffect, useState } from 'react'
import { Failure } from '../failure.tsx'
import { type Asked, useAsked } from '../use-asked.ts'
import { addressOf, type LookUp, useLookUp } from './address.ts'
import { countWords, type Near, type Sense, sensesOf } from './ask.ts'
import { Search } from './search.tsx'
import { Relations, Senses } from './sense.tsx'
import { useNear } from './use-near.ts'
import './words.css'

const NearGraph = lazy(() =>
  import('./near-graph.tsx').then(({ NearGraph }) => ({ default: NearGraph })),
)

/** Walks through WordNet as it lies in the store of this server. */
export function WordsBrowser() {
  const at = useLookUp()
  const words = useAsked('words', countWords)
  const trail = useState<readonly LookUp[]>([])
  if (words.status === 'ready' && words.data === 0) return <NoWords />
  return (
    <section className="words" aria-label="Browse the words">
      <Search word={at.word} />
      {at.word === '' ? <Start words={words} /> : <Word at={at} trail={trail} />}
    </section>
  )
}

function NoWords() {
  return (
    <section className="words words-none" aria-label="Browse the words">
      <h2>This server has no words yet</h2>
      <p>
        Who runs it brings them in with <code>make wordnet</code>, which installs WordNet 3.0 from
        Debian and imports all of it, or with <code>weft import wordnet</code> and a directory of
        WordNet’s database files. Started with <code>--sample-words</code>, a server without words
        begins with a few.
      </p>
    </section>
  )
}

function Start({ words }: { words: Asked<number> }) {
  if (words.status === 'error') return <Failure error={words.error} retry={words.retry} />
  const many = words.status === 'ready' ? words.data.toLocaleString('en') : ''
  return (
    <>
      <p className="words-quiet">{many === '' ? 'Please Wait...' : `There are ${many} words.`}</p>
      <Today />
      <ul className="words-members" aria-label="To begin with">
        {beginnings.map((word) => (
          <li key={word}>
            <a href={addressOf({ word, sense: '' })}>{word}</a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Words that the sample has as well. */
const beginnings = ['weave', 'dog', 'thread', 'happy', 'run', 'cloth', 'bank', 'knot', 'light']

/** One of the words to begin with, another each day, and what it means. */
function Today() {
  const word = beginnings[Math.floor(Date.now() / 86_400_000) % beginnings.length] ?? ''
  const senses = useAsked(word, () => sensesOf(word))
  if (senses.status === 'loading') return <div className="words-today" />
  if (senses.status === 'error' || senses.data.length === 0) return null
  return (
    <section className="words-today" aria-labelledby="words-today">
      <h2 id="words-today">
        Today’s word: <a href={addressOf({ word, sense: '' })}>{word}</a>
      </h2>
      <ol>
        {senses.data.slice(0, 3).map((sense) => (
          <li key={sense.sense}>
            <a href={addressOf(sense)}>{sense.gloss}</a>{' '}
            <span className="words-quiet">{sense.kind}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The words that were walked through since the page was opened, oldest first. */
type TrailState = readonly [
  readonly LookUp[],
  (next: (before: readonly LookUp[]) => readonly LookUp[]) => void,
]

function Word({ at, trail }: { at: LookUp; trail: TrailState }) {
  const senses = useAsked(at.word, () => sensesOf(at.word))
  if (senses.status === 'loading') return <p className="words-quiet">Please Wait...</p>
  if (senses.status === 'error') return <Failure error={senses.error} retry={senses.retry} />
  const chosen = senses.data.find(({ sense }) => sense === at.sense) ?? senses.data[0]
  if (chosen === undefined)
    return <p className="words-quiet">No word here is spelled “{at.word}”.</p>
  return (
    <>
      <Trail at={at} chosen={chosen} trail={trail} />
      <Senses senses={senses.data} chosen={chosen} />
      <Around chosen={chosen} />
    </>
  )
}

function Around({ chosen }: { chosen: Sense }) {
  const near = useNear(chosen.id)
  const data: Near = near.status === 'ready' ? near.data : { groups: [] }
  return (
    <div className="halves">
      <Relations near={near} />
      <Suspense fallback={<p className="words-quiet">Please Wait...</p>}>
        <NearGraph key={chosen.id} chosen={chosen} near={data} />
      </Suspense>
    </div>
  )
}

interface TrailProps {
  readonly at: LookUp
  readonly chosen: Sense
  readonly trail: TrailState
}

/** Each word that was walked through is a way back. */
function Trail({ at, chosen, trail: [steps, setSteps] }: TrailProps) {
  const { word } = at
  const { sense } = chosen
  useEffect(() => {
    setSteps((before) => {
      const known = before.findIndex((step) => step.sense === sense)
      const kept = known < 0 ? before : before.slice(0, known)
      return [...kept, { word, sense }].slice(-8)
    })
  }, [word, sense, setSteps])
  if (steps.length < 2) return null
  return (
    <nav aria-label="Where you came from">
      <ol className="words-trail">
        {steps.map((step) => (
          <li key={step.sense}>
            <a href={addressOf(step)} aria-current={step.sense === sense ? 'page' : undefined}>
              {step.word}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
