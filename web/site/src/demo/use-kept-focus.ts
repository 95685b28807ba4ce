import { type RefObject, useEffect, useRef } from 'react'

/**
 * When what has the focus is taken away, gives the focus to the note that comes to stand in the same
 * place, to the last note, or to the input. The function returned says at which place to look instead.
 */
export function useKeptFocus(section: RefObject<HTMLElement | null>): (place: number) => void {
  const place = useRef(0)
  useEffect(() => {
    const root = section.current
    if (root === null) return
    let focused: Element | undefined
    let byKey = false
    let frame = 0
    const items = () => Array.from(root.querySelectorAll('li'))
    const remember = ({ target }: FocusEvent) => {
      focused = target as Element
      byKey = focused.matches(':focus-visible')
      const item = focused.closest('li')
      if (item !== null) place.current = items().indexOf(item)
    }
    const recover = () => {
      if (focused?.isConnected !== false || document.activeElement !== document.body) return
      const next = items().at(place.current) ?? items().at(-1)
      const target = next?.querySelector('button') ?? root.querySelector('input')
      target?.focus({ preventScroll: !byKey }) // who uses a mouse may be reading elsewhere
    }
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(recover) // what comes instead may be a moment late
    })
    observer.observe(root, { childList: true, subtree: true })
    root.addEventListener('focusin', remember)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      root.removeEventListener('focusin', remember)
    }
  }, [section])
  return (at) => {
    place.current = at
  }
}
