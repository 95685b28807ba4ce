import type { Client } from '@weft/client'
import { createData, createPrototype } from '@weft/client/graph'
import { makeComposition } from './compositions.ts'
import { makeInstance, typeConcept } from './concepts.ts'
import {
  connectionOf,
  linkConcepts,
  linkEntities,
  linkWithLinker,
  makeConnection,
} from './connections.ts'
import { toFreeschemaError } from './errors.ts'
import { toInput } from './json.ts'
import { type Concept, CreateDefaultConcept } from './model/concept.ts'
import type { Connection } from './model/connection.ts'
import { orderInternal } from './model/constants.ts'
import type { InnerActions, Prototype } from './model/records.ts'
import { conceptOf } from './records.ts'
import { currentClient } from './start.ts'
import { commitTransaction, loadOpenTransactions, type Place, writer } from './writes.ts'

/**
 * Writes that take effect in this page immediately and are sent together: the server accepts all or none.
 *
 *   open ──commitTransaction, rollbackTransaction, an action that throws──▶ ended
 *
 * Every call of an ended transaction throws `Query Transaction Expired`. A rollback removes the writes from the page. A
 * transaction that is open when its page is closed is rolled back.
 */
export class LocalTransaction {
  /** The prefix `page:` makes the transaction end with its page. */
  transactionId: string = `page:${crypto.randomUUID()}`
  actions: InnerActions = { concepts: [], connections: [] }
  /** False once the transaction has ended. */
  success = true

  async initialize(): Promise<void> {
    await openTransaction(this)
  }

  async commitTransaction(): Promise<void> {
    await this.end(() => commitTransaction(this.transactionId))
  }

  commitTransactionWithoutAuth(): Promise<void> {
    return this.commitTransaction()
  }

  async rollbackTransaction(): Promise<void> {
    await this.end(async () =>
      (await loadOpenTransactions()).rollbackTransaction(this.transactionId),
    )
    this.actions = { concepts: [], connections: [] }
  }

  /** Does nothing: a write belongs to the transaction from the start. */
  async markAction(): Promise<void> {}

  MakeTheInstanceConceptLocal(
    type: string,
    referent: string,
    composition: boolean | undefined,
    _userId: number,
    accessId: number,
    _sessionInformationId?: number,
    _referentId?: number,
    place?: Place,
  ): Promise<any> {
    const instance = { type, value: referent, composition, access: accessId, place }
    return this.run((client) => conceptOf(makeInstance(client, instance).id))
  }

  MakeTheTypeConceptLocal(
    typeString: string,
    _sessionId: number,
    _sessionUserId: number,
    _userId: number,
  ): Promise<Concept> {
    return this.run((client) => typeConcept(client, typeString))
  }

  CreateTheConceptLocal(
    referent: string,
    typecharacter: string,
    _userId: number,
    _categoryId: number,
    _typeId: number,
    accessId: number,
    isComposition = false,
    _referentId: number | null = null,
    _actions?: InnerActions,
  ): Promise<any> {
    const instance = { type: typecharacter, value: referent, composition: isComposition }
    return this.run((client) =>
      conceptOf(makeInstance(client, { ...instance, access: accessId }).id),
    )
  }

  CreateConnectionBetweenTwoConceptsLocal(
    ofTheConcept: Concept,
    toTheConcept: Concept,
    linker: string,
    both = false,
  ): Promise<any> {
    return this.run((client) =>
      connectionOf(linkWithLinker(client, ofTheConcept, toTheConcept, linker, { both }).connection),
    )
  }

  CreateTheConnectionLocal(
    ofTheConceptId: number,
    toTheConceptId: number,
    typeId: number,
    orderId: number = orderInternal,
    typeString = '',
    _userId?: number,
  ): Promise<any> {
    const ends = { from: ofTheConceptId, to: toTheConceptId, typeId, typeString, order: orderId }
    return this.run((client) => makeConnection(client, ends))
  }

  CreateConnection(
    ofTheConcept: Concept,
    toTheConcept: Concept,
    connectionTypeString: string,
  ): Promise<any> {
    return this.run((client) =>
      linkConcepts(client, ofTheConcept, toTheConcept, connectionTypeString),
    )
  }

  CreateConnectionBetweenEntityLocal(
    concept1Data: Concept,
    concept2Data: Concept,
    linker: string,
  ): Promise<any> {
    return this.run((client) => linkEntities(client, concept1Data, concept2Data, linker))
  }

  CreateTheCompositionLocal(
    json: any,
    ofTheConceptId: number | null = null,
    _ofTheConceptUserId: number | null = null,
    mainKey: number | null = null,
    _userId: number | null = null,
    accessId: number | null = null,
    _sessionInformationId: number | null = null,
    _automaticSync = false,
  ): Promise<any> {
    const place = ofTheConceptId && mainKey ? { of: ofTheConceptId, main: mainKey } : undefined
    return this.run((client) => conceptOf(makeComposition(client, json, accessId, place)?.id ?? 0))
  }

  /** Resolves when all actions so far have ended. */
  private running: Promise<unknown> = Promise.resolve()

  /** Runs an action with a client whose writes belong to the transaction. */
  private run<T>(action: (client: Client) => T): Promise<T> {
    const result = this.runNow(action)
    this.running = Promise.allSettled([this.running, result])
    return result
  }

  private async runNow<T>(action: (client: Client) => T): Promise<T> {
    if (!this.success) throw expired()
    try {
      const transaction = await openTransaction(this)
      return transaction.run((client) => action(writer(this.actions, client)))
    } catch (e) {
      this.success = false
      throw toFreeschemaError(e)
    }
  }

  private async end(work: () => Promise<void>): Promise<void> {
    if (!this.success) throw expired()
    this.success = false
    await this.running
    await work()
  }
}

const openTransaction = async ({ transactionId }: Pick<LocalTransaction, 'transactionId'>) =>
  (await loadOpenTransactions()).openTransaction(transactionId)

const expired = (): Error => new Error('Query Transaction Expired')

/** Writes nested data as concepts with type links. Returns the concept of the last key. */
export async function CreateData(
  json: any,
  ofConcept: Concept | null = null,
  typeConcept = '',
  actions?: InnerActions,
): Promise<any> {
  const input = toInput(json)
  if (!input || Object.keys(input).length === 0) return CreateDefaultConcept()
  const source = ofConcept?.id
    ? { of: ofConcept.id, ...(typeConcept && { ofType: typeConcept }) }
    : {}
  return conceptOf(createData(writer(actions), input, source).id)
}

interface PrototypeResult {
  concepts: Concept[]
  connections: Connection[]
  mainConcept: Concept
}

/** Writes a prototype and its child prototypes: into a transaction if one is passed, otherwise immediately. */
export async function createPrototypeLocal(
  prototype: Prototype,
  passedTransaction: Pick<LocalTransaction, 'transactionId'> | null = null,
): Promise<PrototypeResult> {
  const actions: InnerActions = { concepts: [], connections: [] }
  const write = (client: Client) =>
    createPrototype(writer(actions, client), {
      ...prototype,
      querySelector: prototype.querySelector ?? null,
    })
  const { id } = passedTransaction
    ? (await openTransaction(passedTransaction)).run(write)
    : write(currentClient())
  return { ...actions, mainConcept: conceptOf(id) }
}
