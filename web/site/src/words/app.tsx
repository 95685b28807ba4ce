import { lazy, Suspense, useEffect, useState } from 'react'
import { ErrorMessage } from '../error-message.tsx'
import { type RequestState, useRequest } from '../use-request.ts'
import { addressOf, type LookUp, useLookUp } from './address.ts'
import {
  countWords,
  loadRelated,
  loadSenses,
  type RelatedMeanings,
  type Sense,
} from './load-words.ts'
import { Search } from './search.tsx'
import { RelatedList, Senses } from './sense.tsx'
import './words.css'

const RelatedGraph = lazy(() =>
  import('./related-graph.tsx').then(({ RelatedGraph }) => ({ default: RelatedGraph })),
)

/** Browses the WordNet data in the store of this server. The address names the word and its sense. */
export function WordsBrowser() {
  const current = useLookUp()
  const wordCount = useRequest('words', countWords)
  const history = useState<readonly LookUp[]>([])
  if (wordCount.status === 'ready' && wordCount.data === 0) return <NoWords />
  return (
    <section className="words" aria-label="WordNet browser">
      <Search word={current.word} />
      {current.word === '' ? (
        <Start wordCount={wordCount} />
      ) : (
        <Word current={current} history={history} />
      )}
    </section>
  )
}

function NoWords() {
  return (
    <section className="words words-none" aria-label="WordNet browser">
      <h2>This server has no words yet</h2>
      <p>
        The operator can import them: <code>make wordnet</code> installs WordNet 3.0 from Debian and
        imports all of it, and <code>weft import wordnet</code> imports a directory of WordNet
        database files. An empty server that is started with <code>--sample-words</code> imports a
        sample.
      </p>
    </section>
  )
}

function Start({ wordCount }: { wordCount: RequestState<number> }) {
  if (wordCount.status === 'error')
    return <ErrorMessage error={wordCount.error} retry={wordCount.retry} />
  const count = wordCount.status === 'ready' ? wordCount.data.toLocaleString('en') : ''
  return (
    <>
      <p className="words-quiet">{count === '' ? 'Loading…' : `There are ${count} words.`}</p>
      <WordOfTheDay />
      <ul className="words-members" aria-label="Suggestions">
        {suggestedWords.map((word) => (
          <li key={word}>
            <a href={addressOf({ word, sense: '' })}>{word}</a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Words that both the sample and the full WordNet contain. */
const suggestedWords = ['weave', 'dog', 'thread', 'happy', 'run', 'cloth', 'bank', 'knot', 'light']

const dayMs = 86_400_000

/** One of the suggested words, a different one each day, with its first senses. */
function WordOfTheDay() {
  const word = suggestedWords[Math.floor(Date.now() / dayMs) % suggestedWords.length] ?? ''
  const senses = useRequest(word, () => loadSenses(word))
  if (senses.status === 'loading') return <div className="words-today" />
  if (senses.status === 'error' || senses.data.length === 0) return null
  return (
    <section className="words-today" aria-labelledby="words-today">
      <h2 id="words-today">
        Word of the day: <a href={addressOf({ word, sense: '' })}>{word}</a>
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

/** The words looked up since the page was opened, oldest first, and their setter. */
type HistoryState = readonly [
  readonly LookUp[],
  (update: (before: readonly LookUp[]) => readonly LookUp[]) => void,
]

function Word({ current, history }: { current: LookUp; history: HistoryState }) {
  const senses = useRequest(current.word, () => loadSenses(current.word))
  if (senses.status === 'loading') return <p className="words-quiet">Loading…</p>
  if (senses.status === 'error') return <ErrorMessage error={senses.error} retry={senses.retry} />
  const chosen = senses.data.find(({ sense }) => sense === current.sense) ?? senses.data[0]
  if (chosen === undefined)
    return <p className="words-quiet">The word “{current.word}” was not found.</p>
  return (
    <>
      <RecentWords word={current.word} sense={chosen.sense} history={history} />
      <Senses senses={senses.data} chosen={chosen} />
      <Related chosen={chosen} />
    </>
  )
}

function Related({ chosen }: { chosen: Sense }) {
  const related = useRequest(`related ${chosen.id}`, () => loadRelated(chosen.id))
  const shown: RelatedMeanings = related.status === 'ready' ? related.data : { groups: [] }
  return (
    <div className="halves">
      <RelatedList related={related} />
      <Suspense fallback={<p className="words-quiet">Loading…</p>}>
        <RelatedGraph key={chosen.id} chosen={chosen} related={shown} />
      </Suspense>
    </div>
  )
}

interface RecentWordsProps extends LookUp {
  readonly history: HistoryState
}

const maxRecentWords = 8

/** Links to the words looked up before. Going back to a word removes the words after it. */
function RecentWords({ word, sense, history: [steps, setSteps] }: RecentWordsProps) {
  useEffect(() => {
    setSteps((before) => {
      const known = before.findIndex((step) => step.sense === sense)
      const earlier = known < 0 ? before : before.slice(0, known)
      return [...earlier, { word, sense }].slice(-maxRecentWords)
    })
  }, [word, sense, setSteps])
  if (steps.length < 2) return null
  return (
    <nav aria-label="Recent words">
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
