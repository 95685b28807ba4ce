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
	if user := w.reserved[id]; user != w.by.User && (user != graph.Anonymous || w.used(id)) {
		return graph.Errorf(graph.Invalid, "id %d was not reserved for user %d", id, w.by.User)
	}
	if _, other := w.known(id, !connection); other {
		return graph.Errorf(graph.Conflict, "id %d was sent before as a %s", id, kindOf(!connection))
	}
	return nil
}

// used says whether something was sent under an id while it was nobody's.
func (w *write) used(id graph.ID) bool {
	nobody := graph.Sender{User: graph.Anonymous}
	_, concept := w.ghosts[ghost{nobody, false, id}]
	_, connection := w.ghosts[ghost{nobody, true, id}]
	return concept || connection
}

// use makes a reserved id the sender's, if it was nobody's.
func (w *write) use(id graph.ID) {
	user := w.reserved[id]
	w.reserved[id] = w.by.User
	w.undo = append(w.undo, func() { w.reserved[id] = user })
}

func kindOf(connection bool) string {
	if connection {
		return "connection"
	}
	return "concept"
}
