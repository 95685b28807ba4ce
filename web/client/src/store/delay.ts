/** Resolves after the given number of milliseconds. */
export const delay = (time: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, time))
