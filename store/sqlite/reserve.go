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
		if ids[i], err = w.take(); err != nil {
			return err
		}
		if _, err = w.do.reserve.Exec(ids[i], user, at); err != nil {
			return err
		}
	}
	return nil
}

// take gives the next id away, from a new block when the old one is used up.
func (w *writer) take() (graph.ID, error) {
	id, err := w.peek()
	w.ids.next++
	return id, err
}

func (w *writer) peek() (graph.ID, error) {
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

// idBlock is how many ids are taken at once. What is left of a block when the store closes is never used.
const idBlock = 1_000

// A reservation is a reserved id and what was sent under it.
type reservation struct {
	id         graph.ID
	connection sql.NullBool // null: nothing yet
	became     graph.ID
}

func scanReservation(rows *sql.Rows, r *reservation) error {
	return rows.Scan(&r.id, &r.connection, &r.became)
}

// drafted lists the reserved ids that drafts of the batch want.
func drafted(b *graph.Batch) (ids []graph.ID) {
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

// lookUpReserved finds out which ids are reserved for the sender's user, or for whoever comes, and what was sent
// under them.
func (in *incoming) lookUpReserved(ids []graph.ID) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := query(context.Background(), in.do.reserved, scanReservation, in.by.User, array(distinct(ids)))
	if in.reserved == nil && len(found) > 0 {
		in.reserved = map[graph.ID]bool{}
	}
	for _, r := range found {
		in.reserved[r.id] = true
		switch {
		case !r.connection.Valid:
		case r.connection.Bool:
			in.connections[r.id] = r.became
		default:
			in.concepts[r.id] = r.became
		}
	}
	return err
}

// mayTake says whether a draft that was not sent before may have an id; others are what was sent as the
// other kind of record.
func (in *incoming) mayTake(id graph.ID, others map[graph.ID]graph.ID) error {
	if id == 0 {
		return nil
	}
	if !in.reserved[id] {
		return graph.Errorf(graph.Invalid, "id %d was not reserved for user %d", id, in.by.User)
	}
	if _, other := others[id]; other {
		return graph.Errorf(graph.Conflict, "id %d was sent before as another kind of record", id)
	}
	return nil
}

// remember keeps what a draft became under its name.
func (in *incoming) remember(name graph.ID, connection int, became graph.ID) (err error) {
	switch {
	case name < 0:
		_, err = in.do.addGhost.Exec(in.sender, connection, -name, became)
	case name > 0:
		_, err = in.do.useReserved.Exec(in.by.User, connection, became, name)
	}
	return err
}
