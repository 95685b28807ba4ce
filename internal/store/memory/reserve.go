package memory

import (
	"context"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Reserve implements graph.Store.
func (s *Store) Reserve(ctx context.Context, user graph.ID, n int) ([]graph.ID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := graph.CheckReserve(user, n); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.deleteReservations(now.Add(-graph.ReservationRetention))
	ids := make([]graph.ID, n)
	for i := range ids {
		ids[i] = s.next
		s.reserved[s.next], s.unused[s.next] = user, now
		s.next++
	}
	return ids, nil
}

func (s *Store) deleteReservations(before time.Time) {
	for id, at := range s.unused {
		if at.Before(before) {
			delete(s.reserved, id)
			delete(s.unused, id)
		}
	}
}

// checkReservedID returns an error if a draft may not use an id. The draft was not sent before.
func (w *write) checkReservedID(id graph.ID, isConnection bool) error {
	if id == 0 {
		return nil
	}
	_, unused := w.unused[id]
	if user := w.reserved[id]; user != w.by.User && (user != graph.Anonymous || !unused) {
		return graph.Errorf(graph.Invalid, "id %d was not reserved for user %d", id, w.by.User)
	}
	if _, other := w.lookUpSent(id, !isConnection); other {
		return graph.Errorf(graph.Conflict, "id %d was sent before as a %s", id, kindOf(!isConnection))
	}
	return nil
}

// useReserved marks a reserved id as used by the sender's user.
func (w *write) useReserved(id graph.ID) {
	user, at := w.reserved[id], w.unused[id]
	w.reserved[id] = w.by.User
	delete(w.unused, id)
	w.undo = append(w.undo, func() { w.reserved[id], w.unused[id] = user, at })
}

func kindOf(isConnection bool) string {
	if isConnection {
		return "connection"
	}
	return "concept"
}
