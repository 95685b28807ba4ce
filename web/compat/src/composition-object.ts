import { GetComposition } from './compositions.ts'
import type { Concept } from './model/concept.ts'
import { CreateDefaultConcept } from './model/concept.ts'
import type { Connection } from './model/connection.ts'

/**
 * A composition as an object. Its members have the values that the application sets. Only `updateCache` reads the
 * composition, and stores its data in `cached`.
 */
export class Composition {
  id = 0
  mainConcept: Concept = CreateDefaultConcept()
  connections: Connection[] = []
  concepts: Concept[] = []
  subcompositions: number[] = []
  cached: any

  async updateCache(): Promise<void> {
    this.cached = await GetComposition(this.id)
  }

  /** Does nothing: the server announces changes. */
  UpdateAcrossDistributedSystem(): void {}

  /** Does nothing, and returns nothing. */
  isUpdating(): void {}

  GetDataCache(): any {
    return this.cached
  }
}
