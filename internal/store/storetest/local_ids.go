package storetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

var localIDs = []behaviour{
	{"a batch sent twice creates nothing new", func(t *testing.T, s graph.Store) {
		first := write(t, s, record)
		last := read[graph.Seq](t)(s.LastSeq(t.Context()))
		repeated := write(t, s, record)
		want(t, "the second receipt's number", repeated.Seq, 0)
		want(t, "the store's last number", read[graph.Seq](t)(s.LastSeq(t.Context())), last)
		first.Seq = 0
		want(t, "the second receipt", repeated, first)
	}},
	{"a record sent twice in one batch is created once", func(t *testing.T, s graph.Store) {
		b := record
		b.Concepts = append(slices.Clip(record.Concepts), record.Concepts...)
		b.Connections = append(slices.Clip(record.Connections), record.Connections...)
		got := write(t, s, b)
		want(t, "concepts", got.Concepts[len(record.Concepts):], got.Concepts[:len(record.Concepts)])
		want(t, "connections", got.Connections[len(record.Connections):], got.Connections[:len(record.Connections)])
	}},
	{"a record sent again together with new records is not created again", func(t *testing.T, s graph.Store) {
		first := write(t, s, record)
		b := record
		b.Concepts = append([]graph.ConceptDraft{value(-9, "the_email", "a@b.c")}, record.Concepts...)
		b.Connections = append(slices.Clip(record.Connections), internal(-1, -1, -9))
		got := write(t, s, b)
		want(t, "concepts", got.Concepts[1:], first.Concepts)
		want(t, "connections", got.Connections[:len(first.Connections)], first.Connections)
		want(t, "the new link", got.Connections[len(first.Connections)].To, got.Concepts[0].ID)
	}},
	{"equal local ids of different senders are different records", func(t *testing.T, s graph.Store) {
		first := write(t, s, record)
		for name, by := range map[string]graph.Sender{
			"another user":    {User: bob.User, Randomizer: alice.Randomizer},
			"another profile": {User: alice.User, Randomizer: alice.Randomizer + 1},
			"a guest":         {User: graph.Anonymous, Session: "s1", Randomizer: alice.Randomizer},
			"another guest":   {User: graph.Anonymous, Session: "s2", Randomizer: alice.Randomizer},
		} {
			b := record
			b.Sender = by
			got := write(t, s, b)
			if got.Concepts[0].ID == first.Concepts[0].ID || got.Connections[0].ID == first.Connections[0].ID {
				t.Errorf("%s received alice's record", name)
			}
			repeated := write(t, s, b)
			want(t, name+" again", repeated.Concepts, got.Concepts)
		}
	}},
	{"the session of a signed-in sender does not matter", func(t *testing.T, s graph.Store) {
		first := write(t, s, record)
		b := record
		b.Sender.Session = "another"
		want(t, "the receipt", write(t, s, b).Concepts, first.Concepts)
	}},
	{"concepts and connections have separate local ids", func(t *testing.T, s graph.Store) {
		got := write(t, s, graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{value(-1, "the_name", "Ann"), value(-2, "the_name", "Ben")},
			Connections: []graph.ConnectionDraft{{LocalID: -1, From: -1, To: -2, TypeName: "the_name_friend"}},
		})
		want(t, "the resolved local ids", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), alice, []graph.ID{-1, -2})),
			map[graph.ID]graph.ID{-1: got.Concepts[0].ID, -2: got.Concepts[1].ID})
	}},
	{"a later batch may refer to local ids of an earlier batch", func(t *testing.T, s graph.Store) {
		first := write(t, s, record)
		later := write(t, s, graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{value(-20, "the_email", "a@b.c"), typ(-21, "the_person_email")},
			Connections: []graph.ConnectionDraft{{From: -1, To: -20, Type: -21}, {From: -20, To: -2, Type: -1}},
		})
		want(t, "from", later.Connections[0].From, first.Concepts[0].ID)
		want(t, "type", later.Connections[0].Type, later.Concepts[1].ID)
		want(t, "to", later.Connections[1].To, first.Concepts[1].ID)
		want(t, "internal type", later.Connections[1].Type, first.Concepts[0].ID)
	}},
	{"refuses a local id that was never sent, and names the id", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		for _, d := range []graph.ConnectionDraft{
			link(-777, "the_person_name", -1),
			link(-1, "the_person_name", -777),
			{From: -1, To: -2, Type: -777},
		} {
			text := expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{d}})
			if !strings.Contains(text, "-777") {
				t.Errorf("%q does not name the local id", text)
			}
		}
		expectError(t, s, graph.Invalid, graph.Batch{Sender: bob, Connections: []graph.ConnectionDraft{link(-1, "the_person_name", -2)}})
		expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-777}})
		expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, RemoveConnections: []graph.ID{-777}})
	}},
	{"a connection whose type is an unknown local id takes the type of its TypeName", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		b := graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{{LocalID: -50, From: -1, To: -2, Type: -777, TypeName: "the_person_name"}}}
		got := write(t, s, b)
		want(t, "its type", got.Connections[0].Type, typeID(t, s, "the_person_name"))
		want(t, "sent again", write(t, s, b).Connections, got.Connections)
	}},
	{"a local id sent again for a different record is a conflict", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		for _, d := range []graph.ConceptDraft{
			value(-2, "the_name", "Ben"), value(-2, "the_email", "Ann"), composition(-2, "the_name"), typ(-2, "the_name"),
			composition(-1, "the_animal"), value(-1, "the_person", ""), typ(-4, "the_person_email"),
		} {
			text := expectError(t, s, graph.Conflict, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{d}})
			if !strings.Contains(text, d.LocalID.String()) {
				t.Errorf("%q does not name the local id", text)
			}
		}
		for _, d := range []graph.ConnectionDraft{
			{LocalID: -1, From: -2, To: -1, Type: -1},
			{LocalID: -1, From: -1, To: -3, Type: -1},
			{LocalID: -1, From: -1, To: -2, TypeName: "the_person_name"},
			{LocalID: -1, From: -1, To: -2, TypeName: "the_new_type"},
		} {
			expectError(t, s, graph.Conflict, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{d}})
		}
		want(t, "a type of the refused batch", typeID(t, s, "the_new_type"), 0)
	}},
	{"skips a connection whose ends become one concept, every time it is sent", func(t *testing.T, s graph.Store) {
		b := graph.Batch{
			Sender:   alice,
			Concepts: []graph.ConceptDraft{value(-1, "the_name", "Ann"), value(-2, "the_name", "Ann"), value(-3, "the_name", "Ben")},
			Connections: []graph.ConnectionDraft{
				{LocalID: -1, From: -1, To: -2, TypeName: "the_name_friend"},
				{LocalID: -2, From: -1, To: -3, TypeName: "the_name_friend"},
			},
		}
		got := write(t, s, b)
		want(t, "the skipped connection", got.Connections[0], graph.Connection{})
		if got.Connections[1].ID == 0 {
			t.Error("the other connection was skipped too")
		}
		want(t, "sent again", write(t, s, b).Connections, got.Connections)
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: []graph.ID{-1}})
		b.Connections[0].To = -3
		expectError(t, s, graph.Conflict, b)
	}},
	{"ResolveIDs leaves out unknown local ids", func(t *testing.T, s graph.Store) {
		got := write(t, s, record)
		ids := []graph.ID{-2, -777, 5, 0, -1, -2}
		want(t, "alice's", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), alice, ids)),
			map[graph.ID]graph.ID{-1: got.Concepts[0].ID, -2: got.Concepts[1].ID})
		want(t, "bob's", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), bob, ids)), map[graph.ID]graph.ID{})
	}},
	{"ResolveConnections resolves local ids of connections, also of removed ones", func(t *testing.T, s graph.Store) {
		b := record
		b.Connections = append(slices.Clip(record.Connections), graph.ConnectionDraft{LocalID: -4, From: -2, To: -2, TypeName: "the_name_friend"})
		got := write(t, s, b)
		ids := []graph.ID{-2, -777, -4, 5, 0, -1, -2}
		resolved := map[graph.ID]graph.ID{-1: got.Connections[0].ID, -2: got.Connections[1].ID}
		want(t, "alice's", read[map[graph.ID]graph.ID](t)(s.ResolveConnections(t.Context(), alice, ids)), resolved)
		for _, by := range []graph.Sender{bob, {User: alice.User, Randomizer: alice.Randomizer + 1}, {User: graph.Anonymous, Session: "s1"}} {
			want(t, "those of another sender", read[map[graph.ID]graph.ID](t)(s.ResolveConnections(t.Context(), by, ids)), map[graph.ID]graph.ID{})
		}
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: []graph.ID{-2}, RemoveConcepts: []graph.ID{-1}})
		want(t, "removed ones", read[map[graph.ID]graph.ID](t)(s.ResolveConnections(t.Context(), alice, ids)), resolved)
	}},
	{"a local id of a removed connection sent again for new concepts is a conflict", func(t *testing.T, s graph.Store) {
		write(t, s, record)
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: []graph.ID{-1}})
		b := record
		want(t, "the number when sent again", write(t, s, b).Seq, 0)
		for _, d := range []graph.ConnectionDraft{
			{LocalID: -1, From: -20, To: -2, Type: -20}, {LocalID: -1, From: -1, To: -21, Type: -1}, {LocalID: -1, From: -1, To: -2, Type: -20},
		} {
			text := expectError(t, s, graph.Conflict, graph.Batch{
				Sender: alice, Concepts: []graph.ConceptDraft{composition(-20, "the_person"), value(-21, "the_name", "Ben")},
				Connections: []graph.ConnectionDraft{d},
			})
			if !strings.Contains(text, "ghost -1 ") {
				t.Errorf("%q does not name the local id", text)
			}
		}
	}},
}

// record is a small composition with two more connections, one of which creates its type.
var record = graph.Batch{
	Sender: alice,
	Concepts: []graph.ConceptDraft{
		composition(-1, "the_person"), value(-2, "the_name", "Ann"), value(-3, "the_city", "Bonn"), typ(-4, "the_person_city"),
		value(-5, "the_note", ""),
	},
	Connections: []graph.ConnectionDraft{
		{LocalID: -1, From: -1, To: -2, Type: -1, Order: graph.OrderInternal},
		{LocalID: -2, From: -1, To: -3, Type: -4, Order: graph.OrderLink},
		{LocalID: -3, From: -3, To: -2, TypeName: "the_city_s_person", Order: graph.OrderLink},
	},
}
