export type { Made } from './batch.ts'
export { removeWhole, updateInside } from './change.ts'
export { createConcept, createRecord, createType } from './concept.ts'
export { allConnections } from './connections.ts'
export { createData, type DataOptions } from './data.ts'
export { readData } from './data-read.ts'
export { between, disconnect, type Ends, unlink, unlinkAll, unlinkEach } from './disconnect.ts'
export {
  type Connecting,
  type ConnectOptions,
  connect,
  type LinkerOptions,
  link,
  linkFormerly,
} from './link.ts'
export { countLinks, keptCount, type LinksOptions, links, relation } from './links.ts'
export { whenLoaded } from './loaded.ts'
export {
  concepts,
  connections,
  find,
  findByValue,
  prefetch,
  preload,
  translate,
  type,
  types,
} from './look-up.ts'
export { createPrototype, type Prototype } from './prototype.ts'
export {
  type ListOptions,
  list,
  read,
  type SearchOptions,
  search,
  type View,
  view,
} from './read.ts'
