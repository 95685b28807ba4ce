package cache_test

import (
	"context"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A keyCounter counts the value keys that are read from a store.
type keyCounter struct {
	graph.Store
	keys int
}

func (s *keyCounter) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	s.keys += len(keys)
	return s.Store.ConceptsByValue(ctx, keys)
}

func TestReadsEachTypeOnce(t *testing.T) {
	behind := &keyCounter{Store: memory.New()}
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
			t.Errorf("%q has id %d before it was created; want 0", name, id)
		}
		created := draft(name)
		if id := find(name); id != created {
			t.Errorf("%q is %d; want %d", name, id, created)
		}
		before := behind.keys
		if id := find(name); id != created || behind.keys != before {
			t.Errorf("%q has id %d, after reading %d more keys; want %d, after reading none", name, id, behind.keys-before, created)
		}
	}

	removed := find("the_person_name")
	if _, err := s.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: graph.System}, RemoveConcepts: []graph.ID{removed}}); err != nil {
		t.Fatal(err)
	}
	if id := find("the_person_name"); id != 0 {
		t.Errorf("a removed type is still found as %d", id)
	}
	if created := draft("the_person_name"); find("the_person_name") != created || created == removed {
		t.Errorf("a type that was created again is not found as %d", created)
	}
}
