declare global {
  /** Records the value of an expression of a guide and the value that its `// →` comment promises. */
  function see(actual: unknown, promised: unknown): void

  interface Window {
    guide: { readonly seen: [actual: unknown, promised: unknown][]; finished: boolean }
    see(actual: unknown, promised: unknown): void
  }
}

export {}
