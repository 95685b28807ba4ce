import type { Id, Removal, Write } from '@weft/client'
import {
  allConnections,
  connect,
  createConcept,
  disconnect,
  link,
  setLink,
} from '@weft/client/graph'
import { begin } from '@weft/client/transaction'
import { client } from '../model/client.ts'
import { undo } from '../model/console.tsx'
import { fieldLabel, namesOf } from '../model/names.ts'
import type { NodeInfo } from './api.ts'
import { addNodes, removeNodes } from './drawing.ts'
import { nodeName } from './names.ts'
import { getDrawing, refreshSoon, select, setDrawing } from './store.ts'

/*
 * Changes of records from the drawing. A change is shown immediately, and pushed onto the undo list when the server has accepted it.
 * A refused change is discarded, and its promise rejects with the server's error.
 */

/** Waits until the server has accepted a write. A refused write is discarded. */
async function awaitAccepted<T extends Write>(write: T): Promise<T> {
  try {
    await write.synced
  } catch (error) {
    if (write.key !== '') await client.sync.discard(write.key)
    throw error
  } finally {
    refreshSoon()
  }
  return write
}

/** Creates a record with one field, and shows it. Links it to a node if `from` is given. */
export async function addRecord(
  type: string,
  field: string,
  text: string,
  from?: { readonly id: Id; readonly link: string },
): Promise<void> {
  const create = async (): Promise<Id> => {
    const { id } = await awaitAccepted(client.create(type, { [field]: text }))
    if (from) await awaitAccepted(link(client, from.id, from.link, id))
    const real = client.realId(id) ?? id
    const node: NodeInfo = {
      id: real,
      type,
      kind: 'record',
      label: text,
      owner: 0,
      access: 4,
      labelType: `the_${field}`,
    }
    setDrawing({ drawing: addNodes(getDrawing().drawing, { nodes: [node], edges: [] }) })
    select(real)
    refreshSoon(0)
    return real
  }
  let id = await create()
  undo.push({
    label: `Added ${namesOf(type).one.toLowerCase()} ${text}`,
    undo: async () => {
      await awaitAccepted(client.remove(id))
      setDrawing({ drawing: removeNodes(getDrawing().drawing, new Set([id])) })
    },
    redo: async () => {
      id = await create()
    },
  })
}

/** Links two records. */
export async function connectRecords(from: NodeInfo, type: string, to: NodeInfo): Promise<void> {
  const make = async () => {
    const write = await awaitAccepted(link(client, from.id, type, to.id, { access: from.access }))
    // A record that was found with a search may not be drawn yet.
    setDrawing({ drawing: addNodes(getDrawing().drawing, { nodes: [to], edges: [] }) })
    refreshSoon(0)
    return write.connection
  }
  let connection = await make()
  undo.push({
    label: `Linked ${nodeName(from)} to ${nodeName(to)} as ${fieldLabel(type, from.type)}`,
    undo: async () => {
      await awaitAccepted(disconnect(client, connection))
      refreshSoon(0)
    },
    redo: async () => {
      connection = await make()
    },
  })
}

/** Removes a link. */
export async function removeConnection(
  id: Id,
  from: NodeInfo,
  type: string,
  to: NodeInfo,
): Promise<void> {
  const remove = async (connection: Id) => {
    await allConnections(client, from.id)
    await awaitAccepted(disconnect(client, connection))
    refreshSoon(0)
  }
  await remove(id)
  let connection = id
  undo.push({
    label: `Removed the link from ${nodeName(from)} to ${nodeName(to)}`,
    undo: async () => {
      connection = (await awaitAccepted(link(client, from.id, type, to.id))).connection
      refreshSoon(0)
    },
    redo: () => remove(connection),
  })
}

/** Changes the text that names a record. */
export async function renameRecord(node: NodeInfo, text: string): Promise<void> {
  const before = node.label
  const rename = async (value: string) => {
    await client.load(node.id)
    if (node.labelVia === undefined) {
      const field = (node.labelType ?? 'the_name').replace(/^the_/, '')
      await awaitAccepted(client.update(node.id, { [field]: value }))
    } else {
      await allConnections(client, node.id)
      const { id } = createConcept(client, node.labelType ?? 'the_name', value, {
        access: node.access,
      })
      await awaitAccepted(setLink(client, node.id, node.labelVia, id))
    }
    refreshSoon(0)
  }
  await rename(text)
  undo.push({
    label: `Renamed ${before || namesOf(node.type).one} to ${text}`,
    undo: () => rename(before),
    redo: () => rename(text),
  })
}

/** Removes a record with its fields and parts. */
export async function removeRecord(node: NodeInfo): Promise<void> {
  const remove = async () => {
    await loadAround(node.id)
    const removal = await awaitAccepted(client.remove(node.id))
    setDrawing({
      drawing: removeNodes(getDrawing().drawing, new Set([node.id])),
      selected: undefined,
    })
    return removal
  }
  let removal = await remove()
  let { id } = node
  undo.push({
    label: `Removed ${nodeName(node)}`,
    undo: async () => {
      const restored = await awaitAccepted(removal.undo())
      id = client.realId(restored.id) ?? restored.id
      setDrawing({
        drawing: addNodes(getDrawing().drawing, { nodes: [{ ...node, id }], edges: [] }),
      })
      select(id)
      refreshSoon(0)
    },
    redo: async () => {
      removal = await remove()
    },
  })
}

