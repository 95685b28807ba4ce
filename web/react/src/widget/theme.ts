import type { Theme } from './protocol.ts'

/** How text looks in an element. */
export function themeAt(element: Element): Theme {
  const { color, fontFamily, fontSize, lineHeight } = getComputedStyle(element)
  const chosen = document.documentElement.getAttribute('data-theme')
  const dark = chosen === null ? preferred.matches : chosen === 'dark'
  return { scheme: dark ? 'dark' : 'light', color, fontFamily, fontSize, lineHeight }
}

/** Calls back when it may look otherwise, until the signal aborts. */
export function onTheme(changed: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  signal.addEventListener('abort', () => observer.disconnect())
  preferred.addEventListener('change', changed, { signal })
}

const preferred = matchMedia('(prefers-color-scheme: dark)')
