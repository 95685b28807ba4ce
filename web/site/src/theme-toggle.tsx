import { useSyncExternalStore } from 'react'
import './theme-toggle.css'

/** Switches between the light and the dark theme and stores the choice. The default is the system setting. */
export function ThemeToggle() {
  const dark = useSyncExternalStore(subscribe, isDark, () => false)
  return (
    <button
      type="button"
      className="theme-toggle"
      aria-pressed={dark}
      aria-label="Dark theme"
      title={dark ? 'Use the light theme' : 'Use the dark theme'}
      onClick={() => setTheme(dark ? 'light' : 'dark')}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <circle cx="12" cy="12" r="9" />
        <path d="M12 3a9 9 0 0 1 0 18z" />
      </svg>
    </button>
  )
}

const systemPrefersDark = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function isDark(): boolean {
  const theme = document.documentElement.getAttribute('data-theme')
  return theme === null ? systemPrefersDark.matches : theme === 'dark'
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  systemPrefersDark.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    systemPrefersDark.removeEventListener('change', listener)
  }
}

/** Applies and stores a theme. public/theme.js reads the stored theme before the first paint of the next visit. */
function setTheme(theme: 'light' | 'dark'): void {
  document.documentElement.setAttribute('data-theme', theme)
  try {
    localStorage.setItem('weft-theme', theme)
  } catch {
    // Storage is disabled: the choice is lost when the page is closed.
  }
  for (const listener of listeners) listener()
}
