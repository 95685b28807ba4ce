import { useState } from 'react'

/** Shows nested data as a collapsible tree, with the first three levels open. */
export function Tree({ value, level = 0 }: { value: unknown; level?: number }) {
  const [shown, setShown] = useState(pageSize)
  if (typeof value !== 'object' || value === null)
    return <span className="schema-value">{String(value)}</span>
  const entries = Object.entries(value)
  return (
    <ul className="schema-tree">
      {entries.slice(0, shown).map(([name, child]) => (
        <li key={name}>
          <Branch name={name} value={child} level={level} />
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" className="plain" onClick={() => setShown(shown + pageSize)}>
            Show more ({entries.length - shown} left)
          </button>
        </li>
      )}
    </ul>
  )
}

/** Number of entries of one object that are shown initially, and added by each press of the button. */
const pageSize = 100

function Branch({ name, value, level }: { name: string; value: unknown; level: number }) {
  const [open, setOpen] = useState(level < 3)
  if (typeof value !== 'object' || value === null)
    return (
      <>
        <span className="schema-name">{name}</span> <Tree value={value} />
      </>
    )
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="schema-name">{name}</summary>
      {open && <Tree value={value} level={level + 1} />}
    </details>
  )
}
