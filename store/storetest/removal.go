package storetest

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

var removal = []promise{
	{"a removed connection is gone, and its ends stay", func(t *testing.T, s graph.Store) {
		made := write(t, s, record)
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: []graph.ID{made.Connections[0].ID, -2}})
		want(t, "connections", idsOf(connections(t, s, idsOf(made.Connections)...)), []graph.ID{made.Connections[2].ID})
		want(t, "followed", read[[]graph.Connection](t)(s.Links(t.Context(), graph.Links{Of: []graph.ID{made.Concepts[0].ID}})), []graph.Connection{})
		want(t, "concepts", concepts(t, s, idsOf(made.Concepts)...), made.Concepts)
	}},
	{"a concept takes its connections along", func(t *testing.T, s graph.Store) {
		made := write(t, s, record)
		ann := made.Concepts[1].ID
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{ann}})
		want(t, "the concept", concepts(t, s, ann), []graph.Concept{})
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: "Ann"}), []graph.ID{})
		want(t, "by type", read[int](t)(s.CountByType(t.Context(), typeID(t, s, "the_name"), 0)), 0)
		want(t, "connections", idsOf(connections(t, s, idsOf(made.Connections)...)), []graph.ID{made.Connections[1].ID})
		in := graph.Links{Of: []graph.ID{ann}, Direction: graph.In}
		want(t, "followed in", read[[]graph.Connection](t)(s.Links(t.Context(), in)), []graph.Connection{})
	}},
	{"the head of a composition takes its internal connections along", func(t *testing.T, s graph.Store) {
		made := write(t, s, graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{composition(-1, "the_phonebook"), composition(-2, "address"), value(-3, "the_city", "Bonn")},
			Connections: []graph.ConnectionDraft{internal(-1, -1, -2), internal(-2, -1, -3), link(-2, "the_address_city", -3)},
		})
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-1}})
		want(t, "connections", connections(t, s, idsOf(made.Connections)...), made.Connections[2:])
	}},
	{"long text can be removed", func(t *testing.T, s graph.Store) {
		long := value(-1, "the_text", strings.Repeat("long ", 200))
		id := writeConcepts(t, s, alice, long)[0]
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{id}})
		want(t, "the text", concepts(t, s, id), []graph.Concept{})
	}},
	{"a fixed concept cannot be removed", func(t *testing.T, s graph.Store) {
		for _, c := range graph.Fixed() {
			refuse(t, s, graph.Forbidden, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{c.ID}})
		}
	}},
	{"a type in use cannot be removed, one without use can", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		types := writeConcepts(t, s, alice, typ(-40, "the_spare"))
		for _, name := range []string{"the_name", "name", "person", "the_person", "the_person_city", "the_city_s"} {
			refuse(t, s, graph.Forbidden, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{typeID(t, s, name)}})
		}
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: types})
		want(t, "the spare type", typeID(t, s, "the_spare"), 0)
		again := writeConcepts(t, s, bob, typ(-1, "the_spare"))
		if again[0] == types[0] {
			t.Errorf("the type %d came back under its old number", again[0])
		}
	}},
	{"a type is free once what used it is gone", func(t *testing.T, s graph.Store) {
		made := write(t, s, graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{value(-1, "the_name", "Ann"), composition(-2, "the_person")},
			Connections: []graph.ConnectionDraft{link(-2, "the_person_name", -1)},
		})
		types := []graph.ID{made.Connections[0].Type, made.Concepts[1].Type}
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: idsOf(made.Connections), RemoveConcepts: append(idsOf(made.Concepts), types...)})
		want(t, "the types", concepts(t, s, types...), []graph.Concept{})
		again := write(t, s, graph.Batch{Sender: bob, Concepts: []graph.ConceptDraft{value(-1, "the_name", "Ann"), composition(-2, "the_person")}})
		want(t, "the type made anew", again.Concepts[1].Type, typeID(t, s, "the_person"))
		if again.Concepts[1].Type == made.Concepts[1].Type {
			t.Errorf("the type %d came back under its old number", made.Concepts[1].Type)
		}
	}},
	{"what is gone can be removed again", func(t *testing.T, s graph.Store) {
		made := write(t, s, record)
		gone := graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-1, made.Concepts[1].ID}, RemoveConnections: []graph.ID{-3}}
		if write(t, s, gone).Seq == 0 {
			t.Error("removing was no change")
		}
		want(t, "removing twice", write(t, s, gone).Seq, 0)
		want(t, "removing what never was", write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{987654321}, RemoveConnections: []graph.ID{987654321}}).Seq, 0)
	}},
	{"a removed record sent again stays removed and answers with its old id", func(t *testing.T, s graph.Store) {
		made := write(t, s, record)
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-1, -2}})
		again := write(t, s, record)
		want(t, "the number", again.Seq, 0)
		want(t, "concepts", idsOf(again.Concepts), idsOf(made.Concepts))
		want(t, "connections", idsOf(again.Connections), idsOf(made.Connections))
		want(t, "what is there", idsOf(concepts(t, s, idsOf(made.Concepts)...)), idsOf(made.Concepts)[2:])
		refuse(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{link(-1, "the_person_city", -3)}})
	}},
	{"a removed value sent anew is a new concept", func(t *testing.T, s graph.Store) {
		first := writeConcepts(t, s, alice, value(-1, "the_name", "Ann"))
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: first})
		second := writeConcepts(t, s, alice, value(-2, "the_name", "Ann"))
		want(t, "how many", unique(append(first, second...)), 2)
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: "Ann"}), second)
	}},
	{"removing comes after making", func(t *testing.T, s graph.Store) {
		b := record
		b.RemoveConcepts, b.RemoveConnections = []graph.ID{-3}, []graph.ID{-1}
		made := write(t, s, b)
		want(t, "concepts", len(concepts(t, s, idsOf(made.Concepts)...)), len(made.Concepts)-1)
		want(t, "connections", connections(t, s, idsOf(made.Connections)...), []graph.Connection{})
		want(t, "sent again", write(t, s, b).Seq, 0)
	}},
}
