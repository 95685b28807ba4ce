import type { Theme } from './protocol.ts'

/** Returns the text style at an element, and the colour scheme of the page. */
export function themeAt(element: Element): Theme {
  const { color, fontFamily, fontSize, lineHeight } = getComputedStyle(element)
  const chosenScheme = document.documentElement.getAttribute('data-theme')
  const isDark = chosenScheme === null ? prefersDark.matches : chosenScheme === 'dark'
  return { scheme: isDark ? 'dark' : 'light', color, fontFamily, fontSize, lineHeight }
}

/** Calls `onChange` when the colour scheme of the page may have changed, until the signal aborts. */
export function watchTheme(onChange: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  signal.addEventListener('abort', () => observer.disconnect())
  prefersDark.addEventListener('change', onChange, { signal })
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
