import { type FormEvent, useId, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { Menu } from '../parts/menu.tsx'
import type { Column } from './columns.ts'
import { conditionText, needsValue, opWords } from './condition-text.ts'
import type { Condition, ConditionOp } from './view-state.ts'

interface FilterMenuProps {
  readonly columns: readonly Column[]
  /** The condition to change; undefined adds one. */
  readonly condition?: Condition
  readonly set: (condition: Condition) => void
}

/** A button that opens the form of a condition: column, comparison, value. */
export function FilterMenu({ columns, condition, set }: FilterMenuProps) {
  const words = condition && conditionText(columns, condition)
  return (
    <Menu
      className={condition ? 'chip-text' : 'button bare'}
      label={words === undefined ? 'Add a filter' : `Change the filter ${words}`}
      button={
        words ?? (
          <>
            <Icon name="plus" /> Filter
          </>
        )
      }
    >
      <FilterForm
        columns={columns}
        condition={condition ?? { column: columns[0]?.key ?? '', op: 'is', value: '' }}
        set={set}
      />
    </Menu>
  )
}

function FilterForm({ columns, condition, set }: Required<FilterMenuProps>) {
  const [draft, setDraft] = useState(condition)
  const listId = useId()
  const column = columns.find(({ key }) => key === draft.column)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
    set(draft)
  }
  return (
    <form className="menu-form stack" onSubmit={submit}>
      <label className="field">
        <span>Column</span>
        <select
          value={draft.column}
          onChange={(event) => setDraft({ ...draft, column: event.target.value })}
        >
          {columns.map(({ key, label }) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Comparison</span>
        <select
          value={draft.op}
          onChange={(event) => setDraft({ ...draft, op: event.target.value as ConditionOp })}
        >
          {Object.entries(opWords).map(([op, words]) => (
            <option key={op} value={op}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {needsValue(draft.op) && (
        <label className="field">
          <span>Value</span>
          <input
            list={listId}
            type={column?.kind === 'date' ? 'date' : 'text'}
            value={draft.value}
            onChange={(event) => setDraft({ ...draft, value: event.target.value })}
          />
          <datalist id={listId}>
            {(column?.choices ?? []).map((choice) => (
              <option key={choice} value={choice} />
            ))}
          </datalist>
        </label>
      )}
      <button type="submit" className="button">
        Apply
      </button>
    </form>
  )
}
