/**
 * The recordings that no test replays unchanged. For each: the title of a test, in this package or in the client, that
 * checks the same behaviour against a real server, and an explanation of the difference, if there is one.
 */
export const covered: Readonly<Record<string, readonly [test: string, difference?: string]>> = {
  'create-actions-sync': [
    'a sync resolves with the concepts that it sent, which have their real ids',
  ],
  'create-composition-local-then-read-local': ['an unsent composition can be read by its local id'],
  'create-composition-local-then-sync': [
    'a sync resolves with the concepts that it sent, which have their real ids',
    'The types that a composition needs are sent with it. The incumbent leaves them out.',
  ],
  'create-connection-local': ['a connection from a concept to itself is not created: its id is 0'],
  'create-instance-local-255-chars': [
    'values of up to 255 UTF-16 units are reused, longer and empty values are not',
  ],
  'create-instance-local-256-chars': [
    'values of up to 255 UTF-16 units are reused, longer and empty values are not',
  ],
  'create-instance-local-empty-value': [
    'values of up to 255 UTF-16 units are reused, longer and empty values are not',
  ],
  'create-instance-local-value-reused': [
    'values of up to 255 UTF-16 units are reused, longer and empty values are not',
  ],
  'create-local-id-sequence': [
    'creates, reads, edits and removes a composition',
    'Each page has its own block of local ids, so that tabs and profiles never share one.',
  ],
  'create-online-composition': ['online calls return real ids'],
  'create-online-connection-general': [
    'a connection to an unsent concept is refused with the status 400',
  ],
  'create-online-connection-two-concepts': [
    'legacy links have a reverse link and counts on request',
  ],
  'create-online-instance-256-chars': ['a value of 256 characters is stored whole'],
  'create-type-local-no-prefix': ['the type %s is created once, under its name'],
  'create-type-local-the': ['the concept "the" is fixed'],
  'create-type-local-the_person': ['the type %s is created once, under its name'],
  'create-type-local-the_person_name': ['the type %s is created once, under its name'],
  'create-type-local-twice': ['the type %s is created once, under its name'],
  'observer-cache-refresh-format2': [
    'all listeners of a query get the new answer',
    'All listeners receive a new answer. In the incumbent no listener does.',
  ],
  'observer-cache-refresh-format6': [
    'all listeners of a query get the new answer',
    'All listeners receive a new answer once. The incumbent refetches endlessly.',
  ],
  'observer-error-callback': ['a refused query calls the error callback, and rejects'],
  'observer-query-answers-empty-array': [
    'without a server a query is answered from the page',
    'If no server responds, local data is shown. The incumbent throws a TypeError.',
  ],
  'observer-schema-listener-new-concept-of-type': [
    'a schema query listener follows new records and edits until it is unsubscribed',
  ],
  'observer-schema-listener-updates-on-new-connection': [
    'a removed link and a removed record leave no row',
    'A removed record leaves no row. The incumbent leaves one for concept 0.',
  ],
  'observer-unsubscribe': ['the promise of a subscription and its value have a method unsubscribe'],
  'observer-update-refetches': ['update asks the server again with the current query'],
  'search-RecursiveSearchListener-raw': [
    'a recursive search returns ids, and the compositions that contain the text',
  ],
  'sync-2000-one-request': ['puts up to 2,000 records in a request and never splits a write'],
  'sync-large-chunks': [
    'puts up to 2,000 records in a request and never splits a write',
    'The records of one write stay together. The incumbent separates concepts from connections.',
  ],
  'sync-one-concept-and-connection-exact-json': [
    'creates a link and its new type in one request',
    'The server accepts the members that the client sends. Members that the server would ignore are left out.',
  ],
  'sync-server-answer-mapping': [
    'a sync resolves with the concepts that it sent, which have their real ids',
  ],
  'transaction-commit': ['a transaction is sent as one request, and a rollback leaves nothing'],
  'transaction-commit-without-auth': [
    'a transaction is sent as one request, and a rollback leaves nothing',
  ],
  'transaction-rollback': [
    'a transaction is sent as one request, and a rollback leaves nothing',
    'A rollback removes the writes. In the incumbent they stay in its list.',
  ],
  'update-composition-online': ['members are replaced by values and by nested records'],
  'update-composition-online-object': ['members are replaced by values and by nested records'],
  'widget-cached-second-call': [
    'widget-getWidgetFromId',
    'Every call asks the server. The incumbent shows the previous version once more.',
  ],
}
