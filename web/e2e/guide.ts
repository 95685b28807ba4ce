declare global {
  /** What stands before an arrow of a guide, and what stands behind it. */
  function see(is: unknown, said: unknown): void

  interface Window {
    guide: { readonly seen: [is: unknown, said: unknown][]; over: boolean }
    see(is: unknown, said: unknown): void
  }
}

export {}
