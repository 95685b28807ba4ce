// Package postgres stores a graph in a PostgreSQL database, which any number of servers (processes) may share.
//
// # Writing
//
// Each server has a queue and one goroutine that commits. The goroutine takes all waiting batches as a group and writes
// the group in one transaction of 5 round trips, whatever its size.
//
//	load     begin, locks, senders │ local and reserved ids, types │ sent records, ends, values     3 round trips
//	plan     decides what the batches become, in memory (package plan)                            none
//	save     inserts rows, table by table, each in the order of its key                           1
//	remove   only for a batch with removals, which is then alone in its group                     2 for connections, 3 or 4
//	                                                                                              for concepts, 5 for a type
//	finish   numbers the changes, adds the tallies, notifies, commits                             1
//
// # Several servers
//
//   - Adding takes a shared advisory lock, removing an exclusive one. A record that exists when a transaction loads it
//     therefore exists when the transaction commits.
//   - Ids come from a table, in blocks of at least idBlock. A server takes a block in a separate statement before the
//     transaction, so that servers do not wait for each other's transactions.
//   - If two servers add the same value, type, sender or local id, they collide on a primary key: the second waits for the
//     first to commit, inserts fewer rows than it planned, and plans again (errCrossed). After maxSharedAttempts it takes the
//     exclusive lock. All transactions insert into the tables in the same sequence, and into each table in order of the key, so they cannot deadlock.
//   - Change numbers come from a row that is locked last, until the commit. The numbers have no gap, and a reader that sees a
//     number sees every change before it.
//   - NOTIFY only wakes servers up: it has no content, and a server that misses it reads the changes anyway. See Listen.
//
// States of a group:
//
//	planned ──→ committed
//	   │  ↑
//	   │  └── crossed, fewer than maxSharedAttempts times; then once with the exclusive lock
//	   ├────→ failed, one batch           → its error: Unavailable if the database cannot be reached
//	   └────→ failed, several batches     → each batch is written alone, unless the database cannot be reached
//
// # Tables
//
// The tables are those of package sqlite, except that concept itself holds long values, keys and folded values, and that
// tally holds the sizes. Extensions are optional: without pg_trgm, Like reads all values of a type.
//
// The store does not use features that a distributed PostgreSQL lacks: triggers, foreign keys and sequences.
//
// Reasons for the design: docs/decisions/0009.
package postgres
