import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react'
import { addressOf, lookUp } from './address.ts'
import { findWords } from './load-words.ts'

type Suggestions =
  | { readonly status: 'none' | 'failed' }
  | { readonly status: 'found'; readonly words: readonly string[] }

/** The search field, with suggestions while the reader types. */
export function Search({ word }: { word: string }) {
  const [text, setText] = useState(word)
  const [anywhere, setAnywhere] = useState(false)
  const wanted = text.trim()
  const suggestions = useSuggestions(wanted === word ? '' : wanted, anywhere)
  useEffect(() => setText(word), [word])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wanted !== '') lookUp({ word: wanted, sense: '' })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys only save some tabbing
    <div className="words-search" onKeyDown={moveFocus}>
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
          Match anywhere in the word
        </label>
      </form>
      <SuggestionList suggestions={suggestions} wanted={wanted} anywhere={anywhere} />
    </div>
  )
}

interface SuggestionListProps {
  readonly suggestions: Suggestions
  readonly wanted: string
  readonly anywhere: boolean
}

function SuggestionList({ suggestions, wanted, anywhere }: SuggestionListProps) {
  const words = suggestions.status === 'found' ? suggestions.words : undefined
  return (
    <>
      <p className="unseen" role="status">
        {words && `${words.length} words`}
      </p>
      {suggestions.status === 'failed' && (
        <p className="words-quiet">The server cannot be reached.</p>
      )}
      {words?.length === 0 && (
        <p className="words-quiet">
          No word {anywhere ? 'contains' : 'starts with'} “{wanted}”.
        </p>
      )}
      {words && words.length > 0 && (
        <ul className="words-found" aria-label="Words">
          {words.map((word) => (
            <li key={word}>
              <a href={addressOf({ word, sense: '' })}>{word}</a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The delay between the last key press and the search. */
const searchDelayMs = 180

function useSuggestions(text: string, anywhere: boolean): Suggestions {
  const [suggestions, setSuggestions] = useState<Suggestions>({ status: 'none' })
  useEffect(() => {
    let isCurrent = true
    const update = (next: Suggestions) => isCurrent && setSuggestions(next)
    if (text === '') update({ status: 'none' })
    const timer = setTimeout(() => {
      if (text === '') return
      findWords(text, anywhere).then(
        (words) => update({ status: 'found', words }),
        () => update({ status: 'failed' }),
      )
    }, searchDelayMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, anywhere])
  return suggestions
}

/** Moves the focus between the field and the suggestions: arrow keys step, Escape returns to the field. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const stops = Array.from(
    event.currentTarget.querySelectorAll<HTMLElement>('input[type="search"], .words-found a'),
  )
  const current = stops.indexOf(document.activeElement as HTMLElement)
  const targets: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    Escape: current > 0 ? 0 : -1,
  }
  const target = stops[targets[event.key] ?? -1]
  if (current < 0 || target === undefined) return
  event.preventDefault()
  target.focus()
}
