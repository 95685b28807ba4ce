package storetest

import (
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
)

var types = []behaviour{
	{"a new store holds the fixed concepts", func(t *testing.T, s graph.Store) {
		fixed := graph.Fixed()
		want(t, "Concepts", concepts(t, s, idsOf(fixed)...), fixed)
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: "the_connection"}), []graph.ID{graph.TypeConnection})
	}},
	{"creating a type creates the types of its name's parts first", func(t *testing.T, s graph.Store) {
		name := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{typ(-1, "the_person_name")}}).Concepts[0]
		chain := []graph.ID{}
		for _, link := range graph.TypeChain("the_person_name") {
			chain = append(chain, typeID(t, s, link))
		}
		written := concepts(t, s, chain...)
		if len(written) != 4 {
			t.Fatalf("the chain has %d concepts: %+v; want person, the_person, name, the_person_name", len(written), written)
		}
		person, thePerson, word := written[0], written[1], written[2]
		want(t, "the type of person", person.Type, graph.Word)
		want(t, "the category of person", person.Category, graph.CategoryWord)
		want(t, "the type of the_person", thePerson.Type, person.ID)
		want(t, "the category of the_person", thePerson.Category, graph.The)
		want(t, "the type of the_person_name", name.Type, word.ID)
		want(t, "the category of the_person_name", name.Category, thePerson.ID)
		want(t, "the owner of the_person_name", name.Owner, graph.Anonymous)
		if !slices.IsSorted(chain) {
			t.Errorf("the chain was created out of order: %v", chain)
		}
	}},
	{"all users share one concept for a type", func(t *testing.T, s graph.Store) {
		a := writeConcepts(t, s, alice, typ(-1, "the_person_name"), typ(-2, "the_person"))
		b := writeConcepts(t, s, bob, typ(-1, "the_person_name"), typ(-2, "the_person"))
		want(t, "bob's ids", b, a)
	}},
	{"types with the same last word and different prefixes are different concepts", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, typ(0, "the_person_name"), typ(0, "the_pet_name"), typ(0, "the_name"), typ(0, "name"))
		want(t, "number of concepts", unique(ids), 4)
	}},
	{"a fixed type keeps its id", func(t *testing.T, s graph.Store) {
		got := writeConcepts(t, s, alice, typ(0, "the"), typ(0, "the_connection"), typ(0, "the_prototype_of"), typ(0, "of"))
		want(t, "ids", got, []graph.ID{graph.The, graph.TypeConnection, graph.CategoryPrototype, 5123})
	}},
	{"a type name may end or start with an underscore, or be a single word", func(t *testing.T, s graph.Store) {
		names := []string{"the_phones_s_", "_x", "0", "address", "Ünï"}
		var drafts []graph.ConceptDraft
		for i, name := range names {
			drafts = append(drafts, typ(graph.ID(-1-i), name))
		}
		first := write(t, s, graph.Batch{Sender: alice, Concepts: drafts}).Concepts
		for i, name := range names {
			want(t, "the name", first[i].Value, name)
		}
		want(t, "written again", writeConcepts(t, s, bob, drafts...), idsOf(first))
	}},
	{"a type and a value with the same text are different concepts", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, typ(0, "the_person"), value(0, "the_person", "the_person"), value(0, "person", "the_person"))
		want(t, "number of concepts", unique(ids), 3)
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: "the_person"}), ids)
		want(t, "in the category", byValue(t, s, graph.ValueKey{Value: "the_person", Category: graph.CategoryWord}), ids[:1])
		want(t, "of the type", byValue(t, s, graph.ValueKey{Value: "the_person", Type: ids[0]}), ids[1:2])
	}},
	{"a prototype is neither a type nor an instance, and is always new", func(t *testing.T, s graph.Store) {
		drafts := []graph.ConceptDraft{
			{LocalID: -1, Kind: graph.DraftPrototype, TypeName: "the_person", Value: "the_person"},
			{LocalID: -2, Kind: graph.DraftPrototype, TypeName: "the_person", Value: "the_person"},
		}
		written := write(t, s, graph.Batch{Sender: alice, Concepts: drafts}).Concepts
		person := typeID(t, s, "the_person")
		want(t, "number of concepts", unique(append(idsOf(written), person)), 3)
		for _, c := range concepts(t, s, idsOf(written)...) {
			want(t, "the concept", graph.Concept{
				ID: c.ID, Type: person, Category: graph.CategoryPrototype, Value: "the_person", Owner: c.Owner,
				Access: graph.Private, Composition: true, Created: c.Created,
			}, c)
		}
		want(t, "sent again", writeConcepts(t, s, alice, drafts...), idsOf(written))
		want(t, "by value", byValue(t, s, graph.ValueKey{Value: "the_person"}), []graph.ID{person})
		want(t, "instances", len(read[[]graph.Concept](t)(s.ConceptsByType(t.Context(), person, graph.Page{}))), 0)
		expectError(t, s, graph.Conflict, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-1, "the_person")}})
	}},
	{"a type whose name begins with the_prototype_of is a type", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, typ(0, "the_prototype_of_person"), typ(0, "the_prototype_of_the_person_requires"))
		want(t, "written again", writeConcepts(t, s, bob, typ(0, "the_prototype_of_person"), typ(0, "the_prototype_of_the_person_requires")), ids)
		found := read[map[string]graph.Concept](t)(graph.TypesNamed(t.Context(), s, "the_prototype_of_person", "the_prototype_of_the_person_requires"))
		want(t, "by name", []graph.ID{found["the_prototype_of_person"].ID, found["the_prototype_of_the_person_requires"].ID}, ids)
	}},
	{"a connection with a TypeName creates the type", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, composition(-1, "the_person"), value(-2, "the_name", "Ann"))
		written := write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{link(ids[0], "the_person_name", ids[1])}})
		want(t, "its type", written.Connections[0].Type, typeID(t, s, "the_person_name"))
	}},
}
