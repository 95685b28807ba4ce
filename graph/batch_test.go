package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var someone = graph.Sender{User: 1001, Randomizer: 7}

// A person with a name: the name is found if it exists, the person is always new.
func ExampleBatch() {
	b := graph.Batch{
		Sender: graph.Sender{User: 1001, Randomizer: 7},
		Concepts: []graph.ConceptDraft{
			{Ghost: -1, Kind: graph.DraftComposition, TypeName: "the_person"},
			{Ghost: -2, TypeName: "the_name", Value: "Ann"},
		},
		Connections: []graph.ConnectionDraft{{Ghost: -1, From: -1, To: -2, TypeName: "the_person_name", Order: graph.OrderLink}},
	}
	fmt.Println(b.Check())
	b.Concepts[1].Ghost = -1
	fmt.Println(b.Check())
	// Output:
	// <nil>
	// ghost -1 is sent twice with two meanings: the_person "", then the_name "Ann"
}

func TestCheck(t *testing.T) {
	a := graph.ConceptDraft{Ghost: -1, TypeName: "the_name", Value: "Ann"}
	link := graph.ConnectionDraft{Ghost: -1, From: -1, To: 5, TypeName: "the_x"}
	with := func(change func(*graph.Batch)) graph.Batch {
		b := graph.Batch{Sender: someone, Concepts: []graph.ConceptDraft{a}, Connections: []graph.ConnectionDraft{link}}
		change(&b)
		return b
	}
	for _, test := range []struct {
		name string
		b    graph.Batch
		kind graph.ErrorKind
		seen string
	}{
		{"a good batch", with(func(*graph.Batch) {}), "", ""},
		{"nothing", graph.Batch{Sender: someone}, "", ""},
		{"a record twice", with(func(b *graph.Batch) { b.Concepts = append(b.Concepts, a); b.Connections = append(b.Connections, link) }), "", ""},
		{"no sender", with(func(b *graph.Batch) { b.Sender = graph.Sender{} }), graph.Invalid, "sender"},
		{"a session that is no text", with(func(b *graph.Batch) { b.Sender.Session = "\xff" }), graph.Invalid, "session"},
		{"a positive ghost", with(func(b *graph.Batch) { b.Concepts[0].Ghost = 3 }), graph.Invalid, "not 3"},
		{"a ghost beyond 2^53", with(func(b *graph.Batch) { b.Concepts[0].Ghost = -graph.MaxID - 1 }), graph.Invalid, "-9007199254740992"},
		{"a value with NUL", with(func(b *graph.Batch) { b.Concepts[0].Value = "a\x00" }), graph.Invalid, "concept 0 of the batch (ghost -1): value has a NUL"},
		{"a composition with a value", with(func(b *graph.Batch) { b.Concepts[0].Kind = graph.DraftComposition }), graph.Invalid, "Ann"},
		{"an unknown kind", with(func(b *graph.Batch) { b.Concepts[0].Kind = 9 }), graph.Invalid, "9"},
		{"a ghost of two meanings", with(func(b *graph.Batch) {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: -1, TypeName: "the_name", Value: "Ben"})
		}), graph.Invalid, "Ben"},
		{"a connection ghost of two meanings", with(func(b *graph.Batch) {
			b.Connections = append(b.Connections, graph.ConnectionDraft{Ghost: -1, From: -1, To: 6, TypeName: "the_x"})
		}), graph.Invalid, "-1→6"},
		{"an id below zero", with(func(b *graph.Batch) { b.Concepts[0].Ghost, b.Concepts[0].ID = 0, -3 }), graph.Invalid, "-3"},
		{"an id beyond 2^53", with(func(b *graph.Batch) { b.Connections[0].Ghost, b.Connections[0].ID = 0, graph.MaxID+1 }), graph.Invalid, "9007199254740992"},
		{"a ghost and an id", with(func(b *graph.Batch) { b.Concepts[0].ID = 100123 }), graph.Invalid, "-1 and 100123"},
		{"an id of two meanings", with(func(b *graph.Batch) {
			b.Concepts = append(b.Concepts,
				graph.ConceptDraft{ID: 100123, TypeName: "the_name", Value: "Ben"}, graph.ConceptDraft{ID: 100123, TypeName: "the_name", Value: "Cem"})
		}), graph.Invalid, "100123"},
		{"an id of a concept and a connection", with(func(b *graph.Batch) {
			b.Concepts[0].Ghost, b.Concepts[0].ID = 0, 100123
			b.Connections[0].Ghost, b.Connections[0].ID = 0, 100123
		}), graph.Invalid, "100123"},
		{"half a connection", with(func(b *graph.Batch) { b.Connections[0].To = 0 }), graph.Invalid, "-1→0"},
		{"a connection without a type", with(func(b *graph.Batch) { b.Connections[0].TypeName = "" }), graph.Invalid, "type"},
		{"an end beyond 2^53", with(func(b *graph.Batch) { b.Connections[0].To = graph.MaxID + 1 }), graph.Invalid, "9007199254740992"},
		{"an owner below zero", with(func(b *graph.Batch) { b.Connections[0].Owner = -1 }), graph.Invalid, "-1"},
		{"an unknown access", with(func(b *graph.Batch) { b.Concepts[0].Access = 1 }), graph.Invalid, "access"},
		{"a year JSON cannot write", with(func(b *graph.Batch) { b.Concepts[0].Created = time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC) }), graph.Invalid, "12024"},
		{"removing nothing", with(func(b *graph.Batch) { b.RemoveConnections = []graph.ID{0} }), graph.Invalid, "remove"},
		{"too many records", with(func(b *graph.Batch) { b.RemoveConcepts = make([]graph.ID, graph.MaxBatch) }), graph.TooLarge, "50002"},
	} {
		err := test.b.Check()
		if graph.KindOf(err) != test.kind || (err != nil && !strings.Contains(err.Error(), test.seen)) {
			t.Errorf("%s: %q, %v; want %q about %q", test.name, graph.KindOf(err), err, test.kind, test.seen)
		}
	}
}

