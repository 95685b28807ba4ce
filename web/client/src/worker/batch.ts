/**
 * Returns a function that collects items. They are passed to `send` together in the next microtask, after the running
 * code.
 */
export function batchPerMicrotask<T>(send: (items: T[]) => void): (item: T) => void {
  let batch: T[] | undefined
  return (item) => {
    if (!batch) {
      batch = []
      queueMicrotask(() => {
        const items = batch ?? []
        batch = undefined
        send(items)
      })
    }
    batch.push(item)
  }
}
