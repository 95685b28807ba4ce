import type { Pages } from '@weft/react/page'
import { useEffect, useState } from 'react'
import { internalUrl } from './internal-url.ts'
import { slugOf } from './navigation.ts'

/**
 * Loads linked pages before the reader follows a link: immediately when a link is pointed at or focused, and in idle time
 * for all visible links. The prefetch of visible links starts after the first interaction, because readers who leave
 * immediately need neither these pages nor the code that sanitises them. In data-saving mode visible links are skipped.
 */
export function usePrefetch(pages: Pages, slug: string): void {
  usePrefetchOnPoint(pages)
  const [firstSlug] = useState(slug)
  useEffect(() => {
    const { connection } = navigator as { connection?: { saveData?: boolean } }
    if (connection?.saveData) return
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        observer.unobserve(target)
        whenIdle(() => prefetch(pages, target))
      }
    })
    let timer: ReturnType<typeof setTimeout> | undefined
    const observeLinks = () => {
      for (const event of interactionEvents) window.removeEventListener(event, observeLinks)
      timer = setTimeout(() => {
        for (const link of document.querySelectorAll('a[href]')) observer.observe(link)
      }, prefetchDelayMs)
    }
    if (slug !== firstSlug) observeLinks()
    else
      for (const event of interactionEvents)
        window.addEventListener(event, observeLinks, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const event of interactionEvents) window.removeEventListener(event, observeLinks)
      observer.disconnect()
    }
  }, [pages, slug, firstSlug])
}

function usePrefetchOnPoint(pages: Pages): void {
  useEffect(() => {
    const prefetchTarget = ({ target }: Event) => {
      prefetch(pages, target instanceof Element ? target.closest('a[href]') : null)
    }
    document.addEventListener('pointerover', prefetchTarget, { passive: true })
    document.addEventListener('focusin', prefetchTarget)
    return () => {
      document.removeEventListener('pointerover', prefetchTarget)
      document.removeEventListener('focusin', prefetchTarget)
    }
  }, [pages])
}

const interactionEvents = ['pointermove', 'pointerdown', 'keydown', 'scroll'] as const

/** Delay between the first interaction and the prefetch of visible links. */
const prefetchDelayMs = 300

function prefetch(pages: Pages, link: Element | null): void {
  const url = internalUrl(link)
  if (url !== undefined && url.pathname !== location.pathname) void pages.load(slugOf(url.pathname))
}

/** Not every browser has `requestIdleCallback`. */
const whenIdle = (work: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 50)
