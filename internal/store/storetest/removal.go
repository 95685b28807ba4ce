package storetest

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

var removal = []behaviour{
	{"removing a connection keeps its ends", func(t *testing.T, s graph.Store) {
		written := write(t, s, record)
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: []graph.ID{written.Connections[0].ID, -2}})
		want(t, "connections", idsOf(connections(t, s, idsOf(written.Connections)...)), []graph.ID{written.Connections[2].ID})
		want(t, "followed", read[[]graph.Connection](t)(s.Links(t.Context(), graph.Links{Of: []graph.ID{written.Concepts[0].ID}})), []graph.Connection{})
		want(t, "concepts", concepts(t, s, idsOf(written.Concepts)...), written.Concepts)
	}},
	{"removing a concept removes its connections", func(t *testing.T, s graph.Store) {
		written := write(t, s, record)
		ann := written.Concepts[1].ID
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{ann}})
		want(t, "the concept", concepts(t, s, ann), []graph.Concept{})
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: "Ann"}), []graph.ID{})
		want(t, "by type", read[int](t)(s.CountByType(t.Context(), typeID(t, s, "the_name"), 0)), 0)
		want(t, "connections", idsOf(connections(t, s, idsOf(written.Connections)...)), []graph.ID{written.Connections[1].ID})
		in := graph.Links{Of: []graph.ID{ann}, Direction: graph.In}
		want(t, "followed in", read[[]graph.Connection](t)(s.Links(t.Context(), in)), []graph.Connection{})
	}},
	{"removing the head of a composition removes its internal connections", func(t *testing.T, s graph.Store) {
		written := write(t, s, graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{composition(-1, "the_phonebook"), composition(-2, "address"), value(-3, "the_city", "Bonn")},
			Connections: []graph.ConnectionDraft{internal(-1, -1, -2), internal(-2, -1, -3), link(-2, "the_address_city", -3)},
		})
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-1}})
		want(t, "connections", connections(t, s, idsOf(written.Connections)...), written.Connections[2:])
	}},
	{"removes a long text", func(t *testing.T, s graph.Store) {
		long := value(-1, "the_text", strings.Repeat("long ", 200))
		id := writeConcepts(t, s, alice, long)[0]
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{id}})
		want(t, "the text", concepts(t, s, id), []graph.Concept{})
	}},
	{"refuses to remove a fixed concept", func(t *testing.T, s graph.Store) {
		for _, c := range graph.Fixed() {
			expectError(t, s, graph.Forbidden, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{c.ID}})
		}
	}},
	{"refuses to remove a type in use, and removes one that is not", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		types := writeConcepts(t, s, alice, typ(-40, "the_spare"))
		for _, name := range []string{"the_name", "name", "person", "the_person", "the_person_city", "the_city_s"} {
			expectError(t, s, graph.Forbidden, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{typeID(t, s, name)}})
		}
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: types})
		want(t, "the spare type", typeID(t, s, "the_spare"), 0)
		repeated := writeConcepts(t, s, bob, typ(-1, "the_spare"))
		if repeated[0] == types[0] {
			t.Errorf("a new type has the id %d of the removed type", repeated[0])
		}
	}},
	{"removes a type together with everything that used it", func(t *testing.T, s graph.Store) {
		written := write(t, s, graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{value(-1, "the_name", "Ann"), composition(-2, "the_person")},
			Connections: []graph.ConnectionDraft{link(-2, "the_person_name", -1)},
		})
		types := []graph.ID{written.Connections[0].Type, written.Concepts[1].Type}
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: idsOf(written.Connections), RemoveConcepts: append(idsOf(written.Concepts), types...)})
		want(t, "the types", concepts(t, s, types...), []graph.Concept{})
		repeated := write(t, s, graph.Batch{Sender: bob, Concepts: []graph.ConceptDraft{value(-1, "the_name", "Ann"), composition(-2, "the_person")}})
		want(t, "the type created again", repeated.Concepts[1].Type, typeID(t, s, "the_person"))
		if repeated.Concepts[1].Type == written.Concepts[1].Type {
			t.Errorf("a new type has the id %d of the removed type", written.Concepts[1].Type)
		}
	}},
	{"removing records that do not exist changes nothing", func(t *testing.T, s graph.Store) {
		written := write(t, s, record)
		removals := graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-1, written.Concepts[1].ID}, RemoveConnections: []graph.ID{-3}}
		if write(t, s, removals).Seq == 0 {
			t.Error("removing changed nothing")
		}
		want(t, "removing twice", write(t, s, removals).Seq, 0)
		want(t, "removing ids that never existed", write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{987654321}, RemoveConnections: []graph.ID{987654321}}).Seq, 0)
	}},
	{"a removed record sent again stays removed and keeps its id in the receipt", func(t *testing.T, s graph.Store) {
		written := write(t, s, record)
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-1, -2}})
		repeated := write(t, s, record)
		want(t, "the number", repeated.Seq, 0)
		want(t, "concepts", idsOf(repeated.Concepts), idsOf(written.Concepts))
		want(t, "connections", idsOf(repeated.Connections), idsOf(written.Connections))
		want(t, "existing concepts", idsOf(concepts(t, s, idsOf(written.Concepts)...)), idsOf(written.Concepts)[2:])
		expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{link(-1, "the_person_city", -3)}})
	}},
	{"a removed value drafted again under a new local id is a new concept", func(t *testing.T, s graph.Store) {
		first := writeConcepts(t, s, alice, value(-1, "the_name", "Ann"))
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: first})
		second := writeConcepts(t, s, alice, value(-2, "the_name", "Ann"))
		want(t, "how many", unique(append(first, second...)), 2)
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: "Ann"}), second)
	}},
	{"applies removals after the drafts", func(t *testing.T, s graph.Store) {
		b := record
		b.RemoveConcepts, b.RemoveConnections = []graph.ID{-3}, []graph.ID{-1}
		written := write(t, s, b)
		want(t, "concepts", len(concepts(t, s, idsOf(written.Concepts)...)), len(written.Concepts)-1)
		want(t, "connections", connections(t, s, idsOf(written.Connections)...), []graph.Connection{})
		want(t, "sent again", write(t, s, b).Seq, 0)
	}},
}
