package memory

import (
	"context"

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
	ids := make([]graph.ID, n)
	for i := range ids {
		ids[i] = s.next
		s.reserved[s.next] = user
		s.next++
	}
	return ids, nil
}

// mayTake says whether a draft that was not sent before may have an id.
func (w *write) mayTake(id graph.ID, connection bool) error {
	if id == 0 {
		return nil
	}
	if w.reserved[id] != w.by.User {
		return graph.Errorf(graph.Invalid, "id %d was not reserved for user %d", id, w.by.User)
	}
	if _, other := w.known(id, !connection); other {
		return graph.Errorf(graph.Conflict, "id %d was sent before as a %s", id, kindOf(!connection))
	}
	return nil
}

func kindOf(connection bool) string {
	if connection {
		return "connection"
	}
	return "concept"
}
