import { type RefObject, useEffect, useMemo, useState } from 'react'

/** The rows on the screen, and the positions of rows. */
export interface Viewport {
  /** Index of the first drawn row. */
  readonly first: number
  /** Index of the last drawn row; -1 without rows. */
  readonly last: number
  /**
   * The height of all rows in pixels, at most `maxHeight`. If the rows are higher than that, scrolling by one pixel moves by
   * more than one pixel of rows.
   */
  readonly height: number
  /** Returns the distance of a row from the top of the first row, in pixels. */
  readonly topOf: (index: number) => number
}

/** Maximum height of an element that all browsers draw, in pixels. */
const maxHeight = 15_000_000
/** Number of rows above and below the screen that are also drawn. */
const overscan = 6

/** Follows the scroll position of a grid and returns the rows on the screen. */
export function useViewport(
  ref: RefObject<HTMLDivElement | null>,
  total: number,
  rowHeight: number,
  headerHeight: number,
): Viewport {
  const [{ scrollTop, clientHeight }, setPlace] = useState({ scrollTop: 0, clientHeight: 720 })
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const isScaled = total * rowHeight > maxHeight
    const read = () => {
      const { clientHeight } = element
      // Without scaling, the drawing changes only when the first row changes.
      const scrollTop = isScaled
        ? element.scrollTop
        : Math.floor(element.scrollTop / rowHeight) * rowHeight
      setPlace((place) =>
        place.scrollTop === scrollTop && place.clientHeight === clientHeight
          ? place
          : { scrollTop, clientHeight },
      )
    }
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    element.addEventListener('scroll', read, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', read)
    }
  }, [ref, total, rowHeight])
  return useMemo(() => {
    const height = Math.min(total * rowHeight, maxHeight)
    const page = Math.max(0, clientHeight - headerHeight)
    const shown = Math.ceil(page / rowHeight)
    const scrollable = Math.max(1, height - page)
    const ratio = Math.min(1, Math.max(0, scrollTop / scrollable))
    const isScaled = total * rowHeight > maxHeight
    const start = isScaled
      ? Math.round(ratio * Math.max(0, total - shown))
      : Math.floor(scrollTop / rowHeight)
    const offset = isScaled ? scrollTop - start * rowHeight : 0
    return {
      first: Math.max(0, start - overscan),
      last: Math.min(total - 1, start + shown + overscan),
      height,
      topOf: (index: number) => offset + index * rowHeight,
    }
  }, [scrollTop, clientHeight, total, rowHeight, headerHeight])
}
