/** So many changes, with the verb that the sentence goes on with. */
export const changes = (count: number): string =>
  count === 1 ? '1 change has' : `${count} changes have`
