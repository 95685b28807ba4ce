import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { addressOf, lookUp } from './address.ts'
import { findWords } from './ask.ts'

type Suggested =
  | { readonly status: 'none' | 'failed' }
  | { readonly status: 'found'; readonly words: readonly string[] }

/** Finds words while one types. */
export function Search({ word }: { word: string }) {
  const [text, setText] = useState(word)
  const [anywhere, setAnywhere] = useState(false)
  const wanted = text.trim()
  const suggested = useSuggestions(wanted === word ? '' : wanted, anywhere)
  useEffect(() => setText(word), [word])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== '') lookUp({ word: wanted, sense: '' })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys only save some tabbing
    <div className="words-search" onKeyDown={steer}>
      <form onSubmit={submit}>
        <label htmlFor="words-text">Look up an English word</label>
        <input
          id="words-text"
          className="input"
          type="search"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          placeholder="dog"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" className="button">
          Look up
        </button>
        <label className="words-anywhere">
          <input
            type="checkbox"
            checked={anywhere}
            onChange={(event) => setAnywhere(event.currentTarget.checked)}
          />
          Anywhere in the word, not only at its beginning
        </label>
      </form>
      <p className="unseen" role="status">
        {suggested.status === 'found' && `${suggested.words.length} words`}
      </p>
      {suggested.status === 'failed' && <p className="words-quiet">The server does not answer.</p>}
      {suggested.status === 'found' && suggested.words.length === 0 && (
        <p className="words-quiet">
          No word {anywhere ? 'holds' : 'begins with'} “{wanted}”.
        </p>
      )}
      {suggested.status === 'found' && suggested.words.length > 0 && (
        <ul className="words-found" aria-label="Words">
          {suggested.words.map((found) => (
            <li key={found}>
              <a href={addressOf({ word: found, sense: '' })}>{found}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function useSuggestions(text: string, anywhere: boolean): Suggested {
  const [suggested, setSuggested] = useState<Suggested>({ status: 'none' })
  useEffect(() => {
    let current = true
    const say = (said: Suggested) => current && setSuggested(said)
    if (text === '') say({ status: 'none' })
    const timer = setTimeout(() => {
      if (text === '') return
      findWords(text, anywhere).then(
        (words) => say({ status: 'found', words }),
        () => say({ status: 'failed' }),
      )
    }, 180)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text, anywhere])
  return suggested
}

/** Down leads from the field into the words, up back to it, Escape too. */
function steer(event: KeyboardEvent<HTMLElement>): void {
  const stops = Array.from(
    event.currentTarget.querySelectorAll<HTMLElement>('input[type="search"], .words-found a'),
  )
  const at = stops.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Escape: at > 0 ? 0 : -1 }[event.key]
  if (at < 0 || to === undefined || stops[to] === undefined || to < 0) return
  event.preventDefault()
  stops[to].focus()
}
