import type { Client, Write } from '../api.ts'
import { type Internals, internalsOf } from '../internals.ts'
import type { Connection } from '../model/connection.ts'
import { WeftError } from '../model/error.ts'
import type { Id } from '../model/id.ts'
import { createEndedWrite } from '../sync/status.ts'
import { typeNameOf } from './create-link.ts'
import { type AccessOptions, type Batch, createBatch } from './record-batch.ts'
import { linkRelation } from './type-names.ts'

/**
 * Makes a link to `other` the only loaded link of its relation, in one write. With null, removes the links. Links that
 * are not loaded are not removed. If two clients set the link at the same time, both links exist; readers use the
 * newest, which is that of the last write to reach the server. The next `setLink` of a client that has loaded both
 * removes the older one.
 *
 * @param relation full name, `the_person_boss`, or the part after the source's type: `boss`
 */
export function setLink(
  client: Client,
  id: Id,
  relation: string,
  other: Id | null,
  { access }: AccessOptions = {},
): Write {
  const links = loadLinks(client, id, relation)
  const batch = createBatch(links.internals, access)
  const kept = other === null ? undefined : findLinkTo(links, other)
  if (other !== null && !kept) batch.addConnection(id, batch.addType(links.name), checkId(other))
  return writeLinks(
    links,
    batch,
    links.all.filter((c) => c !== kept),
  )
}

/** Adds a link, unless a loaded link is equal. The relation is named as in `setLink`. */
export function addLink(
  client: Client,
  id: Id,
  relation: string,
  other: Id,
  { access }: AccessOptions = {},
): Write {
  const links = loadLinks(client, id, relation)
  const batch = createBatch(links.internals, access)
  if (!findLinkTo(links, other)) batch.addConnection(id, batch.addType(links.name), checkId(other))
  return writeLinks(links, batch, [])
}

/** Removes the loaded links of a relation to a record. The relation is named as in `setLink`. */
export function removeLink(client: Client, id: Id, relation: string, other: Id): Write {
  const links = loadLinks(client, id, relation)
  const to = links.internals.graph.canonical(checkId(other))
  return writeLinks(
    links,
    createBatch(links.internals),
    links.all.filter((c) => c.to === to),
  )
}

/** The links of a relation that are loaded, oldest first. */
interface Links {
  readonly internals: Internals
  readonly source: Id
  readonly name: string
  readonly all: readonly Connection[]
}

function loadLinks(client: Client, id: Id, relation: string): Links {
  const internals = internalsOf(client)
  const { graph } = internals
  const source = graph.canonical(checkId(id))
  const name = linkRelation(
    relation.startsWith('the_') ? '' : typeNameOf(internals, source),
    relation,
  )
  const type = graph.type(name)
  return { internals, source, name, all: type === undefined ? [] : graph.out(source, type) }
}

const findLinkTo = ({ internals, all }: Links, other: Id): Connection | undefined =>
  all.findLast((c) => c.to === internals.graph.canonical(other))

function writeLinks({ internals, source }: Links, batch: Batch, removed: readonly Connection[]) {
  const { graph } = internals
  const records = batch.records()
  const removeConnections = removed.map((c) => c.id)
  if (records.connections.length + removeConnections.length === 0)
    return createEndedWrite(source, () => graph.real(source))
  return internals.write(records, 'update', source, { removeConnections })
}

function checkId(id: Id): Id {
  if (id && Number.isInteger(id)) return id
  throw new WeftError('invalid', `an id is a number, not ${JSON.stringify(id)}`)
}
