import type { Id } from '@weft/client'
import type { LinkGroup, LinkInfo, NodeInfo, NodesAndLinks } from './api.ts'

/*
 * A drawing: the nodes and links that a user has chosen to see. All values are immutable, so that a change of the drawing is
 * undone by restoring the previous value.
 *
 * A link between two nodes of the drawing is always part of the drawing. Hidden nodes and nodes of hidden types keep their position,
 * and are left out when the drawing is shown.
 */
export interface Drawing {
  /** The node that the drawing began with. */
  readonly root: Id | undefined
  readonly nodes: ReadonlyMap<Id, NodeInfo>
  readonly links: ReadonlyMap<Id, LinkInfo>
  /** The link groups of a node, by its id. A node whose links were not counted yet has no entry. */
  readonly groups: ReadonlyMap<Id, readonly LinkGroup[]>
  /** The keys of the groups that the user expanded; the address contains them. */
  readonly expanded: readonly string[]
  readonly hidden: ReadonlySet<Id>
  readonly pinned: ReadonlySet<Id>
  readonly hiddenTypes: ReadonlySet<string>
}

export const emptyDrawing: Drawing = {
  root: undefined,
  nodes: new Map(),
  links: new Map(),
  groups: new Map(),
  expanded: [],
  hidden: new Set(),
  pinned: new Set(),
  hiddenTypes: new Set(),
}

/** Adds nodes and links. Adding a hidden node shows it again. */
export function addNodes(drawing: Drawing, added: NodesAndLinks): Drawing {
  const nodes = new Map(drawing.nodes)
  const hidden = new Set(drawing.hidden)
  for (const node of added.nodes) {
    nodes.set(node.id, node)
    hidden.delete(node.id)
  }
  const links = new Map(drawing.links)
  for (const link of added.edges)
    if (nodes.has(link.from) && nodes.has(link.to)) links.set(link.id, link)
  return { ...drawing, nodes, links, hidden, root: drawing.root ?? added.nodes[0]?.id }
}

/** Sets the link groups of a node. */
export const setGroups = (drawing: Drawing, id: Id, groups: readonly LinkGroup[]): Drawing => ({
  ...drawing,
  groups: new Map(drawing.groups).set(id, groups),
})

/** Replaces the nodes and links by their current versions. Nodes that are missing from `current` are removed. */
export function refresh(drawing: Drawing, current: NodesAndLinks): Drawing {
  const seen = new Map(current.nodes.map((node) => [node.id, node]))
  const nodes = new Map(
    [...drawing.nodes.keys()].flatMap((id) => {
      const node = seen.get(id)
      return node ? [[id, node] as const] : []
    }),
  )
  const links = new Map(current.edges.map((link) => [link.id, link]))
  return { ...drawing, nodes, links }
}

/** Removes nodes and their links. */
export function removeNodes(drawing: Drawing, ids: ReadonlySet<Id>): Drawing {
  const nodes = new Map([...drawing.nodes].filter(([id]) => !ids.has(id)))
  return {
    ...drawing,
    nodes,
    links: new Map(
      [...drawing.links].filter(([, { from, to }]) => nodes.has(from) && nodes.has(to)),
    ),
    expanded: drawing.expanded.filter((key) => !ids.has(parseGroup(key).of ?? 0)),
  }
}

/**
 * Returns a link group as the text of an address: `the_order_customer`, with `~` in front for links that end at the node, and
 * with `12.` in front for a node other than the root.
 */
export function groupKey(
  drawing: Drawing,
  of: Id,
  { type, reverse }: Pick<LinkGroup, 'type' | 'reverse'>,
): string {
  return `${of === drawing.root ? '' : `${of}.`}${reverse ? '~' : ''}${type}`
}

/** Reads a link group in an address. `of` is undefined for the root. */
export function parseGroup(key: string): {
  readonly of: Id | undefined
  readonly type: string
  readonly reverse: boolean
} {
  const [, id, tilde = '', type = ''] = /^(?:(-?\d+)\.)?(~?)(.*)$/.exec(key) ?? []
  return { of: id === undefined ? undefined : Number(id), type, reverse: tilde !== '' }
}

/** Marks a group as expanded. */
export function markExpanded(drawing: Drawing, key: string): Drawing {
  if (drawing.expanded.includes(key)) return drawing
  return { ...drawing, expanded: [...drawing.expanded, key] }
}

