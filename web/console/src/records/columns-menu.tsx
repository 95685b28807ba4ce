import { useState } from 'react'
import { useConsole } from '../model/console.tsx'
import { navigate } from '../model/router.ts'
import type { ConsoleType } from '../model/types.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import type { Column } from './columns.ts'
import { typeName } from './new-type.tsx'
import type { ViewState } from './view-state.ts'

interface ColumnsMenuProps {
  readonly type: ConsoleType
  readonly columns: readonly Column[]
  readonly all: readonly Column[]
  readonly view: ViewState
  readonly setView: (change: Partial<ViewState>) => void
}

/** Shows and hides columns, including columns of linked records, and adds a field. */
export function ColumnsMenu({ type, columns, all, setView }: ColumnsMenuProps) {
  const { announce } = useConsole()
  const [name, setName] = useState('')
  const shown = columns.map(({ key }) => key)
  const toggle = (key: string) =>
    setView({ columns: shown.includes(key) ? shown.filter((one) => one !== key) : [...shown, key] })
  const add = () => {
    const key = typeName(name)
    if (key === '') return
    setName('')
    announce(`Column ${name} added. Write into it to create the field.`)
    navigate(`/records/${type.name}?cols=${[...shown, key].join(',')}`)
  }
  return (
    <Menu
      className="button quiet desk"
      label={`Columns ${columns.length} of ${all.length}`}
      button={
        <>
          <span className="soft">Columns</span> {columns.length} of {all.length}
        </>
      }
    >
      {all.map(({ key, label }) => (
        <MenuItem key={key} run={() => toggle(key)} isChecked={shown.includes(key)}>
          {shown.includes(key) ? '✓ ' : ''}
          {label}
        </MenuItem>
      ))}
      <form
        className="menu-form"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <input
          className="input"
          aria-label="Name of a new field"
          placeholder="New field"
          maxLength={60}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="button quiet">
          Add
        </button>
      </form>
    </Menu>
  )
}
