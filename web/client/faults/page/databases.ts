/**
 * Returns what closes every database of the page, as browsers do with pages they think asleep: openly, with the event
 * that says so, or as if nothing had been.
 */
export function looseDatabases(): (openly: boolean) => void {
  const databases = new Set<IDBDatabase>()
  const { open } = IDBFactory.prototype
  IDBFactory.prototype.open = function (...args) {
    const request = open.apply(this, args)
    request.addEventListener('success', () => databases.add(request.result))
    return request
  }
  return (openly) => {
    for (const database of databases) {
      database.close()
      if (openly) database.dispatchEvent(new Event('close'))
    }
    databases.clear()
  }
}
