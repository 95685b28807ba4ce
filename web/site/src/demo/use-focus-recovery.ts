import { type RefObject, useEffect, useRef } from 'react'

/**
 * Moves the focus when the focused element is removed: to the note that is now at the same index, else to the last
 * note, else to the input. The returned function overrides the index for the next move.
 */
export function useFocusRecovery(section: RefObject<HTMLElement | null>): (index: number) => void {
  const index = useRef(0)
  useEffect(() => {
    const root = section.current
    if (root === null) return
    let focused: Element | undefined
    let focusedByKeyboard = false
    let frame = 0
    const items = () => Array.from(root.querySelectorAll('li'))
    const recordFocus = ({ target }: FocusEvent) => {
      focused = target as Element
      focusedByKeyboard = focused.matches(':focus-visible')
      const item = focused.closest('li')
      if (item !== null) index.current = items().indexOf(item)
    }
    const recoverFocus = () => {
      if (focused?.isConnected !== false || document.activeElement !== document.body) return
      const item = items().at(index.current) ?? items().at(-1)
      const target = item?.querySelector('button') ?? root.querySelector('input')
      target?.focus({ preventScroll: !focusedByKeyboard }) // mouse users may be reading elsewhere
    }
    const observer = new MutationObserver(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(recoverFocus) // the replacement may be added in a later mutation
    })
    observer.observe(root, { childList: true, subtree: true })
    root.addEventListener('focusin', recordFocus)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      root.removeEventListener('focusin', recordFocus)
    }
  }, [section])
  return (newIndex) => {
    index.current = newIndex
  }
}
