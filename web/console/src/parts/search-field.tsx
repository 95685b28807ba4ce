import { useEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../model/console.tsx'
import { setParams } from '../model/router.ts'

/** Time after the last keystroke until a search starts, in milliseconds. */
const typingMs = 250

/** A search field whose text is the parameter `q` of the address. The key / moves the focus to it. */
export function SearchField({ label, text }: { label: string; text: string }) {
  const [typed, setTyped] = useState(text)
  const field = useRef<HTMLInputElement>(null)
  const shown = useRef(text) // the text that was last read from the address or written to it
  if (shown.current !== text) {
    shown.current = text
    if (typed !== text) setTyped(text)
  }
  useEffect(() => {
    if (typed === shown.current) return
    const timer = setTimeout(() => {
      shown.current = typed
      setParams({ q: typed, after: undefined })
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  useKeys(useMemo(() => [{ keys: '/', label, run: () => field.current?.focus() }], [label]))
  return (
    <input
      ref={field}
      className="input search"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
