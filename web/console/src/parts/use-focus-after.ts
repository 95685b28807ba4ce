import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the ref of an element. When `isShown` becomes false and the control that had the focus is gone, the element gets the
 * focus or, with a selector, the first match in it.
 */
export function useFocusAfter<E extends HTMLElement>(
  isShown: boolean,
  selector?: string,
): RefObject<E | null> {
  const place = useRef<E>(null)
  const wasShown = useRef(false)
  useEffect(() => {
    if (wasShown.current && !isShown && document.activeElement === document.body) {
      const target = selector ? place.current?.querySelector<HTMLElement>(selector) : place.current
      target?.focus()
    }
    wasShown.current = isShown
  }, [isShown, selector])
  return place
}
