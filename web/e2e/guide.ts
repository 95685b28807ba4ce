declare global {
  /** Records the value of an expression in a guide, and the value that the `// →` comment after it promises. */
  function see(actual: unknown, promised: unknown): void

  interface Window {
    guide: { readonly seen: [actual: unknown, promised: unknown][]; finished: boolean }
    see(actual: unknown, promised: unknown): void
  }
}

export {}
