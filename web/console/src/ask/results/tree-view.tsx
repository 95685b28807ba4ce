import { useState } from 'react'

/** Number of entries of one object that are shown initially, and added by each press of the button. */
const pageSize = 100
/** Maximum length of a string that is shown whole. */
const maxTextLength = 2_000

/** Nested data that can be folded, with the first levels open. */
export function TreeView({ value, level = 0 }: { value: unknown; level?: number }) {
  const [shown, setShown] = useState(pageSize)
  if (typeof value !== 'object' || value === null) return <Leaf text={String(value)} />
  const entries = Object.entries(value)
  return (
    <ul className="tree">
      {entries.slice(0, shown).map(([name, child]) => (
        <li key={name}>
          <Branch name={name} value={child} level={level} />
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" className="button bare" onClick={() => setShown(shown + pageSize)}>
            Show more ({entries.length - shown} left)
          </button>
        </li>
      )}
    </ul>
  )
}

function Leaf({ text }: { text: string }) {
  return <b>{text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text}</b>
}

function Branch({ name, value, level }: { name: string; value: unknown; level: number }) {
  const [open, setOpen] = useState(level < 3)
  if (typeof value !== 'object' || value === null)
    return (
      <>
        <span className="soft">{name}</span> <TreeView value={value} />
      </>
    )
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{name}</summary>
      {open && <TreeView value={value} level={level + 1} />}
    </details>
  )
}
