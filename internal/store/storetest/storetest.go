// Package storetest states the contract of graph.Store as tests. The names of the subtests are its table of contents:
//
//	go test -v -run TestStore ./internal/store/memory
//
// Random tests compare a store with a model: batches with the memory store, which is implemented separately, and
// selections with a search through every record (Whole). Rapid keeps failing draws in testdata.
//
// An implementation runs the suite with:
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

// Run checks every behaviour, each on a separate store. The function open returns an empty store and closes it when
// the test ends. After each test, Run calls the store's Check.
func Run(t *testing.T, open func(t *testing.T) graph.Store) {
	for _, group := range []struct {
		name       string
		behaviours []behaviour
	}{
		{"types", types},
		{"values", values},
		{"reading", reading},
		{"links", links},
		{"local ids", localIDs},
		{"reserved", reserved},
		{"batches", batches},
		{"removal", removal},
		{"changes", changes},
		{"quotas", quotas},
		{"concurrency", concurrency},
		{"selection", selection},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, p := range group.behaviours {
				t.Run(p.name, func(t *testing.T) { p.run(t, open(t)) })
			}
		})
	}
	t.Run("random batches have the same effect as in memory", func(t *testing.T) { compareRandomBatches(t, open) })
	t.Run("random selections find the same records as a search through everything", func(t *testing.T) { randomSelections(t, open) })
}

// A behaviour is one statement of the contract, and its test.
type behaviour struct {
	name  string
	check func(t *testing.T, s graph.Store)
}

func (p behaviour) run(t *testing.T, s graph.Store) {
	p.check(t, s)
	if err := s.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
}

// Two users, each with a browser.
var (
	alice = graph.Sender{User: 1001, Randomizer: 7}
	bob   = graph.Sender{User: 1002, Randomizer: 7}
)

// has reports whether any user has a value.
func has(t *testing.T, s graph.Store, typ graph.ID, value string) bool {
	t.Helper()
	return len(byValue(t, s, graph.ValueKey{Type: typ, Value: value})) > 0
}

// value returns the draft of a private value, composition the draft of the head of a record, and typ the draft of a type.
func value(localID graph.ID, typ, text string) graph.ConceptDraft {
	return graph.ConceptDraft{LocalID: localID, TypeName: typ, Value: text}
}

func composition(localID graph.ID, typ string) graph.ConceptDraft {
	return graph.ConceptDraft{LocalID: localID, Kind: graph.DraftComposition, TypeName: typ}
}

func typ(localID graph.ID, name string) graph.ConceptDraft {
	return graph.ConceptDraft{LocalID: localID, Kind: graph.DraftType, TypeName: name}
}

// link returns the draft of a connection whose type is given by name, and internal the draft of a connection whose type is the main
// concept.
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

// expectError writes a batch that must fail, checks that the batch changed nothing, and returns the message of the
// error.
func expectError(t *testing.T, s graph.Store, want graph.ErrorKind, b graph.Batch) string {
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

// read returns a function that passes on the result of a Reader's method, and ends the test on an error.
func read[T any](t *testing.T) func(result T, err error) T {
	return func(result T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("reading: %v", err)
		}
		return result
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

// typeID returns the id of a type, or 0 if it does not exist.
func typeID(t *testing.T, s graph.Store, name string) graph.ID {
	t.Helper()
	for _, c := range read[[]graph.Concept](t)(s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: name}})) {
		if c.IsType() {
			return c.ID
		}
	}
	return 0
}

// want reports a difference between two results as an error of the test.
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

// unique returns the number of different ids.
func unique(ids []graph.ID) int {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return len(slices.Compact(ids))
}

var noon = time.Date(2024, 2, 29, 12, 0, 0, 123_000_000, time.UTC)
