// Package plan decides which records a batch becomes in a database. The rules are the same for every SQL store. A
// store only loads the records to which the batch refers, runs the plan, and writes the additions of the plan.
//
// # Rules
//
//   - A draft that was sent before, under the same local id or reserved id, becomes the same record as then,
//     even if that record was removed in the meantime. If the meaning of the draft differs, the batch is refused: Conflict.
//   - A type or a shared value is found in the directory, or created. Everything else is always created.
//   - Only the user who reserved an id can use it, and only once. Ids reserved for graph.Anonymous can be
//     used by any user.
//   - The ends and the type of a connection must exist. A connection between a concept and itself is skipped.
//   - Removals follow the drafts. Removing a concept also removes its connections; a fixed concept or a type in use cannot be removed.
//
// # Phases of a batch
//
//	              the store                              the plan
//	load          reads what the batch refers to    →    Learn…
//	              (ConceptRefs, ConnectionRefs,
//	              TypeNames; then SentRecords,
//	              MissingEnds, MissingKeys)
//	plan                                                 Write: drafts → Outcome and Additions
//	                                                     (obtains ids and directory entries from the Database)
//	save          inserts the Additions             ←    Added
//	remove        deletes (a Remover)               ←    Remove
//	number        numbers and stores the change     ←    Outcome.Touched
//
// The PostgreSQL store plans a group of batches with one Plan: it loads and saves for all batches together. The
// SQLite store creates a Plan for each batch, because its lookups need no round trip.
//
// # Cost
//
// A batch with c concepts, n connections and m local or reserved ids takes
//
//	SQLite      2 statements to load a batch of new records with local ids, at most 11 if it refers to others;
//	            then 1 per new concept, 1 per new connection and 1 per local or reserved id; per shared value 1 to
//	            enter it in the directory and 1 more if it is listed there; 1 for the change. No statement leaves the process.
//	PostgreSQL  5 round trips for a whole group of batches: 3 to load, 1 to save, 1 to number and commit;
//	            1 more when the server's block of ids is used up. Removals take 2 round trips for connections,
//	            3 or 4 for concepts and 5 for a type.
//
// The memory store does not use this package: it applies the same rules in its own code, so that the random tests
// of storetest can compare the two.
//
// Reasons for the design: docs/decisions/0001.
package plan
