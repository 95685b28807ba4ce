/**
 * React hooks for a Weft client. The core entry point: it depends on `@weft/client` and React only.
 *
 *   <WeftProvider client>      provides the client to everything below; it neither creates nor closes it
 *     useWeft()                the client itself, for writes
 *     useQuery, useLive        the result of a query and its updates       (LiveQuery of the client)
 *     useSuspenseQuery         the same for `client.find`, with Suspense   (TypedQuery of the client)
 *     useInfiniteQuery         the same, with further pages at the end of a list
 *     useRecord, useConcept    one record and its updates                  (lookup.ts)
 *     useSyncStatus, usePending  the state of the outbox
 *     useSession               the signed-in user
 *
 * Every hook is a thin binding over `useSyncExternalStore`: it subscribes when the component mounts, returns a status
 * union (`loading`, `ready`, `missing`, `error`) and unsubscribes when the component unmounts. The graph, the cache and
 * the network stay in the client. A render costs no request: requests start with the first subscription.
 *
 * The other entry points of the package:
 *
 *   /page           stored pages and widgets as components
 *   /widget         the class behind widgets with code
 *   /form           forms with validation rules
 *   /select         a text box that searches records
 *   /graph-view     a drawing of concepts and connections
 *   /documentation  the button and dialog with the documentation of a widget
 *
 * The folders `stored` (widget trees and their conversion to HTML and CSS) and `frame` (the script inside the sandbox) are
 * internal.
 */
export type { Loaded } from './lookup.ts'
export { useWeft, WeftProvider } from './provider.tsx'
export { useConcept } from './use-concept.ts'
export { type InfiniteMore, useInfiniteQuery } from './use-infinite-query.ts'
export { useLive } from './use-live.ts'
export { type Disabled, type LiveQueryState, type More, useQuery } from './use-query.ts'
export { useRecord } from './use-record.ts'
export { type Session, useSession } from './use-session.ts'
export { useSuspenseQuery } from './use-suspense-query.ts'
export { usePending, useSyncStatus } from './use-sync-status.ts'
