package graph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var testSender = graph.Sender{User: 1001, Randomizer: 7}

// A person with a name: the person is always created, the name is reused if it exists.
func ExampleBatch() {
	b := graph.Batch{
		Sender: graph.Sender{User: 1001, Randomizer: 7},
		Concepts: []graph.ConceptDraft{
			{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_person"},
			{LocalID: -2, TypeName: "the_name", Value: "Ann"},
		},
		Connections: []graph.ConnectionDraft{{LocalID: -1, From: -1, To: -2, TypeName: "the_person_name", Order: graph.OrderLink}},
	}
	fmt.Println(b.Check())
	b.Concepts[1].LocalID = -1
	fmt.Println(b.Check())
	// Output:
	// <nil>
	// ghost -1 is sent twice with two meanings: the_person "", then the_name "Ann"
}

func TestCheckRejectsMalformedBatches(t *testing.T) {
	a := graph.ConceptDraft{LocalID: -1, TypeName: "the_name", Value: "Ann"}
	link := graph.ConnectionDraft{LocalID: -1, From: -1, To: 5, TypeName: "the_x"}
	with := func(change func(*graph.Batch)) graph.Batch {
		b := graph.Batch{Sender: testSender, Concepts: []graph.ConceptDraft{a}, Connections: []graph.ConnectionDraft{link}}
		change(&b)
		return b
	}
	for _, test := range []struct {
		name string
		b    graph.Batch
		kind graph.ErrorKind
		text string // part of the error message
	}{
		{"valid batch", with(func(*graph.Batch) {}), "", ""},
		{"empty batch", graph.Batch{Sender: testSender}, "", ""},
		{"equal drafts sent twice", with(func(b *graph.Batch) { b.Concepts = append(b.Concepts, a); b.Connections = append(b.Connections, link) }), "", ""},
		{"batch without a sender", with(func(b *graph.Batch) { b.Sender = graph.Sender{} }), graph.Invalid, "sender"},
		{"session that is not UTF-8", with(func(b *graph.Batch) { b.Sender.Session = "\xff" }), graph.Invalid, "session"},
		{"positive local id", with(func(b *graph.Batch) { b.Concepts[0].LocalID = 3 }), graph.Invalid, "not 3"},
		{"local id beyond 2^53", with(func(b *graph.Batch) { b.Concepts[0].LocalID = -graph.MaxID - 1 }), graph.Invalid, "-9007199254740992"},
		{"value with NUL", with(func(b *graph.Batch) { b.Concepts[0].Value = "a\x00" }), graph.Invalid, "concept 0 of the batch (ghost -1): value has a NUL"},
		{"composition with a value", with(func(b *graph.Batch) { b.Concepts[0].Kind = graph.DraftComposition }), graph.Invalid, "Ann"},
		{"unknown kind of draft", with(func(b *graph.Batch) { b.Concepts[0].Kind = 9 }), graph.Invalid, "9"},
		{"local id with two meanings", with(func(b *graph.Batch) {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: -1, TypeName: "the_name", Value: "Ben"})
		}), graph.Invalid, "Ben"},
		{"local id of a connection with two meanings", with(func(b *graph.Batch) {
			b.Connections = append(b.Connections, graph.ConnectionDraft{LocalID: -1, From: -1, To: 6, TypeName: "the_x"})
		}), graph.Invalid, "-1→6"},
		{"reserved id below zero", with(func(b *graph.Batch) { b.Concepts[0].LocalID, b.Concepts[0].ID = 0, -3 }), graph.Invalid, "-3"},
		{"reserved id beyond 2^53", with(func(b *graph.Batch) { b.Connections[0].LocalID, b.Connections[0].ID = 0, graph.MaxID+1 }), graph.Invalid, "9007199254740992"},
		{"draft with a local and a reserved id", with(func(b *graph.Batch) { b.Concepts[0].ID = 100123 }), graph.Invalid, "-1 and 100123"},
		{"reserved id with two meanings", with(func(b *graph.Batch) {
			b.Concepts = append(b.Concepts,
				graph.ConceptDraft{ID: 100123, TypeName: "the_name", Value: "Ben"}, graph.ConceptDraft{ID: 100123, TypeName: "the_name", Value: "Cem"})
		}), graph.Invalid, "100123"},
		{"reserved id of both a concept and a connection", with(func(b *graph.Batch) {
			b.Concepts[0].LocalID, b.Concepts[0].ID = 0, 100123
			b.Connections[0].LocalID, b.Connections[0].ID = 0, 100123
		}), graph.Invalid, "100123"},
		{"connection with one end", with(func(b *graph.Batch) { b.Connections[0].To = 0 }), graph.Invalid, "-1→0"},
		{"connection without a type", with(func(b *graph.Batch) { b.Connections[0].TypeName = "" }), graph.Invalid, "type"},
		{"end beyond 2^53", with(func(b *graph.Batch) { b.Connections[0].To = graph.MaxID + 1 }), graph.Invalid, "9007199254740992"},
		{"owner below zero", with(func(b *graph.Batch) { b.Connections[0].Owner = -1 }), graph.Invalid, "-1"},
		{"unknown level of access", with(func(b *graph.Batch) { b.Concepts[0].Access = 1 }), graph.Invalid, "access"},
		{"year that JSON cannot represent", with(func(b *graph.Batch) { b.Concepts[0].Created = time.Date(12024, 1, 1, 0, 0, 0, 0, time.UTC) }), graph.Invalid, "12024"},
		{"removal of id 0", with(func(b *graph.Batch) { b.RemoveConnections = []graph.ID{0} }), graph.Invalid, "remove"},
		{"too many records", with(func(b *graph.Batch) { b.RemoveConcepts = make([]graph.ID, graph.MaxBatchRecords) }), graph.TooLarge, "50002"},
	} {
		err := test.b.Check()
		if graph.KindOf(err) != test.kind || (err != nil && !strings.Contains(err.Error(), test.text)) {
			t.Errorf("%s: %q, %v; want %q about %q", test.name, graph.KindOf(err), err, test.kind, test.text)
		}
	}
}

