package cache_test

import (
	"context"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/store/memory"
)

// A questioned store counts how many keys it is asked for.
type questioned struct {
	graph.Store
	keys int
}

func (s *questioned) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	s.keys += len(keys)
	return s.Store.ConceptsByValue(ctx, keys)
}

func TestTypesAreRememberedByName(t *testing.T) {
	behind := &questioned{Store: memory.New()}
	s := cache.New(behind, 1<<20)
	find := func(name string) graph.ID {
		t.Helper()
		found, err := graph.TypesNamed(t.Context(), s, name)
		if err != nil {
			t.Fatal(err)
		}
		return found[name].ID
	}
	draft := func(name string) graph.ID {
		t.Helper()
		r, err := s.Write(t.Context(), graph.Batch{
			Sender:   graph.Sender{User: graph.Anonymous},
			Concepts: []graph.ConceptDraft{{Kind: graph.DraftType, TypeName: name}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.Concepts[0].ID
	}
	for _, name := range []string{"the_person_name", "value", "the_value"} {
		if id := find(name); id != 0 {
			t.Errorf("%q is %d before anybody made it", name, id)
		}
		made := draft(name)
		if id := find(name); id != made {
			t.Errorf("%q is %d; want %d", name, id, made)
		}
		before := behind.keys
		if id := find(name); id != made || behind.keys != before {
			t.Errorf("%q is %d, asked of the store again %d times", name, id, behind.keys-before)
		}
	}

	gone := find("the_person_name")
	if _, err := s.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: graph.System}, RemoveConcepts: []graph.ID{gone}}); err != nil {
		t.Fatal(err)
	}
	if id := find("the_person_name"); id != 0 {
		t.Errorf("a type that was removed is still %d", id)
	}
	if made := draft("the_person_name"); find("the_person_name") != made || made == gone {
		t.Errorf("a type made again is not found as %d", made)
	}
}
