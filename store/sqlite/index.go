package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Values are indexed behind the back of whoever writes them: an index by text costs more than all else that is written.
// The writer does it when nobody has written for a moment, some at a time. Ids ascend, so that one number tells what is
// indexed from what is not, and a query looks at the rest one by one.
const (
	quiet       = 50 * time.Millisecond // without a write, before values are indexed
	indexBatch  = 4_000                 // concepts looked at in one transaction
	indexBytes  = 1 << 20               // of their values, about
	farBehind   = 20_000                // ids; then values are indexed between writes too
	afterErrors = time.Second
)

// A valued is a concept as the index knows it.
type valued struct {
	id, typ, scope graph.ID
	instance       bool
	value          string
}

// indexable says whether a concept stands in the index of values once that is up to date.
func indexable(c graph.Concept) bool { return c.Category == graph.CategoryInstance && c.Value != "" }

// nap is how long to wait for a write before indexing; nil is forever.
func (w *writer) nap() <-chan time.Time {
	if !w.behind {
		return nil
	}
	return time.After(w.pause)
}

// catchUp indexes some values in a transaction of its own.
func (w *writer) catchUp() {
	if err := w.transact(w.index); err != nil {
		w.behind, w.pause = true, afterErrors
	}
}

func (w *writer) transact(work func() error) error {
	before := w.known
	err := w.exec("begin immediate")
	if err == nil {
		err = work()
	}
	if err == nil {
		err = w.exec("commit")
	}
	if err != nil {
		_ = w.exec("rollback")
		w.restore(before)
	}
	return err
}

// index takes some values into the index: those that wait because their ids are low, else those of the next ids.
func (w *writer) index() error {
	low, err := query(context.Background(), w.do.waiting, scanValued, indexBatch)
	if err != nil {
		return err
	}
	for _, v := range low {
		if _, err := w.do.unwait.Exec(v.typ, v.id); err != nil {
			return err
		}
		if err := w.unindex(v); err != nil {
			return err
		}
		if err := w.indexOne(v); err != nil {
			return err
		}
	}
	next, err := w.next()
	if err != nil || len(next) == 0 {
		w.behind = len(low) == indexBatch
		return err
	}
	for _, v := range next {
		if err := w.indexOne(v); err != nil {
			return err
		}
	}
	w.indexed = next[len(next)-1].id
	_, err = w.do.setIndexed.Exec(w.indexed)
	return err
}

// next are the concepts of the next ids, so many that their values are no more than indexBytes but for the last.
func (w *writer) next() ([]valued, error) {
	rows, err := w.do.unindexed.Query(w.indexed, indexBatch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []valued
	for bytes := 0; bytes < indexBytes && rows.Next(); {
		var v valued
		if err := scanValued(rows, &v); err != nil {
			return nil, err
		}
		bytes += len(v.value)
		found = append(found, v)
	}
	return found, rows.Err()
}

func scanValued(rows *sql.Rows, v *valued) error {
	var id, typ, owner int64
	var access graph.Access
	err := rows.Scan(&id, &typ, &owner, &access, &v.instance, &v.value)
	v.id, v.typ, v.scope = graph.ID(id), graph.ID(typ), graph.ScopeOf(graph.ID(owner), access)
	return err
}

func (w *writer) indexOne(v valued) error {
	if !v.instance || v.value == "" {
		return nil
	}
	if _, err := w.do.addKey.Exec(v.typ, cut(graph.KeyOf(v.value)), v.id, v.scope); err != nil {
		return err
	}
	_, err := w.do.addTrigrams.Exec(v.id, graph.Fold(v.value), typeLetters(v.typ))
	return err
}

// unindex removes what may stand in the index.
func (w *writer) unindex(v valued) error {
	if _, err := w.do.removeKey.Exec(v.typ, cut(graph.KeyOf(v.value)), v.id); err != nil {
		return err
	}
	_, err := w.do.removeTrigrams.Exec(v.id)
	return err
}

// valueAdded notes a concept that the index does not have yet.
func (w *writer) valueAdded(c graph.Concept) error {
	if !indexable(c) {
		return nil
	}
	w.behind = true
	if c.ID > w.indexed {
		return nil
	}
	_, err := w.do.wait.Exec(c.Type, c.ID)
	return err
}

func (w *writer) valueRemoved(c graph.Concept) error {
	if !indexable(c) || c.ID > w.indexed {
		return nil
	}
	if _, err := w.do.unwait.Exec(c.Type, c.ID); err != nil {
		return err
	}
	return w.unindex(valued{id: c.ID, typ: c.Type, value: c.Value})
}

// Settle waits until all values are indexed. Nothing is found that was not found before, but it is found faster.
func (s *Store) Settle(ctx context.Context) error {
	for behind := true; behind; {
		err := s.writer.submit(ctx, indexBatch, func() error { //nolint:contextcheck // what was begun is finished, whoever gave up on it
			err := s.writer.index()
			behind = s.writer.behind
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keyLength is how much of a key is in the index, in bytes. What is compared with a longer one is compared once more.
const keyLength = 96

func cut(key graph.Key) []byte { return []byte(key[:min(len(key), keyLength)]) }

// typeLetters stand for a type among the texts: three letters that nobody writes. Two types may have the same.
func typeLetters(typ graph.ID) string {
	const first, letters = 0xF0000, 1 << 17 // the private planes of Unicode
	n := int64(typ)
	return string([]rune{first + rune(n%letters), first + rune(n/letters%letters), first + rune(n/letters/letters%letters)})
}
