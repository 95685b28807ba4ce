package memory

import (
	"context"
	"fmt"

	"github.com/weft-graph/weft/graph"
)

// Check implements graph.Store.
func (s *Store) Check(ctx context.Context) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, check := range []func() error{s.checkConcepts, s.checkConnections, s.checkReserved, s.checkChanges} {
		if err := check(); err != nil {
			return graph.Wrap(graph.Internal, err, "the store is inconsistent")
		}
	}
	return ctx.Err()
}

func (s *Store) checkConcepts() error {
	type key struct {
		value      string
		typ, scope graph.ID // for a type, the category and scope 0
		isType     bool
	}
	seen := map[key]graph.ID{}
	for id, c := range s.concepts {
		for _, of := range []graph.ID{c.Type, c.Category} {
			if _, exists := s.concepts[of]; !exists {
				return fmt.Errorf("concept %d has type %d and category %d, but concept %d does not exist", id, c.Type, c.Category, of)
			}
		}
		k := key{c.Value, c.Type, c.Scope(), false}
		if c.IsType() {
			k = key{c.Value, c.Category, 0, true}
		} else if c.Composition || !graph.IsShared(c.Value) {
			continue
		}
		if other, exists := seen[k]; exists {
			return fmt.Errorf("concepts %d and %d both have the value %q, in the same type and scope", id, other, c.Value)
		}
		seen[k] = id
	}
	return nil
}

func (s *Store) checkConnections() error {
	for id, c := range s.connections {
		for _, of := range []graph.ID{c.From, c.To, c.Type} {
			if _, exists := s.concepts[of]; !exists {
				return fmt.Errorf("connection %d, %d→%d of type %d: concept %d does not exist", id, c.From, c.To, c.Type, of)
			}
		}
		if c.From == c.To {
			return fmt.Errorf("connection %d connects concept %d with itself", id, c.From)
		}
	}
	for _, err := range []error{
		s.checkIndex("source", s.out, func(c graph.Connection) graph.ID { return c.From }),
		s.checkIndex("target", s.in, func(c graph.Connection) graph.ID { return c.To }),
	} {
		if err != nil {
			return err
		}
	}
	n := 0
	for typ, all := range s.typed {
		n += len(all)
		for _, id := range all {
			if s.connections[id].Type != typ {
				return fmt.Errorf("the index by type lists connection %d under %d", id, typ)
			}
		}
	}
	if n != len(s.connections) {
		return fmt.Errorf("the index by type lists %d connections of %d", n, len(s.connections))
	}
	return nil
}

// checkIndex checks that an index lists every connection twice under the concept at its end: with its type and
// with type 0.
func (s *Store) checkIndex(name string, index map[end]ids, endOf func(graph.Connection) graph.ID) error {
	n := 0
	for at, all := range index {
		n += len(all)
		for _, id := range all {
			if c := s.connections[id]; at.concept != endOf(c) || at.typ != 0 && at.typ != c.Type {
				return fmt.Errorf("the index by %s lists connection %d at %d of type %d", name, id, at.concept, at.typ)
			}
		}
	}
	if n != 2*len(s.connections) {
		return fmt.Errorf("the index by %s lists %d connections of %d, each twice", name, n, len(s.connections))
	}
	return nil
}

// checkReserved checks that a record with a reserved id was sent under that id.
func (s *Store) checkReserved() error {
	for id, user := range s.reserved {
		_, concept := s.sent[ref{graph.Sender{User: user}, false, id}]
		_, connection := s.sent[ref{graph.Sender{User: user}, true, id}]
		if _, exists := s.concepts[id]; exists && !concept {
			return fmt.Errorf("concept %d has an id that was reserved for user %d", id, user)
		}
		if _, exists := s.connections[id]; exists && !connection {
			return fmt.Errorf("connection %d has an id that was reserved for user %d", id, user)
		}
	}
	return nil
}

func (s *Store) checkChanges() error {
	for i, c := range s.changes {
		if want := s.seq - graph.Seq(len(s.changes)-1-i); c.Seq != want {
			return fmt.Errorf("change %d is where change %d should be", c.Seq, want)
		}
	}
	return nil
}