/** Returns the nodes of the drawing to which the links of a group lead. */
export function membersOf(
  drawing: Drawing,
  of: Id,
  { type, reverse }: Pick<LinkGroup, 'type' | 'reverse'>,
): ReadonlySet<Id> {
  const members = new Set<Id>()
  for (const link of drawing.links.values()) {
    if (link.type !== type) continue
    if (reverse ? link.to === of : link.from === of) members.add(reverse ? link.from : link.to)
  }
  return members
}

/** Removes the nodes of a group, and all nodes that only these connect to the drawing. The node with the group stays. */
export function collapseGroup(
  drawing: Drawing,
  of: Id,
  group: Pick<LinkGroup, 'type' | 'reverse'>,
): Drawing {
  const members = membersOf(drawing, of, group)
  const isCut = ({ type, from, to }: LinkInfo) =>
    type === group.type && (group.reverse ? to === of : from === of)
  const kept = reachable(drawing, [drawing.root ?? of, of], (link) => !isCut(link))
  const connected = reachable(drawing, [...members], (link) => !isCut(link))
  const removed = new Set([...connected].filter((id) => !kept.has(id)))
  const key = groupKey(drawing, of, group)
  const next = removeNodes(drawing, removed)
  return { ...next, expanded: next.expanded.filter((other) => other !== key) }
}

/** Removes all nodes that only a given node connects to the root. The given node stays. */
export function collapse(drawing: Drawing, of: Id): Drawing {
  const around = new Set(
    [...drawing.links.values()].flatMap(({ from, to }) =>
      from === of || to === of ? [from, to] : [],
    ),
  )
  around.delete(of)
  const avoids = ({ from, to }: LinkInfo) => from !== of && to !== of
  const kept =
    drawing.root === undefined || drawing.root === of
      ? new Set<Id>()
      : reachable(drawing, [drawing.root], avoids)
  const behind = reachable(drawing, [...around], avoids)
  const removed = new Set([...behind].filter((id) => !kept.has(id) && id !== of))
  const next = removeNodes(drawing, removed)
  return {
    ...next,
    expanded: next.expanded.filter((key) => (parseGroup(key).of ?? drawing.root) !== of),
  }
}

/** Returns the nodes that are connected to any of the starts by links that `follows` accepts. */
function reachable(
  { links }: Drawing,
  starts: readonly Id[],
  follows: (link: LinkInfo) => boolean,
): ReadonlySet<Id> {
  const neighbors = new Map<Id, Id[]>()
  for (const link of links.values()) {
    if (!follows(link)) continue
    neighbors.set(link.from, [...(neighbors.get(link.from) ?? []), link.to])
    neighbors.set(link.to, [...(neighbors.get(link.to) ?? []), link.from])
  }
  const seen = new Set(starts)
  const open = [...starts]
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const next of neighbors.get(id) ?? []) {
      if (seen.has(next)) continue
      seen.add(next)
      open.push(next)
    }
  return seen
}

/** Hides or shows nodes. */
export function setHidden(drawing: Drawing, ids: readonly Id[], isHidden: boolean): Drawing {
  const hidden = new Set(drawing.hidden)
  for (const id of ids) isHidden ? hidden.add(id) : hidden.delete(id)
  return { ...drawing, hidden }
}

/** Pins or unpins a node. */
export function togglePin(drawing: Drawing, id: Id): Drawing {
  const pinned = new Set(drawing.pinned)
  if (!pinned.delete(id)) pinned.add(id)
  return { ...drawing, pinned }
}

/** Hides or shows all nodes of a type. */
export function toggleType(drawing: Drawing, type: string): Drawing {
  const hiddenTypes = new Set(drawing.hiddenTypes)
  if (!hiddenTypes.delete(type)) hiddenTypes.add(type)
  return { ...drawing, hiddenTypes }
}

/** Returns the nodes that are shown. */
export function shownNodes({ nodes, hidden, hiddenTypes }: Drawing): readonly NodeInfo[] {
  return [...nodes.values()].filter(({ id, type }) => !hidden.has(id) && !hiddenTypes.has(type))
}

/** A group whose links are not all in the drawing. */
export interface Remainder {
  readonly of: Id
  readonly group: LinkGroup
  readonly shown: number
}

/** Returns the groups with some links drawn and others not. */
export function remainders(drawing: Drawing): readonly Remainder[] {
  return [...drawing.groups].flatMap(([of, groups]) =>
    groups.flatMap((group) => {
      const shown = membersOf(drawing, of, group).size
      return shown > 0 && shown < group.count ? [{ of, group, shown }] : []
    }),
  )
}
