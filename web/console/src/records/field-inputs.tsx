import type { FieldsInput } from '@weft/client'
import { useState } from 'react'
import type { Column } from './columns.ts'
import { fieldsOf } from './paste.ts'

/** The state of a form that has a field for each column. */
export interface FormFields {
  readonly texts: Readonly<Record<string, string>>
  readonly set: (key: string, text: string) => void
  /** Returns the fields for the record. Throws `Misfit` if a text is not valid in its column. */
  readonly read: () => FieldsInput
}

/** Returns the state of a form for the given columns, initially empty. */
export function useFields(columns: readonly Column[]): FormFields {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  return {
    texts,
    set: (key, text) => setTexts((known) => ({ ...known, [key]: text })),
    read: () => fieldsOf(columns, (i) => texts[columns[i]?.key ?? ''] ?? ''),
  }
}

/** A labelled field for each column. */
export function FieldInputs({
  columns,
  fields,
}: {
  columns: readonly Column[]
  fields: FormFields
}) {
  return columns.map((column) => (
    // biome-ignore lint/a11y/noLabelWithoutControl: OneInput renders the control
    <label key={column.key} className="field">
      <span>{column.label}</span>
      <OneInput
        column={column}
        text={fields.texts[column.key] ?? ''}
        change={(text) => fields.set(column.key, text)}
      />
    </label>
  ))
}

interface OneInputProps {
  readonly column: Column
  readonly text: string
  readonly change: (text: string) => void
}

function OneInput({ column, text, change }: OneInputProps) {
  const { kind, choices, isRequired } = column
  const onChange = (event: { target: { value: string } }) => change(event.target.value)
  if (kind === 'boolean' || (kind === 'choice' && choices.length > 0))
    return (
      <select value={text} onChange={onChange} required={isRequired}>
        <option value="">no value</option>
        {kind === 'boolean' && <option value="true">yes</option>}
        {kind === 'boolean' && <option value="false">no</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  if (kind === 'longText') return <textarea rows={3} value={text} onChange={onChange} />
  return (
    <input
      type={kind === 'date' ? 'date' : 'text'}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      value={text}
      required={isRequired}
      onChange={onChange}
    />
  )
}