func TestASessionTellsOnlyGuestsApart(t *testing.T) {
	guest, signedIn := graph.Sender{User: graph.Anonymous, Session: "a"}, graph.Sender{User: 1001, Session: "a"}
	if guest.Key() != guest {
		t.Errorf("a guest's key is %+v", guest.Key())
	}
	if want := (graph.Sender{User: 1001}); signedIn.Key() != want {
		t.Errorf("the key of somebody signed in is %+v; want %+v", signedIn.Key(), want)
	}
}

func TestWideChange(t *testing.T) {
	var touched graph.Touched
	for i := range graph.MaxChangeIDs {
		touched.Concept(graph.Concept{ID: graph.ID(1 + i%(graph.MaxChangeIDs-1)), Type: 5})
	}
	if c := touched.Change(1, time.Now()); c.Wide || len(c.Concepts) != graph.MaxChangeIDs-1 {
		t.Errorf("%d ids, one of them twice, are wide: %v", graph.MaxChangeIDs-1, c.Wide)
	}
	touched.Connection(graph.Connection{ID: 1, From: 1, To: 2, Type: 7}, graph.End{Type: 5}, graph.End{Type: 6})
	touched.Connection(graph.Connection{ID: 2, From: 1, To: 2, Type: 7}, graph.End{Type: 5}, graph.End{Type: 6})
	if c := touched.Change(1, time.Now()); !c.Wide || c.Concepts != nil || fmt.Sprint(c.Types) != "[5 6 7]" {
		t.Errorf("%d ids became wide %v, %d concepts, types %v", graph.MaxChangeIDs+1, c.Wide, len(c.Concepts), c.Types)
	}
}

func TestKindOf(t *testing.T) {
	inner := graph.Errorf(graph.Invalid, "inner")
	for want, err := range map[graph.ErrorKind]error{
		"":             nil,
		graph.Invalid:  fmt.Errorf("outer: %w", inner),
		graph.Conflict: graph.Wrap(graph.Conflict, inner, "outer"),
		graph.Internal: errors.New("somebody else's"),
	} {
		if got := graph.KindOf(err); got != want {
			t.Errorf("the kind of %v is %q; want %q", err, got, want)
		}
	}
}
