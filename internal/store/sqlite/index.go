package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Values are indexed after they were written: when the writer has been idle for idleDelay, and after each group while more
// than maxUnindexed ids are not indexed. Ids ascend, so one number (known.indexed) separates indexed values from values that
// are not indexed yet. The table waiting lists values with lower ids that were written later.
const (
	idleDelay       = 50 * time.Millisecond // without a request, before values are indexed
	indexBatch      = 4_000                 // concepts per transaction
	indexBytes      = 1 << 20               // approximate size of the values in one transaction
	maxUnindexed    = 20_000                // number of ids
	indexRetryDelay = time.Second
)

// An indexValue is the part of a concept that is indexed.
type indexValue struct {
	id, typ, scope graph.ID
	instance       bool
	value          string
}

// isIndexable reports whether a concept belongs in the index of values.
func isIndexable(c graph.Concept) bool { return c.Category == graph.CategoryInstance && c.Value != "" }

// indexTimer returns a channel that receives when values should be indexed, or nil if all values are.
func (w *writer) indexTimer() <-chan time.Time {
	if !w.hasUnindexed {
		return nil
	}
	return time.After(w.indexDelay)
}

// indexNext indexes the next values in a separate transaction. After an error it tries again after indexRetryDelay.
func (w *writer) indexNext() {
	if err := w.transact(w.index); err != nil {
		w.hasUnindexed, w.indexDelay = true, indexRetryDelay
	}
}

// transact runs work in a transaction. If the transaction fails, transact restores the caches of the writer.
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

// index indexes up to indexBatch values of the table waiting, which have lower ids, and up to indexBatch concepts with
// the next ids.
func (w *writer) index() error {
	low, err := query(context.Background(), w.do.waiting, scanIndexValue, indexBatch)
	if err != nil {
		return err
	}
	for _, v := range low {
		if _, err := w.do.removeWaiting.Exec(v.typ, v.id); err != nil {
			return err
		}
		if err := w.unindex(v); err != nil {
			return err
		}
		if err := w.indexOne(v); err != nil {
			return err
		}
	}
	next, err := w.nextUnindexed()
	if err != nil || len(next) == 0 {
		w.hasUnindexed = len(low) == indexBatch
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

// nextUnindexed returns the concepts of the next ids, until their values exceed indexBytes.
func (w *writer) nextUnindexed() ([]indexValue, error) {
	rows, err := w.do.unindexed.Query(w.indexed, indexBatch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []indexValue
	for bytes := 0; bytes < indexBytes && rows.Next(); {
		var v indexValue
		if err := scanIndexValue(rows, &v); err != nil {
			return nil, err
		}
		bytes += len(v.value)
		found = append(found, v)
	}
	return found, rows.Err()
}

func scanIndexValue(rows *sql.Rows, v *indexValue) error {
	var id, typ, owner int64
	var access graph.Access
	err := rows.Scan(&id, &typ, &owner, &access, &v.instance, &v.value)
	v.id, v.typ, v.scope = graph.ID(id), graph.ID(typ), graph.ScopeOf(graph.ID(owner), access)
	return err
}

func (w *writer) indexOne(v indexValue) error {
	if !v.instance || v.value == "" {
		return nil
	}
	if _, err := w.do.addKey.Exec(v.typ, cutKey(graph.KeyOf(v.value)), v.id, v.scope); err != nil {
		return err
	}
	_, err := w.do.addTrigrams.Exec(v.id, w.trigrams.shorten(graph.Fold(v.value)), typeLetters(v.typ))
	return err
}

// unindex removes a value from the index if the index contains it.
func (w *writer) unindex(v indexValue) error {
	if _, err := w.do.removeKey.Exec(v.typ, cutKey(graph.KeyOf(v.value)), v.id, v.scope); err != nil {
		return err
	}
	_, err := w.do.removeTrigrams.Exec(v.id)
	return err
}

// valueAdded records that a new concept must be indexed.
func (w *writer) valueAdded(c graph.Concept) error {
	if !isIndexable(c) {
		return nil
	}
	w.hasUnindexed = true
	if c.ID > w.indexed {
		return nil
	}
	_, err := w.do.addWaiting.Exec(c.Type, c.ID)
	return err
}

// valueRemoved removes a removed concept from the index.
func (w *writer) valueRemoved(c graph.Concept) error {
	if !isIndexable(c) || c.ID > w.indexed {
		return nil
	}
	if _, err := w.do.removeWaiting.Exec(c.Type, c.ID); err != nil {
		return err
	}
	return w.unindex(indexValue{id: c.ID, typ: c.Type, scope: c.Scope(), value: c.Value})
}

// Settle waits until all values are indexed. Selections then find the same concepts as before, but faster.
func (s *Store) Settle(ctx context.Context) error {
	for hasUnindexed := true; hasUnindexed; {
		err := s.writer.submit(ctx, indexBatch, func() error { //nolint:contextcheck // a request in a group is finished even if its caller stops waiting
			err := s.writer.index()
			hasUnindexed = s.writer.hasUnindexed
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keyLength is the length to which keys are cut in the index, in bytes. A comparison with a longer key also reads the value.
const keyLength = graph.SortKeyBytes

func cutKey(key graph.Key) []byte { return []byte(key[:min(len(key), keyLength)]) }

// typeLetters returns three private-use characters that encode a type in value_text. Two types may have the same letters.
func typeLetters(typ graph.ID) string {
	const first, letters = 0xF0000, 1 << 17 // private-use planes of Unicode
	n := int64(typ)
	return string([]rune{first + rune(n%letters), first + rune(n/letters%letters), first + rune(n/letters/letters%letters)})
}
