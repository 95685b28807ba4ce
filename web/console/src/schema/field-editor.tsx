import { useId } from 'react'
import type { DeclaredField } from '../model/types.ts'
import { CommitInput } from '../parts/commit-input.tsx'
import { flags, kinds, rulesOf, ruleText, withKind, withRule } from './rows.ts'

interface FieldEditorProps {
  readonly name: string
  readonly field: DeclaredField
  readonly set: (field: DeclaredField) => void
}

/** The kind and the rules of a declared field. */
export function FieldEditor({ name, field, set }: FieldEditorProps) {
  const id = useId()
  const rules = rulesOf(field.kind)
  return (
    <div className="rules">
      <select
        aria-label={`Kind of ${name}`}
        value={field.kind}
        onChange={(event) => set(withKind(field, event.currentTarget.value))}
      >
        {kinds.map((kind) => (
          <option key={kind}>{kind}</option>
        ))}
      </select>
      {rules
        .filter((rule) => flags.includes(rule))
        .map((rule) => (
          <label key={rule} className="flag">
            <input
              type="checkbox"
              checked={field[rule] === true}
              onChange={(event) => set(withRule(field, rule, event.currentTarget.checked))}
            />
            {rule}
          </label>
        ))}
      {rules
        .filter((rule) => !flags.includes(rule))
        .map((rule) => (
          <span key={rule} className="rule">
            <label htmlFor={id + rule}>{rule}</label>
            <CommitInput
              id={id + rule}
              value={ruleText(field, rule)}
              commit={(text) => set(withRule(field, rule, text))}
            />
          </span>
        ))}
    </div>
  )
}
