import { useState } from 'react'

/** Nested data as a tree that opens and closes. The first levels are open. */
export function Tree({ value, level = 0 }: { value: unknown; level?: number }) {
  const [shown, setShown] = useState(page)
  if (typeof value !== 'object' || value === null)
    return <span className="schema-value">{String(value)}</span>
  const entries = Object.entries(value)
  return (
    <ul className="schema-tree">
      {entries.slice(0, shown).map(([name, inside]) => (
        <li key={name}>
          <Branch name={name} value={inside} level={level} />
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" className="plain" onClick={() => setShown(shown + page)}>
            Show more ({entries.length - shown} left)
          </button>
        </li>
      )}
    </ul>
  )
}

const page = 100

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
