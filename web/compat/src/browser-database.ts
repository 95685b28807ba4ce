import { currentClient, currentInternals, isOpen } from './start.ts'

/*
 * The client manages its own database, so these calls have little to do. Objects that an application stores are kept in
 * memory until the page is closed.
 */

const stored = new Map<string, Map<unknown, any>>()

/** Keeps an object in memory, under its id. */
export function storeToDatabase(databaseName: string, object: any): void {
  const objects = stored.get(databaseName) ?? new Map()
  objects.set(object?.id, object)
  stored.set(databaseName, objects)
}

/** Returns the object that was stored under an id in this page. */
export async function getFromDatabaseWithType(
  databaseName: string,
  _type: string,
  id: number,
): Promise<any> {
  return stored.get(databaseName)?.get(id)
}

/** Returns all objects that were stored in this page. */
export async function getObjectsFromIndexDb(databaseName: string): Promise<any> {
  if (isOpen()) await currentClient().ready
  return [...(stored.get(databaseName)?.values() ?? [])]
}

/**
 * Makes later queries ask the server instead of using cached answers. Widgets are never cached. Unsent writes are kept.
 */
export function clearAllCaches(): void {
  if (isOpen()) currentInternals().queries.dropAnswers()
}
