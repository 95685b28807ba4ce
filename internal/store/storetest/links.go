package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var links = []behaviour{
	{"a connection keeps its ends, type, order, owner, access and time", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, composition(0, "the_person"), value(0, "the_name", "Ann"))
		d := graph.ConnectionDraft{
			LocalID: -1, From: ids[0], To: ids[1], TypeName: "the_person_name", Order: 1000,
			Owner: bob.User, Access: graph.Public, Created: noon.Add(time.Microsecond),
		}
		got := write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{d}}).Connections[0]
		expected := graph.Connection{
			ID: got.ID, From: ids[0], To: ids[1], Type: typeID(t, s, "the_person_name"), Order: 1000,
			Owner: bob.User, Access: graph.Public, Created: noon,
		}
		want(t, "the receipt", got, expected)
		want(t, "read again", connections(t, s, got.ID), []graph.Connection{expected})
		for direction, of := range ids {
			links := graph.Links{Of: []graph.ID{of}, Direction: graph.Direction(direction)}
			want(t, "followed", read[[]graph.Connection](t)(s.Links(t.Context(), links)), []graph.Connection{expected})
		}
	}},
	{"two equal drafts without local ids are two connections", func(t *testing.T, s graph.Store) {
		ids := writeConcepts(t, s, alice, composition(0, "the_person"), value(0, "the_name", "Ann"))
		written := writeLinks(t, s, alice, link(ids[0], "the_person_name", ids[1]), link(ids[0], "the_person_name", ids[1]))
		want(t, "number of connections", unique(written), 2)
	}},
	{"Links follows connections out and in, of all types or of the given types", func(t *testing.T, s graph.Store) {
		w := writePeople(t, s)
		w.want(t, "everything out", graph.Links{Of: w.people})
		w.want(t, "everything in", graph.Links{Of: append(w.things, w.people...), Direction: graph.In})
		w.want(t, "one type", graph.Links{Of: w.people, Types: w.types[:1]})
		w.want(t, "one type, in", graph.Links{Of: w.things, Types: w.types[1:2], Direction: graph.In})
		w.want(t, "two types", graph.Links{Of: w.people, Types: []graph.ID{w.types[2], w.types[0]}})
		w.want(t, "an unknown type", graph.Links{Of: w.people, Types: []graph.ID{77}})
		w.want(t, "type 0", graph.Links{Of: w.people, Types: []graph.ID{0}})
		w.want(t, "type 0 and a type", graph.Links{Of: w.people, Types: []graph.ID{0, w.types[0]}})
		w.want(t, "no types", graph.Links{Of: w.people, Types: []graph.ID{}})
		w.want(t, "no concepts", graph.Links{})
		w.want(t, "unknown concepts", graph.Links{Of: []graph.ID{77, -1, 0, w.people[0]}})
	}},
	{"Links groups connections in the order of Of, each concept once", func(t *testing.T, s graph.Store) {
		w := writePeople(t, s)
		of := slices.Clone(w.people)
		slices.Reverse(of)
		w.want(t, "reversed", graph.Links{Of: of})
		w.want(t, "repeated", graph.Links{Of: append(of, of...), Types: w.types})
	}},
	{"a page is cut from the connections of each concept", func(t *testing.T, s graph.Store) {
		w := writePeople(t, s)
		for _, page := range pages(w.written) {
			for _, types := range [][]graph.ID{nil, w.types[:1], {w.types[1], w.types[0]}} {
				w.want(t, fmt.Sprintf("%v %+v", types, page), graph.Links{Of: w.people, Types: types, Page: page})
				w.want(t, fmt.Sprintf("in %v %+v", types, page), graph.Links{Of: w.things, Types: types, Direction: graph.In, Page: page})
			}
		}
	}},
	{"Links finds the connections of a composition by its main concept as their type", func(t *testing.T, s graph.Store) {
		written := write(t, s, graph.Batch{
			Sender:   alice,
			Concepts: []graph.ConceptDraft{composition(-1, "the_phonebook"), composition(-2, "address"), value(-3, "the_city", "Bonn")},
			Connections: []graph.ConnectionDraft{
				internal(-1, -1, -2), internal(-2, -1, -3), link(-2, "the_address_s_city", -3),
			},
		})
		main, address := written.Concepts[0].ID, written.Concepts[1].ID
		got := read[[]graph.Connection](t)(s.Links(t.Context(), graph.Links{Of: []graph.ID{main, address}, Types: []graph.ID{main}}))
		want(t, "internal", got, written.Connections[:2])
	}},
	{"CountLinks counts by concept and type, without zeros", func(t *testing.T, s graph.Store) {
		w := writePeople(t, s)
		for _, links := range []graph.Links{
			{Of: w.people},
			{Of: w.people, Types: w.types[:2]},
			{Of: w.things, Direction: graph.In},
			{Of: []graph.ID{w.things[0], 77}},
			{Of: w.people, Page: graph.Page{Limit: 1, Skip: 1}},
			{Of: w.people, Types: []graph.ID{}},
		} {
			got := read[[]graph.LinkCount](t)(s.CountLinks(t.Context(), links))
			want(t, fmt.Sprintf("%+v", links), got, w.counts(links))
		}
	}},
}

