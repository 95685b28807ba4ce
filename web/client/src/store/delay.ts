/** Resolves after so many milliseconds. */
export const delay = (time: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, time))
