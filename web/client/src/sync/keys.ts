/** The keys of writes, in their order. */
export const keysOf = (writes: readonly { readonly key: string }[]): string[] =>
  writes.map(({ key }) => key)
