import { type InputHTMLAttributes, useState } from 'react'

interface CommitInputProps
  extends Omit<
    InputHTMLAttributes<HTMLInputElement>,
    'value' | 'onChange' | 'onBlur' | 'onKeyDown'
  > {
  readonly value: string
  /** Called with the new text, if it differs from `value`, when the field loses focus or Enter is pressed. */
  readonly commit: (text: string) => void
}

/** A text field whose change is committed when the field loses focus or Enter is pressed. Escape restores the text. */
export function CommitInput({ value, commit, ...rest }: CommitInputProps) {
  const [draft, setDraft] = useState<string>()
  const commitDraft = () => {
    setDraft(undefined)
    if (draft !== undefined && draft !== value) commit(draft)
  }
  return (
    <input
      {...rest}
      value={draft ?? value}
      autoComplete="off"
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commitDraft}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commitDraft()
        if (event.key === 'Escape') setDraft(undefined)
      }}
    />
  )
}
