// Package raw is a store as rows of tables that are the same whatever database keeps them: what a copy from
// one kind of store to another is made of, and what two stores are compared by.
//
// Rows stand in order of their table's key, texts in order of their bytes. A column holds a number (int64),
// a text (string), bytes ([]byte) or nothing (nil); truths are 0 and 1, times are milliseconds since 1970.
// What can be worked out of the rows, such as indexes, is not among them. Package storetest states the
// promises as tests.
package raw

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// A Store is a store whose rows can be read and written.
type Store interface {
	graph.Store
	kv.Keeper

	// Rows returns up to limit rows behind a key, in order of key; nil is before the first. There may be
	// fewer when they are large, and are none only at the end. The entry kv/Note is left out.
	Rows(ctx context.Context, t Table, after Row, limit int) ([]Row, error)

	// AddRows adds rows, or writes over those of the same key: all of them or none, durably. It is for a store
	// that nobody else uses, and takes what rows say on trust. Nothing is forgotten for its age meanwhile.
	AddRows(ctx context.Context, t Table, rows []Row) error

	Summarizer
}

// A Summarizer can say how much there is.
type Summarizer interface {
	Summary(ctx context.Context) (Summary, error)
}

// A Summary says how much there is in a store.
type Summary struct {
	Concepts    int64 // types among them
	Types       int64
	Connections int64
	Changes     int64 // that are remembered
	Entries     int64 // of kv
	Version     int   // of its layout
}

// A Row has a value for every column of its table.
type Row []any

// A Table is a part of a store. The first Key columns tell its rows apart and order them.
type Table struct {
	Name    string
	Columns []string
	Key     int
}

// Of returns the key of a row.
func (t Table) Of(r Row) Row { return r[:t.Key] }

// The tables, in the order they are copied. What makes a store this one comes last.
var (
	Concept    = Table{"concept", []string{"id", "type", "category", "value", "owner", "access", "composition", "created"}, 1}
	Connection = Table{"connection", []string{"source", "type", "id", "target", "order", "owner", "access", "created"}, 3}
	Sender     = Table{"sender", []string{"id", "user", "session", "randomizer"}, 1}
	// Ghost has ghosts positive; id is 0 for a connection that was skipped.
	Ghost = Table{"ghost", []string{"sender", "connection", "ghost", "id"}, 3}
	// Reserved has nothing as its connection until something was sent under the id; at is when it was reserved.
	Reserved = Table{"reserved", []string{"id", "user", "connection", "became", "at"}, 1}
	// Change has what was touched as graph.Change packs it.
	Change = Table{"change", []string{"seq", "at", "touched"}, 1}
	Entry  = Table{"kv", []string{"key", "value", "version", "expires"}, 1}
	// Identity is one row.
	Identity = Table{"identity", []string{"name"}, 1}
	// Sequence has the next number to give away: of "change", "id" and "kv", which is the version of entries.
	Sequence = Table{"sequence", []string{"name", "next"}, 1}

	Tables = []Table{Concept, Connection, Sender, Ghost, Reserved, Change, Entry, Identity, Sequence}
)

// A Sum is what two tables are compared by: the number of rows, and the SHA-256 of all of them in order,
// each as a JSON array and a line break. Bytes are base64 in there.
type Sum struct {
	Rows int64
	Hash string
}

// most is how many rows are held at once; stores hold back at MostBytes too.
const most = 2_000

// MostBytes is about how much a store answers at once.
const MostBytes = 8 << 20

// SumOf reads a whole table.
func SumOf(ctx context.Context, s Store, t Table) (Sum, error) {
	var sum Sum
	hash := sha256.New()
	encoder := json.NewEncoder(hash)
	err := each(ctx, s, t, nil, func(rows []Row) error {
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

// each calls do with all rows behind a key, some at a time.
func each(ctx context.Context, s Store, t Table, after Row, do func([]Row) error) error {
	for {
		rows, err := s.Rows(ctx, t, after, most)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := do(rows); err != nil {
			return err
		}
		after = t.Of(rows[len(rows)-1])
	}
}
