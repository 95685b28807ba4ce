import type { Pages } from '@weft/react/page'
import { useEffect, useState } from 'react'
import { internal } from './internal-link.ts'
import { slugOf } from './place.ts'

/**
 * Loads the pages that links lead to before they are followed: at once when a reader points at a link,
 * and in idle moments what is in sight. The second waits for a sign of life, since who leaves without one
 * needs neither the pages nor the code that cleans them, and readers who save data are spared it.
 */
export function usePrefetch(pages: Pages, shown: string): void {
  useEffect(() => {
    const point = (event: Event) => {
      const target = event.target instanceof Element ? event.target : null
      fetchAhead(pages, target?.closest('a[href]') ?? null)
    }
    document.addEventListener('pointerover', point, { passive: true })
    document.addEventListener('focusin', point)
    return () => {
      document.removeEventListener('pointerover', point)
      document.removeEventListener('focusin', point)
    }
  }, [pages])

  const [first] = useState(shown)
  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } }
    if (connection?.saveData) return
    const observer = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) {
        if (!isIntersecting) continue
        observer.unobserve(target)
        idle(() => fetchAhead(pages, target))
      }
    })
    let timer: ReturnType<typeof setTimeout> | undefined
    const begin = () => {
      for (const sign of signs) window.removeEventListener(sign, begin)
      timer = setTimeout(() => {
        for (const link of document.querySelectorAll('a[href]')) observer.observe(link)
      }, calm)
    }
    if (shown !== first) begin()
    else for (const sign of signs) window.addEventListener(sign, begin, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const sign of signs) window.removeEventListener(sign, begin)
      observer.disconnect()
    }
  }, [pages, shown, first])
}

/** What readers do before they follow a link. */
const signs = ['pointermove', 'pointerdown', 'keydown', 'scroll'] as const

/** How long after that, in milliseconds, the next pages are thought of. */
const calm = 300

function fetchAhead(pages: Pages, link: Element | null): void {
  const url = internal(link)
  if (url !== undefined && url.pathname !== location.pathname) void pages.load(slugOf(url.pathname))
}

/** Not every browser knows when it is idle. */
const idle = (work: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 50)