func TestSenderKeyContainsTheSessionOfGuestsOnly(t *testing.T) {
	guest, signedIn := graph.Sender{User: graph.Anonymous, Session: "a"}, graph.Sender{User: 1001, Session: "a"}
	if guest.Key() != guest {
		t.Errorf("the key of a guest = %+v; want the sender itself, %+v", guest.Key(), guest)
	}
	if want := (graph.Sender{User: 1001}); signedIn.Key() != want {
		t.Errorf("the key of a signed-in user is %+v; want %+v", signedIn.Key(), want)
	}
}

func TestChangeWithTooManyIDsIsWide(t *testing.T) {
	var change graph.ChangeBuilder
	for i := range graph.MaxChangeIDs {
		change.AddConcept(graph.Concept{ID: graph.ID(1 + i%(graph.MaxChangeIDs-1)), Type: 5})
	}
	if c := change.Build(1, time.Now()); c.Wide || len(c.Concepts) != graph.MaxChangeIDs-1 {
		t.Errorf("a change of %d distinct ids is wide: %v", graph.MaxChangeIDs-1, c.Wide)
	}
	change.AddConnection(graph.Connection{ID: 1, From: 1, To: 2, Type: 7}, graph.Endpoint{Type: 5}, graph.Endpoint{Type: 6})
	change.AddConnection(graph.Connection{ID: 2, From: 1, To: 2, Type: 7}, graph.Endpoint{Type: 5}, graph.Endpoint{Type: 6})
	if c := change.Build(1, time.Now()); !c.Wide || c.Concepts != nil || fmt.Sprint(c.Types) != "[5 6 7]" {
		t.Errorf("a change of %d ids: wide %v, %d concepts, types %v", graph.MaxChangeIDs+1, c.Wide, len(c.Concepts), c.Types)
	}
}

func TestKindOfReturnsTheOutermostKind(t *testing.T) {
	inner := graph.Errorf(graph.Invalid, "inner")
	for want, err := range map[graph.ErrorKind]error{
		"":             nil,
		graph.Invalid:  fmt.Errorf("outer: %w", inner),
		graph.Conflict: graph.Wrap(graph.Conflict, inner, "outer"),
		graph.Internal: errors.New("foreign"),
	} {
		if got := graph.KindOf(err); got != want {
			t.Errorf("the kind of %v is %q; want %q", err, got, want)
		}
	}
}
