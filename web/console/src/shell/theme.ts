const systemPrefersDark = matchMedia('(prefers-color-scheme: dark)')

/** Switches between the light and the dark theme. The choice is shared with the site, whose theme.js applies it. */
export function toggleTheme(): void {
  const chosen = document.documentElement.dataset['theme']
  const isDark = chosen === undefined ? systemPrefersDark.matches : chosen === 'dark'
  const theme = isDark ? 'light' : 'dark'
  document.documentElement.dataset['theme'] = theme
  try {
    localStorage.setItem('weft-theme', theme)
  } catch {
    // Storage is disabled: the choice is lost when the page is closed.
  }
}
