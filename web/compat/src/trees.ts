import { addConcept } from './caches.ts'
import type { Composition } from './composition-object.ts'
import type { Concept } from './model/concept.ts'
import { conceptOf } from './records.ts'
import { currentInternals } from './start.ts'

/*
 * The search trees of the wire contract. They store nothing: a node is created from the graph when it is read.
 */

/** A node with a concept. */
class ConceptNode {
  key: number
  value: Concept
  leftNode: ConceptNode | null = null
  rightNode: ConceptNode | null = null
  height = 1

  constructor(value: Concept) {
    this.key = value.id
    this.value = value
  }
}

const nodeOf = (id: number): ConceptNode | null => {
  const concept = conceptOf(id)
  return concept.id ? new ConceptNode(concept) : null
}

const ready = async (): Promise<unknown> => 'done'

/** Concepts by id. */
export class BinaryTree {
  static root: any = null
  static conceptMap = new Map<number, any>()

  static addNodeToTree(node: any): void {
    addConcept(node.value)
  }

  static waitForDataToLoad(): Promise<unknown> {
    return ready()
  }

  static checkFlag(resolve: any): any {
    return resolve('done')
  }

  static addConceptToTree(concept: Concept): void {
    addConcept(concept)
  }

  static async getNodeFromTree(id: number): Promise<any> {
    return nodeOf(id)
  }

  static async removeNodeFromTree(id: number): Promise<void> {
    if (id > 0) currentInternals().graph.evict([id], [])
  }

  static async getConceptListFromIds(
    ids: number[],
    conceptArray: Concept[],
    remainingIds: any,
  ): Promise<void> {
    for (const id of ids) {
      const node = nodeOf(id)
      if (node) conceptArray.push(node.value)
      else remainingIds[id] = false
    }
  }

  /** Returns 0: the graph does not count its concepts. */
  static countNumberOfNodes(): number {
    return 0
  }
}

/** A composition object with an expiry time. */
export class CompositionNode {
  expiryTime = new Date(Date.now() + compositionLifetime)
  key: number
  value: Composition
  leftNode: CompositionNode
  rightNode: CompositionNode
  height = 1

  constructor(
    key: number,
    value: Composition,
    leftNode: CompositionNode | null,
    rightNode: CompositionNode | null,
  ) {
    this.key = key
    this.value = value
    this.leftNode = leftNode as CompositionNode
    this.rightNode = rightNode as CompositionNode
  }

  isValid(): boolean {
    return this.expiryTime.getTime() > Date.now()
  }

  saveToCache(data: any): void {
    this.value.cached = data
  }

  addNode(
    passedNode: CompositionNode,
    node: CompositionNode | null,
    _height: number,
  ): CompositionNode | null {
    CompositionBinaryTree.addNodeToTree(passedNode)
    return node ?? passedNode
  }

  rightRotate(y: CompositionNode | null): CompositionNode | null {
    return y
  }

  leftRotate(x: CompositionNode | null): CompositionNode | null {
    return x
  }

  getHeight(node: CompositionNode | null): number {
    return node?.height ?? 0
  }

  getBalanceFactor(_N: CompositionNode | null): number {
    return 0
  }

  getFromNode(id: number, _node: CompositionNode | null): CompositionNode | null {
    return compositions.get(id) ?? null
  }

  removeNode(passedNode: CompositionNode | null, id: number): CompositionNode | null {
    compositions.delete(id)
    return passedNode?.key === id ? null : passedNode
  }

  countNodeBelow(_root: CompositionNode | null): number {
    return compositions.size
  }

  inOrderSuccessor(root: CompositionNode): CompositionNode {
    return root
  }
}

/** Lifetime of a composition object, in milliseconds. */
const compositionLifetime = 600_000

const compositions = new Map<number, CompositionNode>()

/** Composition objects by id. */
export class CompositionBinaryTree {
  static root: any = null

  static addNodeToTree(node: CompositionNode): CompositionNode | undefined {
    compositions.set(node.key, node)
    return node
  }

  static addCompositionToTree(composition: Composition): void {
    CompositionBinaryTree.addNodeToTree(
      new CompositionNode(composition.id, composition, null, null),
    )
  }

  static async getNodeFromTree(id: number): Promise<CompositionNode | null> {
    const node = compositions.get(id)
    return node?.isValid() ? node : null
  }

  static async removeNodeFromTree(id: number): Promise<void> {
    compositions.delete(id)
  }

  static countNumberOfNodes(): number {
    return compositions.size
  }
}

/** A node with a concept of a user. */
class UserNode extends ConceptNode {
  userId: number
  sessionId: number

  constructor(concept: Concept, userId: number, sessionId: number) {
    super(concept)
    this.userId = userId
    this.sessionId = sessionId
  }
}

const users = new Map<string, UserNode>()

/** The most recent concept of each user and session. */
export class UserBinaryTree {
  static root: any = null

  /**
   * Returns the last four of eight hexadecimal digits. Of the eight, four are from the user and four from the session.
   */
  static compositeKey(userId: number, sessionId: number): string {
    const digits = (n: number) => n.toString(16).toUpperCase().padStart(4, '0')
    return (digits(userId) + digits(sessionId)).slice(-4)
  }

  static addNodeToTree(node: any): any {
    users.set(`${node.userId} ${node.sessionId}`, node)
    return node
  }

  static waitForDataToLoad(): Promise<unknown> {
    return ready()
  }

  static checkFlag(resolve: any): any {
    return resolve('done')
  }

  static addConceptToTree(concept: Concept, userId: number, sessionId = 999): void {
    UserBinaryTree.addNodeToTree(new UserNode(concept, userId, sessionId))
  }

  static async getNodeFromTree(userId: number, sessionId: number): Promise<any> {
    return users.get(`${userId} ${sessionId}`) ?? null
  }

  static async removeNodeFromTree(userId: number, sessionId = 999): Promise<void> {
    users.delete(`${userId} ${sessionId}`)
  }

  static countNumberOfNodes(): number {
    return users.size
  }
}
