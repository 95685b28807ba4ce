import type { KeyboardEvent } from 'react'
import type { Column } from './columns.ts'

/** Which text to keep: the typed one (`mine`), or the one that another user stored in the meantime (`theirs`). */
export type Keep = 'mine' | 'theirs'

/** Returns the sentence about a text that changed while the user typed another one. */
export const changedMeanwhile = ({ label }: Column): string =>
  `${label} was changed while you were typing.`

/** Reports whether the stored text has changed since editing began, and differs from the typed text. */
export const isChangedMeanwhile = (text: {
  readonly began: string
  readonly now: string
  readonly typed: string
}): boolean => text.now !== text.began && text.typed !== text.began && text.typed !== text.now

interface ChooseTextProps {
  readonly column: Column
  readonly mine: string
  readonly theirs: string
  readonly settle: (keep: Keep) => void
}

/** Asks which text to keep after two users changed one cell. Escape keeps the stored text. */
export function ChooseText({ column, mine, theirs, settle }: ChooseTextProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Escape') settle('theirs')
  }
  return (
    <>
      <span className="cut">{mine}</span>
      <span
        className="problem choose-text"
        role="alertdialog"
        aria-label={changedMeanwhile(column)}
        onKeyDown={onKeyDown}
      >
        <span>
          {changedMeanwhile(column)} It is now {theirs === '' ? 'empty' : `“${shown(theirs)}”`}.
        </span>
        <button
          type="button"
          className="button quiet"
          // biome-ignore lint/a11y/noAutofocus: the choice replaces the editor, which had the focus
          autoFocus
          onClick={() => settle('mine')}
        >
          Keep mine
        </button>
        <button type="button" className="button quiet" onClick={() => settle('theirs')}>
          Keep theirs
        </button>
      </span>
    </>
  )
}

const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
