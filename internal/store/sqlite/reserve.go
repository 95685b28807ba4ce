package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/weft-graph/weft/graph"
)

// Reserve implements graph.Store.
func (s *Store) Reserve(ctx context.Context, user graph.ID, n int) ([]graph.ID, error) {
	if err := graph.CheckReserve(user, n); err != nil {
		return nil, err
	}
	ids := make([]graph.ID, n)
	err := s.writer.submit(ctx, n, func() error { return s.writer.reserve(user, ids) })
	if err != nil {
		return nil, err
	}
	return ids, nil
}

func (w *writer) reserve(user graph.ID, ids []graph.ID) (err error) {
	at := now().UnixMilli()
	for i := range ids {
		if ids[i], err = w.takeID(); err != nil {
			return err
		}
		if _, err = w.do.reserve.Exec(ids[i], user, at); err != nil {
			return err
		}
	}
	return nil
}

// takeID takes the next id. It begins a new block when the current block is used up.
func (w *writer) takeID() (graph.ID, error) {
	id, err := w.peekID()
	w.ids.next++
	return id, err
}

// peekID returns the id that takeID takes next.
func (w *writer) peekID() (graph.ID, error) {
	if w.ids.next < w.ids.end {
		return w.ids.next, nil
	}
	var end graph.ID
	if err := w.do.takeIDs.QueryRow(idBlock).Scan(&end); err != nil {
		return 0, fmt.Errorf("taking a block of ids: %w", err)
	}
	w.ids = block{next: end - idBlock, end: end}
	return w.ids.next, nil
}

// idBlock is the number of ids that are taken from the sequence together. The rest of a block is lost when the store closes.
const idBlock = 1_000

// A reservation is a row of the table reserved.
type reservation struct {
	id, user   graph.ID
	connection sql.NullBool // null: the id is not used yet
	became     graph.ID
}

func scanReservation(rows *sql.Rows, r *reservation) error {
	return rows.Scan(&r.id, &r.user, &r.connection, &r.became)
}

// draftedIDs returns the reserved ids that drafts of the batch use.
func draftedIDs(b *graph.Batch) (ids []graph.ID) {
	for _, d := range b.Concepts {
		if d.ID != 0 {
			ids = append(ids, d.ID)
		}
	}
	for _, d := range b.Connections {
		if d.ID != 0 {
			ids = append(ids, d.ID)
		}
	}
	return ids
}
