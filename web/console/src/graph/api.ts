import type { Access, Id } from '@weft/client'
import { request } from '../model/request.ts'

/** A record, value or type of a drawing, in the server's format. */
export interface NodeInfo {
  readonly id: Id
  /** Name of the type: `the_order`. */
  readonly type: string
  readonly kind: 'record' | 'value' | 'type'
  /** A short text; empty for a record without a name. */
  readonly label: string
  readonly owner: Id
  readonly access: Access
  /** The value that is the label of a record: its id, its type, and the link to it. No link if the value is inside the record. */
  readonly labelId?: Id
  readonly labelType?: string
  readonly labelVia?: string
}

/** A connection between two nodes. The type is empty inside a composition. */
export interface LinkInfo {
  readonly id: Id
  readonly from: Id
  readonly to: Id
  readonly type: string
}

/** The links of one type and direction at a node. */
export interface LinkGroup {
  readonly type: string
  /** Whether the links end at the node. */
  readonly reverse: boolean
  readonly count: number
}

/** Nodes and the links between them. */
export interface NodesAndLinks {
  readonly nodes: readonly NodeInfo[]
  readonly edges: readonly LinkInfo[]
}

/** A node with its link groups and its nearest neighbours. */
export interface OpenedNode extends NodesAndLinks {
  readonly node: NodeInfo
  readonly groups: readonly LinkGroup[]
}

/** Neighbours of one link group. */
export interface NeighborPage extends NodesAndLinks {
  /** Passed as `after` for the next page; missing at the end. */
  readonly next?: Id
  /** The number of neighbours that were read. */
  readonly searched: number
}

/** A path between two nodes. */
export interface PathResult extends NodesAndLinks {
  readonly status: 'found' | 'none' | 'limit'
  /** The number of concepts that were reached. */
  readonly reached: number
}

/** Number of neighbours of one group that are drawn together. */
export const pageSize = 50

/** Opens a node with up to `nearest` neighbours. */
export const openNode = (id: Id, nearest: number): Promise<OpenedNode> =>
  request(`/api/v1/graph/node?id=${id}&nearest=${nearest}`)

/** Returns a page of the neighbours in a link group, newest first. With `search`, only neighbours whose label contains it. */
export function loadNeighbors(
  id: Id,
  { type, reverse }: Pick<LinkGroup, 'type' | 'reverse'>,
  { after, search }: { readonly after?: Id | undefined; readonly search?: string } = {},
): Promise<NeighborPage> {
  const params = new URLSearchParams({ id: String(id), type, reverse: String(reverse) })
  if (after !== undefined) params.set('after', String(after))
  if (search) params.set('search', search)
  return request(`/api/v1/graph/neighbors?${params}&inpage=${pageSize}`)
}

/** The maximum number of nodes in one request. */
export const maxNodes = 10_000

/** Returns the given nodes that the user may see, and the links between them. */
export const loadNodes = (ids: readonly Id[]): Promise<NodesAndLinks> =>
  request('/api/v1/graph/nodes', { json: ids })

/** Returns a shortest path between two nodes. */
export const findPath = (from: Id, to: Id): Promise<PathResult> =>
  request(`/api/v1/graph/path?from=${from}&to=${to}`)

/** Returns the newest twenty records of a type that contain `text`; of all records if it is empty. */
export async function searchRecords(type: string, text: string): Promise<readonly NodeInfo[]> {
  const params = new URLSearchParams({ type, search: text, inpage: '20', page: '1' })
  const found = await request<readonly { readonly id: Id }[]>(`/api/search-compositions?${params}`)
  if (found.length === 0) return []
  const { nodes } = await loadNodes(found.map(({ id }) => id))
  return nodes
}
