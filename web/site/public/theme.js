// Applies the stored theme before the first paint, so that the other theme never flashes.
try {
  const theme = localStorage.getItem('weft-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is disabled: the system setting applies.
}
