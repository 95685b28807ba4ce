/** Resolves after so many milliseconds. */
export const pause = (time: number): Promise<undefined> =>
  new Promise((over) => setTimeout(over, time))
