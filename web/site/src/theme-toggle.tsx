import { useSyncExternalStore } from 'react'
import './theme-toggle.css'

/** Switches between light and dark, and remembers. Until it is used the system decides. */
export function ThemeToggle() {
  const dark = useSyncExternalStore(subscribe, isDark, () => false)
  return (
    <button
      type="button"
      className="theme-toggle"
      aria-pressed={dark}
      aria-label="Dark theme"
      title={dark ? 'Use the light theme' : 'Use the dark theme'}
      onClick={() => choose(dark ? 'light' : 'dark')}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <circle cx="12" cy="12" r="9" />
        <path d="M12 3a9 9 0 0 1 0 18z" />
      </svg>
    </button>
  )
}

const system = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function isDark(): boolean {
  const chosen = document.documentElement.getAttribute('data-theme')
  return chosen === null ? system.matches : chosen === 'dark'
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  system.addEventListener('change', changed)
  return () => {
    listeners.delete(changed)
    system.removeEventListener('change', changed)
  }
}

/** What theme.js reads before the next first paint. */
function choose(theme: 'light' | 'dark'): void {
  document.documentElement.setAttribute('data-theme', theme)
  try {
    localStorage.setItem('weft-theme', theme)
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
  }
  for (const changed of listeners) changed()
}
