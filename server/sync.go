package server

import (
	"context"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// sync writes what a client made on its own. Nothing of a request is written when any of it is refused.
func (s *Server) sync(q *request) (wire.Synced, error) {
	var sent wire.Sync
	if err := wire.Decode(q.body, &sent); err != nil {
		return wire.Synced{}, err
	}
	return s.write(q, q.sender(), sent)
}

func (s *Server) write(q *request, sender graph.Sender, sent wire.Sync) (wire.Synced, error) {
	if err := q.sameStore(sent.Store); err != nil {
		return wire.Synced{}, err
	}
	batch, err := sent.Batch(sender, func(id graph.ID) (string, error) { return s.nameOf(q.Context(), q.graph, id) })
	if err != nil {
		return wire.Synced{}, err
	}
	receipt, err := q.graph.Write(q.Context(), batch)
	if err != nil {
		return wire.Synced{}, q.gone(batch, err)
	}
	s.senders.remember(sender)
	return s.synced(q, sent, batch, receipt)
}

// sameStore refuses ids of another store: here they would name something else.
func (q *request) sameStore(known string) error {
	if known == "" {
		return nil
	}
	store, err := q.graph.Identity(q.Context())
	if err == nil && known != store {
		err = graph.Errorf(graph.Conflict, "the ids of this request are from the store %s, and this one is %s", graph.Clip(known), store)
	}
	return err
}

func (s *Server) nameOf(ctx context.Context, r graph.Reader, typ graph.ID) (string, error) {
	found, err := r.Concepts(ctx, []graph.ID{typ})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", graph.Errorf(graph.Invalid, "there is no type %d", typ)
	}
	return found[0].Value, nil
}

// synced tells the client what its records became, each ghost once, and adds those it knew to be real.
func (s *Server) synced(q *request, sent wire.Sync, b graph.Batch, receipt graph.Receipt) (wire.Synced, error) {
	out := wire.Synced{Seq: receipt.Seq}
	told := map[graph.ID]bool{}
	for i, c := range receipt.Concepts {
		if ghost := b.Concepts[i].Ghost; !told[ghost] {
			told[ghost] = true
			out.Concepts = append(out.Concepts, wire.Typed{Concept: c, Ghost: ghost})
		}
	}
	toldConnection := map[graph.ID]bool{0: true} // of two ends that became one concept there is none
	for i, c := range receipt.Connections {
		if !toldConnection[c.ID] {
			toldConnection[c.ID] = true
			out.Connections = append(out.Connections, wire.Link{Connection: c, Ghost: b.Connections[i].Ghost})
		}
	}
	ids, connectionIDs := sent.Existing()
	concepts, err := q.graph.Concepts(q.Context(), ids)
	if err != nil {
		return out, err
	}
	sentAs := map[graph.ID]graph.ID{}
	for _, c := range sent.Concepts {
		sentAs[graph.ID(c.ID)] = graph.ID(c.GhostID)
	}
	for _, c := range concepts {
		out.Concepts = append(out.Concepts, wire.Typed{Concept: c, Ghost: sentAs[c.ID]})
	}
	connections, err := q.graph.Connections(q.Context(), connectionIDs)
	if err != nil {
		return out, err
	}
	out.Connections = append(out.Connections, wire.LinksOf(connections)...)
	return out, s.nameTypes(q.Context(), q.graph, out.Concepts)
}

// translate says what a local id became. The contract sends no Randomizer here, so the last one that
// the same session synced with stands in for it, as long as there was only one.
func (s *Server) translate(q *request) (wire.Typed, error) {
	id, err := q.id("id")
	if err != nil {
		return wire.Typed{}, err
	}
	if !id.Local() {
		return wire.Typed{}, graph.Errorf(graph.Invalid, "id %d is not a local id", id)
	}
	sender := q.sender()
	if q.Header.Get("Randomizer") == "" {
		sender = s.senders.recall(sender)
	}
	reals, err := q.graph.Ghosts(q.Context(), sender, []graph.ID{id})
	if err != nil || len(reals) == 0 {
		return wire.Typed{}, err
	}
	found, err := q.graph.Concepts(q.Context(), []graph.ID{reals[id]})
	typed, err := s.first(q, found, err)
	typed.Ghost = id
	return typed, err
}

// senders remembers the randomizers of recent users and sessions; 0 marks a session that used several.
type senders struct {
	mu     sync.Mutex
	recent map[graph.Sender]int64
}

const mostSenders = 10_000

func (s *senders) remember(sender graph.Sender) {
	randomizer := sender.Randomizer
	sender.Randomizer = 0
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.recent == nil || len(s.recent) >= mostSenders {
		s.recent = map[graph.Sender]int64{}
	}
	if before, known := s.recent[sender]; known && before != randomizer {
		randomizer = 0
	}
	s.recent[sender] = randomizer
}

func (s *senders) recall(sender graph.Sender) graph.Sender {
	sender.Randomizer = 0
	s.mu.Lock()
	defer s.mu.Unlock()
	sender.Randomizer = s.recent[sender]
	return sender
}
