import type { Id } from '@weft/client'
import { notice } from '../model/console.tsx'
import { numberText } from '../model/names.ts'
import { errorText } from '../model/request.ts'
import { findPath, type LinkGroup, loadNeighbors, openNode, pageSize } from './api.ts'
import {
  addNodes,
  type Drawing,
  emptyDrawing,
  groupKey,
  markExpanded,
  membersOf,
  parseGroup,
  setGroups,
  setHidden,
} from './drawing.ts'
import { nodeName } from './names.ts'
import { changeDrawing, getDrawing, setDrawing } from './store.ts'

/** The maximum number of neighbours that are drawn when a record is opened. */
const nearest = 200
/** The maximum number of groups in an address that are expanded. */
const maxExpanded = 40

/**
 * Draws a record with its nearest neighbours or, if the address names expanded groups, with the neighbours in these. Hides the
 * nodes that the address lists. Rejects with the server's error.
 */
export async function openRecord(id: Id, params: URLSearchParams): Promise<Drawing> {
  const keys = params.get('expand')?.split(',').filter(Boolean).slice(0, maxExpanded)
  const opened = await openNode(id, keys ? 0 : nearest)
  let drawing = addNodes(emptyDrawing, { nodes: [opened.node, ...opened.nodes], edges: [] })
  drawing = setGroups(addNodes(drawing, opened), id, opened.groups)
  for (const group of opened.groups)
    if (!keys && membersOf(drawing, id, group).size > 0)
      drawing = markExpanded(drawing, groupKey(drawing, id, group))
  for (const key of keys ?? []) drawing = await expandKey(drawing, key)
  const hidden = params.get('hide')?.split(',').map(Number) ?? []
  return setHidden(drawing, hidden, true)
}

async function expandKey(drawing: Drawing, key: string): Promise<Drawing> {
  const { of = drawing.root ?? 0, type, reverse } = parseGroup(key)
  const page = await loadNeighbors(of, { type, reverse })
  let next = markExpanded(addNodes(drawing, page), key)
  if (!next.groups.has(of)) next = setGroups(next, of, (await openNode(of, 0)).groups)
  return next
}

/** Reads the link groups of a node, unless they are known. */
export async function loadGroups(id: Id): Promise<void> {
  if (id <= 0 || getDrawing().drawing.groups.has(id)) return
  try {
    const { groups } = await openNode(id, 0)
    setDrawing({ drawing: setGroups(getDrawing().drawing, id, groups) })
  } catch (error) {
    notice.set(`The links could not be counted. ${errorText(error)}`)
  }
}

/** Adds the newest links of a group to the drawing. */
export async function expandGroup(of: Id, group: LinkGroup, name: string): Promise<void> {
  await attempt(async () => {
    const page = await loadNeighbors(of, group)
    const { drawing } = getDrawing()
    const next = markExpanded(addNodes(drawing, page), groupKey(drawing, of, group))
    const limitNote =
      page.next === undefined ? '' : `, the newest ${pageSize} of ${numberText(group.count)}`
    changeDrawing(`Expanded ${name}, ${numberText(page.nodes.length)} records${limitNote}`, next)
  })
}

/** Adds up to 200 neighbours of a node. Parts of compositions are added only if the node has no other links. */
export async function expandAll(of: Id): Promise<void> {
  await attempt(async () => {
    const opened = await openNode(of, nearest)
    const { drawing } = getDrawing()
    let next = setGroups(addNodes(drawing, opened), of, opened.groups)
    for (const group of opened.groups)
      if (membersOf(next, of, group).size > 0) next = markExpanded(next, groupKey(next, of, group))
    changeDrawing(`Expanded ${nodeName(opened.node)}, ${opened.nodes.length} records`, next)
  })
}

/**
 * Draws a path between two records, in the current drawing or a new one. Returns an empty string, or the reason why no path
 * was drawn.
 */
export async function openPath(from: Id, to: Id): Promise<string> {
  const { status, reached, nodes, edges } = await findPath(from, to)
  if (status !== 'found')
    return status === 'none'
      ? 'No links connect these two records.'
      : `No path was found among the ${numberText(reached)} records nearest to the two. There may be a longer one.`
  const { drawing } = getDrawing()
  const base = drawing.nodes.has(from) || drawing.nodes.has(to) ? drawing : emptyDrawing
  changeDrawing(
    `Path of ${edges.length === 1 ? '1 link' : `${edges.length} links`} drawn`,
    addNodes(base, { nodes, edges }),
  )
  return ''
}

/** Runs a function and reports a failure in the status line. */
export async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    notice.set(errorText(error))
  }
}