/** Loads a record and its links, because undoing a removal restores only loaded links. */
async function loadAround(id: Id): Promise<void> {
  await client.load(id)
  await Promise.all([allConnections(client, id, 'out'), allConnections(client, id, 'in')])
}

/** Maximum number of links that a merge moves. */
const maxMoved = 500

/** The result of a merge, for a preview. `kept` gets the links and fields of `removed`. */
export interface MergePlan {
  readonly kept: NodeInfo
  readonly removed: NodeInfo
  /** Links that move to `kept`. */
  readonly moved: readonly { readonly from: Id; readonly type: Id; readonly to: Id }[]
  /** The number of links of `removed` that need not move, because `kept` has the same link or is the other end. */
  readonly same: number
  /** Fields of `removed` that `kept` does not have. */
  readonly fields: Readonly<Record<string, string>>
  /** Fields of `removed` that are lost, because `kept` has another value for them. */
  readonly dropped: Readonly<Record<string, string>>
}

/** Prepares a merge, which moves the links and fields of `removed` to `kept`. Rejects if there are more than `maxMoved` links. */
export async function planMerge(kept: NodeInfo, removed: NodeInfo): Promise<MergePlan> {
  await Promise.all([loadAround(kept.id), loadAround(removed.id)])
  const links = await linksOf(removed.id)
  if (links.length > maxMoved)
    throw new Error(
      `${nodeName(removed)} has ${links.length} links; a merge moves up to ${maxMoved}. Merge in the other direction.`,
    )
  const present = new Set((await linksOf(kept.id)).map(linkKey))
  const wanted = links.map((one) => ({
    ...one,
    from: one.from === removed.id ? kept.id : one.from,
    to: one.to === removed.id ? kept.id : one.to,
  }))
  const moved = wanted.filter((one) => one.from !== one.to && !present.has(linkKey(one)))
  const own = textsOf(kept.id)
  const other = Object.entries(textsOf(removed.id))
  return {
    kept,
    removed,
    moved,
    same: wanted.length - moved.length,
    fields: Object.fromEntries(other.filter(([name]) => !(name in own))),
    dropped: Object.fromEntries(other.filter(([name, text]) => name in own && own[name] !== text)),
  }
}

const linkKey = ({ from, type, to }: { from: Id; type: Id; to: Id }) => `${from} ${type} ${to}`

/** Returns the links of a record that are not inside a composition. */
async function linksOf(id: Id) {
  const found = await Promise.all([
    allConnections(client, id, 'out'),
    allConnections(client, id, 'in'),
  ])
  const all = found.flat().map(({ from, type, to }) => ({ from, type, to }))
  const types = await Promise.all(
    [...new Set(all.map(({ type }) => type))].map((type) => client.get(type)),
  )
  const named = new Set(types.flatMap((type) => (type?.value ? [type.id] : [])))
  return all.filter(({ type }) => named.has(type))
}

/** Returns the fields of a record whose value is a single text, without nested records and lists. */
function textsOf(id: Id): Readonly<Record<string, string>> {
  const fields = Object.values(client.record(id) ?? {}).length > 0 ? client.record(id) : undefined
  return Object.fromEntries(
    Object.entries(fields ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
}

/** Removes fields from a record. */
async function removeTexts(id: Id, fields: Readonly<Record<string, string>>): Promise<void> {
  const texts = new Set(Object.values(fields))
  const links = await allConnections(client, id)
  const isAdded = (to: Id) => texts.has(client.concept(to)?.value ?? '')
  const added = links.filter((c) => c.type === c.from && isAdded(c.to)).map((c) => c.id)
  if (added.length > 0) await awaitAccepted(disconnect(client, added))
}

/** The order number of connections that are not inside a composition. */
const linkOrder = 1000

async function applyMerge({ kept, removed, moved, fields }: MergePlan): Promise<Removal> {
  const transaction = begin(client)
  transaction.run((writer) => {
    for (const { from, type, to } of moved)
      connect(writer, from, type, to, { order: linkOrder, access: kept.access })
  })
  if (Object.keys(fields).length > 0) transaction.update(kept.id, fields)
  const removal = transaction.remove(removed.id)
  await awaitAccepted(await transaction.commit())
  return removal
}

/** Merges two records in one transaction. */
export async function mergeRecords(plan: MergePlan): Promise<void> {
  const { kept, removed, moved, fields } = plan
  let removal = await applyMerge(plan)
  setDrawing({
    drawing: removeNodes(getDrawing().drawing, new Set([removed.id])),
    selected: kept.id,
  })
  refreshSoon(0)
  undo.push({
    label: `Merged ${nodeName(removed)} into ${nodeName(kept)}`,
    undo: async () => {
      const restored = await awaitAccepted(removal.undo())
      const added = new Set(moved.map(linkKey))
      for (const direction of ['out', 'in'] as const)
        for (const c of await allConnections(client, kept.id, direction))
          if (added.has(linkKey(c))) await awaitAccepted(disconnect(client, c.id))
      await removeTexts(kept.id, fields)
      const id = client.realId(restored.id) ?? restored.id
      setDrawing({
        drawing: addNodes(getDrawing().drawing, { nodes: [{ ...removed, id }], edges: [] }),
      })
      refreshSoon(0)
    },
    redo: async () => {
      removal = await applyMerge(plan)
    },
  })
}
