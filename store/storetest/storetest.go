// Package storetest says what every graph.Store promises, as tests.
//
// An implementation runs them all in five lines:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(*testing.T) graph.Store { return memory.New() })
//	}
package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
)

// Run checks every promise, each on a store of its own. Open returns an empty store and sees to its
// closing. After each test the store checks itself.
func Run(t *testing.T, open func(t *testing.T) graph.Store) {
	for _, group := range []struct {
		name     string
		promises []promise
	}{
		{"types", types},
		{"values", values},
		{"reading", reading},
		{"links", links},
		{"ghosts", ghosts},
		{"reserved", reserved},
		{"batches", batches},
		{"removal", removal},
		{"changes", changes},
		{"concurrency", concurrency},
		{"selection", selection},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, p := range group.promises {
				t.Run(p.name, func(t *testing.T) { p.keep(t, open(t)) })
			}
		})
	}
	t.Run("random batches become what they become in memory", func(t *testing.T) { random(t, open) })
	t.Run("random selections find what is found by looking at everything", func(t *testing.T) { randomSelections(t, open) })
}

// A promise is one sentence and what must hold for it to be true.
type promise struct {
	name  string
	check func(t *testing.T, s graph.Store)
}

func (p promise) keep(t *testing.T, s graph.Store) {
	p.check(t, s)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("the store's own check: %v", err)
	}
}

// Two people at their own browsers.
var (
	alice = graph.Sender{User: 1001, Randomizer: 7}
	bob   = graph.Sender{User: 1002, Randomizer: 7}
)

// value is a draft of a private value, composition of the head of a record, and typ of a type.
func value(ghost graph.ID, typ, text string) graph.ConceptDraft {
	return graph.ConceptDraft{Ghost: ghost, TypeName: typ, Value: text}
}

func composition(ghost graph.ID, typ string) graph.ConceptDraft {
	return graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftComposition, TypeName: typ}
}

func typ(ghost graph.ID, name string) graph.ConceptDraft {
	return graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftType, TypeName: name}
}

// link is a draft of a connection whose type goes by name, internal of one whose type goes by id.
func link(from graph.ID, name string, to graph.ID) graph.ConnectionDraft {
	return graph.ConnectionDraft{From: from, To: to, TypeName: name, Order: graph.OrderLink}
}

func internal(from, main, to graph.ID) graph.ConnectionDraft {
	return graph.ConnectionDraft{From: from, To: to, Type: main, Order: graph.OrderInternal}
}

func write(t *testing.T, s graph.Store, b graph.Batch) graph.Receipt {
	t.Helper()
	receipt, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatalf("writing: %v", err)
	}
	return receipt
}

func writeConcepts(t *testing.T, s graph.Store, by graph.Sender, drafts ...graph.ConceptDraft) []graph.ID {
	t.Helper()
	return idsOf(write(t, s, graph.Batch{Sender: by, Concepts: drafts}).Concepts)
}

func writeLinks(t *testing.T, s graph.Store, by graph.Sender, drafts ...graph.ConnectionDraft) []graph.ID {
	t.Helper()
	return idsOf(write(t, s, graph.Batch{Sender: by, Connections: drafts}).Connections)
}

// refuse writes a batch that must fail, checks that it left nothing, and returns what was said.
func refuse(t *testing.T, s graph.Store, want graph.ErrorKind, b graph.Batch) string {
	t.Helper()
	before, _ := s.LastSeq(t.Context())
	receipt, err := s.Write(t.Context(), b)
	if got := graph.KindOf(err); got != want {
		t.Fatalf("writing: %q (%v); want %q", got, err, want)
	}
	if !cmp.Equal(receipt, graph.Receipt{}, cmpopts.EquateEmpty()) {
		t.Errorf("a refused batch has a receipt: %+v", receipt)
	}
	if after, _ := s.LastSeq(t.Context()); after != before {
		t.Errorf("a refused batch moved the store from change %d to %d", before, after)
	}
	return err.Error()
}

// read is the answer of a Reader's method, or the end of the test.
func read[T any](t *testing.T) func(answer T, err error) T {
	return func(answer T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("reading: %v", err)
		}
		return answer
	}
}

func concepts(t *testing.T, s graph.Store, ids ...graph.ID) []graph.Concept {
	t.Helper()
	return read[[]graph.Concept](t)(s.Concepts(t.Context(), ids))
}

func connections(t *testing.T, s graph.Store, ids ...graph.ID) []graph.Connection {
	t.Helper()
	return read[[]graph.Connection](t)(s.Connections(t.Context(), ids))
}

func byValue(t *testing.T, s graph.Store, keys ...graph.ValueKey) []graph.ID {
	t.Helper()
	return idsOf(read[[]graph.Concept](t)(s.ConceptsByValue(t.Context(), keys)))
}

// typeID is the id of a type that exists, or 0.
func typeID(t *testing.T, s graph.Store, name string) graph.ID {
	t.Helper()
	for _, c := range read[[]graph.Concept](t)(s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: name}})) {
		if c.IsType() {
			return c.ID
		}
	}
	return 0
}

func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func idsOf[T graph.Concept | graph.Connection](records []T) []graph.ID {
	ids := make([]graph.ID, len(records))
	for i, r := range records {
		switch r := any(r).(type) {
		case graph.Concept:
			ids[i] = r.ID
		case graph.Connection:
			ids[i] = r.ID
		}
	}
	return ids
}

func unique(ids []graph.ID) int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return len(slices.Compact(ids))
}

var noon = time.Date(2024, 2, 29, 12, 0, 0, 123_000_000, time.UTC)
