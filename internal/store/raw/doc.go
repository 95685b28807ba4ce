// Package raw presents a store as rows of tables that do not depend on the database. These rows are used for copying
// a store to another database and for comparing two stores.
//
// Rows are sorted by the key of their table; strings sort by their bytes. A column holds a number (int64), a string, bytes
// ([]byte) or nil. Booleans are 0 and 1, times are milliseconds since 1970. Derived data, such as indexes and counts, is not
// included: AddRows maintains it. Package storetest states the contract as tests.
//
// # Copying
//
// Copy can be interrupted and called again. Its state is the kv entry Note in the destination:
//
//	empty ──→ copying (Note: table and key of the last row) ──→ compared ──→ finished (no Note)
//	              ↑  interrupted: continues after that row │
//	              └────────────────────────────────────────┘
//
// A copy reads and writes pages of 2,000 rows, or about MaxBytes, and then reads both stores once more to compare checksums.
//
// Reasons for the design: docs/decisions/0016.
package raw
