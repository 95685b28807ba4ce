import { useId } from 'react'
import { CommitInput } from '../parts/commit-input.tsx'

interface MemberFieldProps {
  readonly label: string
  readonly value: string | number | boolean | undefined
  /** Called with the new value; undefined if it is empty. A text field calls it when the field is left or Enter is pressed. */
  readonly set: (value: string | number | boolean | undefined) => void
  readonly kind:
    | 'text'
    | 'number'
    | 'flag'
    | { readonly choices: readonly (readonly [string, string])[] }
}

/** A field of a form that changes one member of the question. */
export function MemberField({ label, value, set, kind }: MemberFieldProps) {
  const id = useId()
  if (kind === 'flag')
    return (
      <label className="flag">
        <input
          type="checkbox"
          checked={value === true}
          onChange={(event) => set(event.currentTarget.checked || undefined)}
        />
        {label}
      </label>
    )
  if (typeof kind === 'object')
    return (
      <span className="field">
        <label htmlFor={id}>{label}</label>
        <select
          id={id}
          value={String(value ?? '')}
          onChange={(event) => set(event.currentTarget.value || undefined)}
        >
          {withCurrent(kind.choices, String(value ?? '')).map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      </span>
    )
  const commit = (text: string) => {
    const isNumber = kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))
    set(text === '' ? undefined : isNumber ? Number(text) : text)
  }
  return (
    <span className="field">
      <label htmlFor={id}>{label}</label>
      <CommitInput
        id={id}
        value={String(value ?? '')}
        inputMode={kind === 'number' ? 'numeric' : undefined}
        commit={commit}
      />
    </span>
  )
}

/** Returns choices that include the current value, even if the server would refuse it. */
const withCurrent = (
  choices: readonly (readonly [string, string])[],
  current: string,
): readonly (readonly [string, string])[] =>
  choices.some(([choice]) => choice.toLowerCase() === current.toLowerCase())
    ? choices.map(([choice, words]) =>
        choice.toLowerCase() === current.toLowerCase() ? [current, words] : [choice, words],
      )
    : [...choices, [current, current]]

/** A member of a node of the question, as a form shows it. */
export interface MemberEntry {
  readonly member: string
  readonly label: string
  readonly kind: MemberFieldProps['kind']
}

/** A form with some members of an object. */
export function MemberFields({
  object,
  entries,
  set,
}: {
  readonly object: { readonly [member: string]: unknown }
  readonly entries: readonly MemberEntry[]
  readonly set: (changes: {
    readonly [member: string]: string | number | boolean | undefined
  }) => void
}) {
  return (
    <div className="options">
      {entries.map(({ member, label, kind }) => (
        <MemberField
          key={member}
          label={label}
          kind={kind}
          value={object[member] as string | number | boolean | undefined}
          set={(value) =>
            set({
              [member]:
                kind === 'number' && typeof value !== 'number'
                  ? undefined
                  : kind === 'text' && value !== undefined
                    ? String(value)
                    : value,
            })
          }
        />
      ))}
    </div>
  )
}
