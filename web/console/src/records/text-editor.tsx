import { type KeyboardEvent, useRef, useState } from 'react'
import { nameOf } from '../model/keys.ts'
import type { Column } from './columns.ts'

/** The cell that becomes active after an editor has saved. */
export type After = 'down' | 'right' | 'left' | 'stay'

interface TextEditorProps {
  readonly column: Column
  /** The text with which the editor opens. */
  readonly start: string
  /** Saves a text, with `toRange` into the whole selection. Resolves with the reason if it is not valid, otherwise undefined. */
  readonly save: (text: string, after: After, toRange: boolean) => Promise<string | undefined>
  readonly cancel: () => void
}

/** Edits a text, number, date or choice. If the typed text is not valid in the column, the editor stays open and keeps it. */
export function TextEditor({ column, start, save: write, cancel }: TextEditorProps) {
  const [text, setText] = useState(start)
  const [problem, setProblem] = useState<string>()
  const isDone = useRef(false)
  const save = async (after: After, toRange = false) => {
    if (isDone.current) return
    isDone.current = true
    const refused = await write(text, after, toRange)
    if (refused !== undefined) isDone.current = false
    setProblem(refused)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const after = keyAfter(event, column)
    if (after === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (after === 'cancel') {
      isDone.current = true
      cancel()
    } else void save(after === 'range' ? 'stay' : after, after === 'range')
  }
  const shared = {
    className: 'editor',
    value: text,
    'aria-label': column.label,
    'aria-invalid': problem !== undefined,
    title: problem,
    autoFocus: true,
    onKeyDown,
    onBlur: () => void save('stay'),
  }
  return (
    <>
      <Field {...{ column, shared, setText }} />
      {problem !== undefined && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  )
}

interface FieldProps {
  readonly column: Column
  readonly shared: object
  readonly setText: (text: string) => void
}

function Field({ column, shared, setText }: FieldProps) {
  const onChange = (event: { target: { value: string } }) => setText(event.target.value)
  const choices = choicesOf(column)
  if (choices !== undefined)
    return (
      <select {...shared} onChange={onChange}>
        {!column.isRequired && <option value="">no value</option>}
        {choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    )
  if (column.kind === 'longText') return <textarea {...shared} onChange={onChange} rows={6} />
  const type = column.kind === 'date' ? 'date' : 'text'
  const inputMode = column.kind === 'number' ? 'decimal' : undefined
  return <input {...shared} type={type} inputMode={inputMode} onChange={onChange} />
}

function choicesOf({ kind, choices }: Column): readonly (readonly [string, string])[] | undefined {
  if (kind === 'boolean')
    return [
      ['true', 'yes'],
      ['false', 'no'],
    ]
  return kind === 'choice' && choices.length > 0 ? choices.map((one) => [one, one]) : undefined
}

/** Reports whether a typed key replaces the text. Editors of choices and dates open with the current value. */
export const takesTyping = (column: Column): boolean =>
  column.kind !== 'date' && choicesOf(column) === undefined

function keyAfter(event: KeyboardEvent, column: Column): After | 'cancel' | 'range' | undefined {
  switch (nameOf(event.nativeEvent)) {
    case 'escape':
      return 'cancel'
    case 'mod+enter':
      return 'range'
    case 'enter':
      return 'down'
    case 'shift+enter':
      return column.kind === 'longText' ? undefined : 'down'
    case 'tab':
      return 'right'
    case 'shift+tab':
      return 'left'
    default:
      return undefined
  }
}
