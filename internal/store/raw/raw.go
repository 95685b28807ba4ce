package raw

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Store is a graph store whose rows can be read and written.
type Store interface {
	graph.Store
	kv.Keeper

	// Rows returns up to limit rows after a key, in order of key; nil means before the first row. It returns fewer rows if
	// they are large, but no rows only at the end of the table. It leaves out the kv entry Note.
	Rows(ctx context.Context, t Table, after Row, limit int) ([]Row, error)

	// AddRows inserts rows atomically and durably. It overwrites rows with the same key. It does not check the rows, and no
	// other program may use the store at the same time. After a call, expired rows are not deleted for a while.
	AddRows(ctx context.Context, t Table, rows []Row) error

	Summarizer
}

// A Summarizer is a store that counts its records.
type Summarizer interface {
	Summary(ctx context.Context) (Summary, error)
}

// A Summary holds the numbers of records in a store.
type Summary struct {
	Concepts    int64 // including types
	Types       int64
	Connections int64
	Changes     int64 // number of stored changes
	Entries     int64 // kv entries
	Version     int   // version of the schema
}

// A Row has a value for every column of its table.
type Row []any

// A Table is a part of a store. The first Key columns are its primary key, by which rows are sorted.
type Table struct {
	Name    string
	Columns []string
	Key     int
}

// Of returns the key of a row.
func (t Table) Of(r Row) Row { return r[:t.Key] }

// The tables, in the order in which they are copied. The identity and the sequences come last.
var (
	Concept    = Table{"concept", []string{"id", "type", "category", "value", "owner", "access", "composition", "created", "position"}, 1}
	Connection = Table{"connection", []string{"source", "type", "id", "target", "order", "owner", "access", "created"}, 3}
	Sender     = Table{"sender", []string{"id", "user", "session", "randomizer"}, 1}
	// Ghost holds local ids as positive numbers; id is 0 for a skipped connection.
	Ghost = Table{"ghost", []string{"sender", "connection", "ghost", "id"}, 3}
	// Reserved has connection nil while the id is unused; at is the time of the reservation.
	Reserved = Table{"reserved", []string{"id", "user", "connection", "became", "at"}, 1}
	// Change holds the touched records as packed by graph.Change.
	Change = Table{"change", []string{"seq", "at", "touched"}, 1}
	Entry  = Table{"kv", []string{"key", "value", "version", "expires"}, 1}
	// Identity has one row.
	Identity = Table{"identity", []string{"name"}, 1}
	// Sequence holds the next unused number of "change", "id" and "kv" (versions of entries).
	Sequence = Table{"sequence", []string{"name", "next"}, 1}

	Tables = []Table{Concept, Connection, Sender, Ghost, Reserved, Change, Entry, Identity, Sequence}
)

// A Sum is a checksum of a table: the number of rows, and the SHA-256 of all rows in order, each as a JSON array followed by a
// line feed. Bytes are encoded in base64.
type Sum struct {
	Rows int64
	Hash string
}

// maxRows is the maximum number of rows in one read; a read also ends at MaxBytes.
const maxRows = 2_000

// MaxBytes is the approximate maximum size of the rows that one call of Rows returns.
const MaxBytes = 8 << 20

// SumOf returns the checksum of a table.
func SumOf(ctx context.Context, s Store, t Table) (Sum, error) {
	var sum Sum
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	err := forEachPage(ctx, s, t, nil, func(rows []Row) error {
		sum.Rows += int64(len(rows))
		for _, r := range rows {
			if err := encoder.Encode(r); err != nil {
				return err
			}
		}
		return nil
	})
	sum.Hash = hex.EncodeToString(hash.Sum(nil))
	return sum, err
}

// forEachPage calls do with pages of the rows after a key.
func forEachPage(ctx context.Context, s Store, t Table, after Row, do func([]Row) error) error {
	for {
		rows, err := s.Rows(ctx, t, after, maxRows)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := do(rows); err != nil {
			return err
		}
		after = t.Of(rows[len(rows)-1])
	}
}
