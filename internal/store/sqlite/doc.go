// Package sqlite stores a graph in SQLite, in one directory on disk. One process writes and many can read. Every batch
// for which Write returned without an error survives a crash of the process or the machine.
//
// # Files
//
//	weft.db          the database; while it is open, also weft.db-wal and weft.db-shm
//	weft.lock        held exclusively by the process that writes; the system releases it when the process ends
//
// # The writer
//
// One goroutine owns the only connection that writes. Write, Reserve, kv commits and AddRows send it requests and wait.
//
//	           request                     more requests are waiting: up to groupBatches in one group
//	waiting ───────────→ committing ──┐
//	   ↑                              │    begin; for each request: savepoint, work, release or rollback to; commit
//	   ├──────────────────────────────┘
//	   │  no request for idleDelay, values not indexed
//	   ├───────────→ indexing ──┐          one transaction of at most indexBatch values; repeated until all are indexed
//	   ├────────────────────────┘
//	   └─ Close ───→ closed
//
// If a request fails with a graph.Error, only that request is rolled back. Any other error, such as a full disk, rolls back
// the whole group: all of its requests fail, with Unavailable if the error may be temporary. The caches of the writer (known)
// are restored with the transaction.
//
// # Durability
//
// The journal is a write-ahead log with synchronous=full: a commit returns when the log is on disk. The requests of a
// group share this wait. The log is copied into the database after 20,000 pages.
//
// # Tables and indexes
//
// The list gives the key of each table or index, and the reads that use it.
//
//	concept               by id                        Concepts
//	concept_instance      type, id (instances)         ConceptsByType; instances of a type in Select
//	concept_kind_type     type (types)                 whether a type is in use
//	concept_kind_category category (types)             whether a type is in use
//	text                  by id                        values longer than graph.MaxSharedValue
//	directory             hash, category, type, scope  ConceptsByValue; find-or-make of types and shared values
//	connection            source, type, id             Links and CountLinks outwards
//	connection_target     target, type, id             Links and CountLinks inwards
//	connection_id         id                           Connections
//	connection_type_scope type, scope, id              Holders, removal of a composition, whether a type is in use
//	*_source_scope, *_target_scope, concept_type_scope
//	                      the same with the scope      the same for a viewer; see docs/decisions/0021
//	ghost                 sender, connection, ghost    the records sent under local ids
//	reserved              by id                        reserved ids and the records sent under them
//	change                by seq                       Changes
//	size, hidden          type; type and scope         CountByType, CountVisible, Sizes, VisibleSizes
//	value_key             type, scope, key, id         comparisons with a value in Select; ValueKeys
//	value_key_hidden      type, key, id                the same in all scopes but 0, without a viewer
//	value_text            trigrams of values and type  patterns of Like in Select
//	waiting, indexed                                   values that value_key and value_text do not have yet
//	kv                    by key; expires              entries
//
// The writer fills value_key and value_text when no request is waiting, because a trigram index costs more than all
// other work of a write. If more than maxUnindexed ids are not indexed, the writer also indexes values after each group. Select reads the values that are not indexed yet one by one, so its results do not depend on
// the indexes.
//
// # Cost
//
// A batch loads the records to which it refers in at most 11 statements, usually 2, and then inserts row by row through prepared
// statements; package plan has the exact numbers. Measured alternatives were not faster: statements of many rows took as long,
// and reading rows from a JSON array took twice as long, because most of the time is spent in the B-trees. Only local ids, whose
// rows are short, are inserted faster from a JSON object.
//
// Readers use separate connections and do not wait for the writer.
package sqlite
