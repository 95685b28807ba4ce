import { currentClient, currentInternals, isOpen } from './start.ts'

/*
 * The client manages its own database, so these calls have little to do. Records that an application stores are
 * kept for this page.
 */

const stored = new Map<string, Map<unknown, any>>()

/** Keeps an object under its id for this page. */
export function storeToDatabase(databaseName: string, object: any): void {
  const objects = stored.get(databaseName) ?? new Map()
  objects.set(object?.id, object)
  stored.set(databaseName, objects)
}

/** Returns the object that this page keeps under an id. */
export async function getFromDatabaseWithType(
  databaseName: string,
  _type: string,
  id: number,
): Promise<any> {
  return stored.get(databaseName)?.get(id)
}

/** Returns all objects that this page keeps. */
export async function getObjectsFromIndexDb(databaseName: string): Promise<any> {
  if (isOpen()) await currentClient().ready
  return [...(stored.get(databaseName)?.values() ?? [])]
}

/** Makes the next reads of queries ask the server. Widgets are not cached. Unsent writes stay. */
export function clearAllCaches(): void {
  if (isOpen()) currentInternals().queries.dropAnswers()
}
