package raw

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Note is the key of the entry that a store has as long as it is an unfinished copy.
const Note = "store/copy"

// A note says what a store is becoming a copy of, and how far that is.
type note struct {
	From   string          `json:"from"`  // its identity
	State  string          `json:"state"` // its sequences when it was begun
	Table  string          `json:"table"` // the one being copied
	After  json.RawMessage `json:"after"` // the key of the last row that was
	tables []Table
	after  Row
}

// Finished returns an Unavailable error for a store that is an unfinished copy: nobody may use it.
func Finished(ctx context.Context, store graph.Store) error {
	entries := kv.In(store)
	if entries == nil {
		return nil
	}
	found, err := entries.Get(ctx, Note)
	if err != nil || len(found) == 0 {
		return err
	}
	return graph.Errorf(graph.Unavailable, "this store is a copy that was not finished; run weft store copy again to go on")
}

// Copy makes an empty store the same as another, which nobody may write to meanwhile, and compares the two in
// the end. Broken off and called again it goes on where it was; called for a finished copy it compares. Told is called for each table when it is known
// to be the same, and before that with how many rows have been copied; it may be nil.
//
// Errors: Conflict for a store that is neither empty nor a copy of this one that was begun, and for one that
// changed since.
func Copy(ctx context.Context, from, to Store, told Progress) error {
	n, err := begin(ctx, from, to)
	if err != nil {
		return err
	}
	for i, t := range n.tables {
		var after Row
		if i == 0 {
			after = n.after
		}
		if err := copyTable(ctx, from, to, t, after, n, told); err != nil {
			return fmt.Errorf("copying %s: %w", t.Name, err)
		}
	}
	if err := unchanged(ctx, from, n); err != nil {
		return err
	}
	if err := compare(ctx, from, to, told); err != nil {
		return err
	}
	return to.KV().Commit(ctx, kv.Delete(Note))
}

// Progress hears of a copy.
type Progress interface {
	Copied(t Table, rows int)
	Same(t Table, sum Sum)
}

// begin finds the tables that are left to copy.
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
		return note{}, fmt.Errorf("reading how far the copy is: %w", err)
	}
	if n.From != fresh.From {
		return note{}, graph.Errorf(graph.Conflict, "the destination is an unfinished copy of another store")
	}
	if err := unchanged(ctx, from, n); err != nil {
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

// beginNew begins in an empty store. One that looks like the finished copy is left to be compared: whoever was
// broken off just then calls again.
func beginNew(ctx context.Context, to Store, fresh note) (note, error) {
	err := empty(ctx, to)
	if graph.KindOf(err) != graph.Conflict {
		if err != nil {
			return note{}, err
		}
		return fresh, fresh.keep(ctx, to, Tables[0], nil)
	}
	there, wrong := noteOf(ctx, to)
	if wrong != nil || there.From != fresh.From || there.State != fresh.State {
		return note{}, errors.Join(err, wrong)
	}
	fresh.tables = nil
	return fresh, nil
}

func noteOf(ctx context.Context, from Store) (note, error) {
	identity, err := from.Identity(ctx)
	if err != nil {
		return note{}, err
	}
	state, err := stateOf(ctx, from)
	return note{From: identity, State: state, tables: Tables}, err
}

// stateOf differs whenever something was written.
func stateOf(ctx context.Context, s Store) (string, error) {
	rows, err := s.Rows(ctx, Sequence, nil, most)
	return fmt.Sprint(rows), err
}

func unchanged(ctx context.Context, from Store, n note) error {
	state, err := stateOf(ctx, from)
	if err != nil {
		return err
	}
	if state != n.State {
		return graph.Errorf(graph.Conflict, "the store was written to since its copy was begun; empty the destination and copy again while nobody writes")
	}
	return nil
}

// empty returns a Conflict error for a store that was ever used.
func empty(ctx context.Context, to Store) error {
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

// keep notes how far the copy is. It comes after the rows: to write some of them twice does no harm.
func (n note) keep(ctx context.Context, to Store, t Table, after Row) error {
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

// readKey reads the key of a row back: of numbers and texts.
func readKey(text []byte) (Row, error) {
	var key Row
	if err := json.Unmarshal(text, &key); err != nil {
		return nil, fmt.Errorf("reading how far the copy is: %w", err)
	}
	for i, v := range key {
		if number, ok := v.(float64); ok { // an id: no larger than graph.MaxID, so nothing is lost
			key[i] = int64(number)
		}
	}
	return key, nil
}

func copyTable(ctx context.Context, from, to Store, t Table, after Row, n note, told Progress) error {
	return each(ctx, from, t, after, func(rows []Row) error {
		if err := to.AddRows(ctx, t, rows); err != nil {
			return err
		}
		if told != nil {
			told.Copied(t, len(rows))
		}
		if t.Name == Sequence.Name {
			return nil // a note would take the next version
		}
		return n.keep(ctx, to, t, t.Of(rows[len(rows)-1]))
	})
}

func compare(ctx context.Context, from, to Store, told Progress) error {
	for _, t := range Tables {
		want, err := SumOf(ctx, from, t)
		if err != nil {
			return err
		}
		got, err := SumOf(ctx, to, t)
		if err != nil {
			return err
		}
		if got != want {
			return graph.Errorf(graph.Internal, "the copy of %s differs: %d rows (%s), not %d (%s)", t.Name, got.Rows, got.Hash, want.Rows, want.Hash)
		}
		if told != nil {
			told.Same(t, want)
		}
	}
	return nil
}
