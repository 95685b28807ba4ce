package raw

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Note is the key of the kv entry that marks a store as an unfinished copy.
const Note = "store/copy"

// A note is the value of the entry Note: the original and the progress of the copy.
type note struct {
	From   string          `json:"from"`  // identity of the original
	State  string          `json:"state"` // rows of the table Sequence in the original when the copy began
	Table  string          `json:"table"` // table being copied
	After  json.RawMessage `json:"after"` // key of the last row copied
	tables []Table
	after  Row
}

// CheckFinished returns an Unavailable error for a store that is an unfinished copy and therefore must not be used.
func CheckFinished(ctx context.Context, store graph.Store) error {
	entries := kv.In(store)
	if entries == nil {
		return nil
	}
	found, err := entries.Get(ctx, Note)
	if err != nil || len(found) == 0 {
		return err
	}
	return graph.Errorf(graph.Unavailable, "this store is a copy that was not finished; run weft store copy again to continue")
}

// Copy copies a store into an empty store and compares the two stores. No program may write to the original during the
// copy. After an interruption, another call continues the copy. If the copy is finished, a call only compares the stores.
// Progress may be nil.
//
// Errors: Conflict if the destination is neither empty nor an unfinished copy of this store, or if the original has changed
// since the copy began; Internal if the two stores differ after the copy.
func Copy(ctx context.Context, from, to Store, progress Progress) error {
	n, err := begin(ctx, from, to)
	if err != nil {
		return err
	}
	c := copying{from, to, n, progress}
	for i, t := range n.tables {
		var after Row
		if i == 0 {
			after = n.after
		}
		if err := c.copyTable(ctx, t, after); err != nil {
			return fmt.Errorf("copying %s: %w", t.Name, err)
		}
	}
	if err := checkUnchanged(ctx, from, n); err != nil {
		return err
	}
	if err := c.compare(ctx); err != nil {
		return err
	}
	return to.KV().Commit(ctx, kv.Delete(Note))
}

// Progress is notified of the progress of a copy: Copied after each page of rows, Same when a table was compared.
type Progress interface {
	Copied(t Table, rows int)
	Same(t Table, sum Sum)
}

// begin returns the note of a copy, which determines the remaining tables.
func begin(ctx context.Context, from, to Store) (note, error) {
	fresh, err := noteOf(ctx, from)
	if err != nil {
		return note{}, err
	}
	found, err := to.KV().Get(ctx, Note)
	if err != nil {
		return note{}, err
	}
	if len(found) == 0 {
		return beginNew(ctx, to, fresh)
	}
	var n note
	if err := json.Unmarshal(found[0].Value, &n); err != nil {
		return note{}, fmt.Errorf("reading the progress of the copy: %w", err)
	}
	if n.From != fresh.From {
		return note{}, graph.Errorf(graph.Conflict, "the destination is an unfinished copy of another store")
	}
	if err := checkUnchanged(ctx, from, n); err != nil {
		return note{}, err
	}
	at := slices.IndexFunc(Tables, func(t Table) bool { return t.Name == n.Table })
	if at < 0 {
		return note{}, graph.Errorf(graph.Conflict, "the destination was begun by another version of Weft; empty it and copy again")
	}
	n.tables = Tables[at:]
	n.after, err = readKey(n.After)
	return n, err
}

// beginNew begins a copy in an empty store. A destination with the identity and sequences of the original counts as a finished
// copy that must still be compared.
func beginNew(ctx context.Context, to Store, fresh note) (note, error) {
	err := checkEmpty(ctx, to)
	if graph.KindOf(err) != graph.Conflict {
		if err != nil {
			return note{}, err
		}
		return fresh, fresh.store(ctx, to, Tables[0], nil)
	}
	found, noteErr := noteOf(ctx, to)
	if noteErr != nil || found.From != fresh.From || found.State != fresh.State {
		return note{}, errors.Join(err, noteErr)
	}
	fresh.tables = nil
	return fresh, nil
}

// noteOf returns the note with which a copy of a store begins.
func noteOf(ctx context.Context, from Store) (note, error) {
	identity, err := from.Identity(ctx)
	if err != nil {
		return note{}, err
	}
	state, err := stateOf(ctx, from)
	return note{From: identity, State: state, tables: Tables}, err
}

// stateOf returns the sequences of a store as text. The text changes with every write.
func stateOf(ctx context.Context, s Store) (string, error) {
	rows, err := s.Rows(ctx, Sequence, nil, maxRows)
	return fmt.Sprint(rows), err
}

// checkUnchanged returns a Conflict error if the store has changed since its copy began.
func checkUnchanged(ctx context.Context, from Store, n note) error {
	state, err := stateOf(ctx, from)
	if err != nil {
		return err
	}
	if state != n.State {
		return graph.Errorf(graph.Conflict, "the store was written to since the copy began; empty the destination and copy again while no program writes")
	}
	return nil
}

// checkEmpty returns a Conflict error for a store that has been used.
func checkEmpty(ctx context.Context, to Store) error {
	seq, err := to.LastSeq(ctx)
	if err != nil {
		return err
	}
	used := seq > 0
	for _, t := range []Table{Sender, Reserved, Entry} {
		rows, err := to.Rows(ctx, t, nil, 1)
		if err != nil {
			return err
		}
		used = used || len(rows) > 0
	}
	if used {
		return graph.Errorf(graph.Conflict, "the destination is not empty")
	}
	return nil
}

// store stores the progress of the copy. It must be called after the rows are written: after an interruption some rows are then
// written twice, which is harmless.
func (n note) store(ctx context.Context, to Store, t Table, after Row) error {
	key, err := json.Marshal(after)
	if err != nil {
		return err
	}
	n.Table, n.After = t.Name, key
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return to.KV().Commit(ctx, kv.Put(Note, text))
}

// readKey decodes the key of a row, which consists of numbers and strings.
func readKey(text []byte) (Row, error) {
	var key Row
	if err := json.Unmarshal(text, &key); err != nil {
		return nil, fmt.Errorf("reading the progress of the copy: %w", err)
	}
	for i, v := range key {
		if number, ok := v.(float64); ok { // exact, because ids are at most graph.MaxID
			key[i] = int64(number)
		}
	}
	return key, nil
}

// A copying is a copy in progress.
type copying struct {
	from, to Store
	note     note
	progress Progress
}

// copyTable copies the rows of a table after a key.
func (c copying) copyTable(ctx context.Context, t Table, after Row) error {
	return forEachPage(ctx, c.from, t, after, func(rows []Row) error {
		if err := c.to.AddRows(ctx, t, rows); err != nil {
			return err
		}
		if c.progress != nil {
			c.progress.Copied(t, len(rows))
		}
		if t.Name == Sequence.Name {
			return nil // storing the note would use the next version number
		}
		return c.note.store(ctx, c.to, t, t.Of(rows[len(rows)-1]))
	})
}

// compare returns an Internal error for the first table that differs.
func (c copying) compare(ctx context.Context) error {
	for _, t := range Tables {
		want, err := SumOf(ctx, c.from, t)
		if err != nil {
			return err
		}
		got, err := SumOf(ctx, c.to, t)
		if err != nil {
			return err
		}
		if got != want {
			return graph.Errorf(graph.Internal, "the copy of %s differs: %d rows (%s), not %d (%s)", t.Name, got.Rows, got.Hash, want.Rows, want.Hash)
		}
		if c.progress != nil {
			c.progress.Same(t, want)
		}
	}
	return nil
}
