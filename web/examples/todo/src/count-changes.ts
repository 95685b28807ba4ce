/** Returns the subject and verb of a sentence: "1 change has" or "2 changes have". */
export const countChanges = (count: number): string =>
  count === 1 ? '1 change has' : `${count} changes have`
