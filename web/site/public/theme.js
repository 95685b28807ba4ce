// Runs before the first paint, so that a remembered theme never flashes.
try {
  const theme = localStorage.getItem('weft-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is switched off: the system's preference stands.
}