// A peopleStore is a store with people that like and own things. It lists all connections in the order of their ids.
type peopleStore struct {
	store                          graph.Store
	people, things, types, written []graph.ID
	all                            []graph.Connection
}

// writePeople writes people, things, and connections of three types between them.
func writePeople(t *testing.T, s graph.Store) peopleStore {
	t.Helper()
	w := peopleStore{store: s}
	for i := range 4 {
		w.people = append(w.people, writeConcepts(t, s, alice, composition(0, "the_person"))...)
		w.things = append(w.things, writeConcepts(t, s, alice, value(0, "the_thing", fmt.Sprint("thing ", i)))...)
	}
	w.types = writeConcepts(t, s, alice, typ(0, "the_person_s_like"), typ(0, "the_person_s_own"), typ(0, "the_person_friend"))
	var drafts []graph.ConnectionDraft
	for i := range 40 {
		from, to, typ := w.people[i%3], w.things[(i/2)%4], w.types[i%2]
		if i%5 == 4 {
			to, typ = w.people[(i+1)%3], w.types[2]
		}
		drafts = append(drafts, graph.ConnectionDraft{From: from, To: to, Type: typ})
	}
	w.all = write(t, s, graph.Batch{Sender: alice, Connections: drafts}).Connections
	w.written = idsOf(w.all)
	if !slices.IsSorted(w.written) {
		t.Fatalf("connections of one batch are numbered out of order: %v", w.written)
	}
	return w
}

// want compares what Links returns with a search through all connections.
func (w peopleStore) want(t *testing.T, what string, links graph.Links) {
	t.Helper()
	got := read[[]graph.Connection](t)(w.store.Links(t.Context(), links))
	expected := []graph.ID{}
	for _, of := range distinct(links.Of) {
		expected = append(expected, pageOf(idsOf(w.at(of, links)), links.Page)...)
	}
	want(t, what, idsOf(got), expected)
}

func (w peopleStore) counts(links graph.Links) []graph.LinkCount {
	counts := []graph.LinkCount{}
	for _, of := range distinct(links.Of) {
		n := map[graph.ID]int{}
		for _, c := range w.at(of, links) {
			n[c.Type]++
		}
		for _, typ := range w.types {
			if n[typ] > 0 {
				counts = append(counts, graph.LinkCount{Of: of, Type: typ, N: n[typ]})
			}
		}
	}
	return counts
}

func (w peopleStore) at(of graph.ID, links graph.Links) []graph.Connection {
	var found []graph.Connection
	for _, c := range w.all {
		end := c.From
		if links.Direction == graph.In {
			end = c.To
		}
		if end == of && (links.Types == nil || slices.Contains(links.Types, c.Type)) {
			found = append(found, c)
		}
	}
	return found
}

// distinct returns ids without repetitions, in their order.
func distinct(ids []graph.ID) []graph.ID {
	var result []graph.ID
	for _, id := range ids {
		if !slices.Contains(result, id) {
			result = append(result, id)
		}
	}
	return result
}
