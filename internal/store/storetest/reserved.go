package storetest

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var reserved = []behaviour{
	{"reserved ids are new, ascend, and are not given to other records", func(t *testing.T, s graph.Store) {
		ids := append(reserve(t, s, alice, 20), reserve(t, s, bob, graph.MaxReservedIDs)...)
		want(t, "distinct ids", unique(ids), len(ids))
		want(t, "in order", slices.IsSorted(ids), true)
		isReserved := map[graph.ID]bool{}
		for _, id := range ids {
			isReserved[id] = true
			if id < graph.FirstFree {
				t.Errorf("id %d is among the ids of fixed concepts", id)
			}
		}
		var drafts []graph.ConceptDraft
		for range 2_000 {
			drafts = append(drafts, composition(0, "the_thing"))
		}
		for _, id := range writeConcepts(t, s, alice, drafts...) {
			if isReserved[id] {
				t.Fatalf("id %d is reserved and was given to another record", id)
			}
		}
		want(t, "the store's last number", read[graph.Seq](t)(s.LastSeq(t.Context())), 1)
	}},
	{"refuses to reserve too few ids, too many, or ids without a user", func(t *testing.T, s graph.Store) {
		for _, request := range []struct {
			user graph.ID
			n    int
		}{{1001, 0}, {1001, -1}, {1001, graph.MaxReservedIDs + 1}, {0, 1}, {-1, 1}} {
			_, err := s.Reserve(t.Context(), request.user, request.n)
			want(t, "the error", graph.KindOf(err), graph.Invalid)
		}
	}},
	{"concurrent reservations return different ids", func(t *testing.T, s graph.Store) {
		const n = 16
		all := make([][]graph.ID, n)
		together(n, func(i int) {
			for range 10 {
				ids, err := s.Reserve(t.Context(), graph.ID(2000+i), 10)
				if err != nil {
					t.Errorf("goroutine %d: %v", i, err)
				}
				all[i] = append(all[i], ids...)
				if _, err := s.Write(t.Context(), graph.Batch{
					Sender: graph.Sender{User: graph.ID(2000 + i)}, Concepts: []graph.ConceptDraft{reservedAs(ids[0], composition(0, "the_thing")), composition(0, "the_thing")},
				}); err != nil {
					t.Errorf("goroutine %d: %v", i, err)
				}
			}
		})
		want(t, "distinct ids", unique(slices.Concat(all...)), 100*n)
	}},
	{"a draft with a reserved id becomes a record with that id", func(t *testing.T, s graph.Store) {
		b := reservedRecord(reserve(t, s, alice, 6))
		succeeded := write(t, s, b)
		for i, d := range b.Concepts {
			want(t, "a concept's id", succeeded.Concepts[i].ID, d.ID)
		}
		for i, d := range b.Connections {
			want(t, "a connection's id", succeeded.Connections[i].ID, d.ID)
		}
		want(t, "the concepts", concepts(t, s, idsOf(succeeded.Concepts)...), succeeded.Concepts)
		want(t, "the connections", connections(t, s, idsOf(succeeded.Connections)...), succeeded.Connections)
		want(t, "the type's id", typeID(t, s, "the_person_city"), b.Concepts[3].ID)
		want(t, "the resolved ids", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), alice, []graph.ID{b.Concepts[0].ID, b.Connections[0].ID})),
			map[graph.ID]graph.ID{b.Concepts[0].ID: b.Concepts[0].ID})
		want(t, "the resolved connections", read[map[graph.ID]graph.ID](t)(s.ResolveConnections(t.Context(), alice, []graph.ID{b.Concepts[0].ID, b.Connections[0].ID})),
			map[graph.ID]graph.ID{b.Connections[0].ID: b.Connections[0].ID})
		want(t, "those of another user", read[map[graph.ID]graph.ID](t)(s.ResolveConnections(t.Context(), bob, []graph.ID{b.Connections[0].ID})), map[graph.ID]graph.ID{})
	}},
	{"a batch with reserved ids sent twice creates nothing new", func(t *testing.T, s graph.Store) {
		b := reservedRecord(reserve(t, s, alice, 6))
		first := write(t, s, b)
		b.Sender.Randomizer++ // reserved ids belong to the user, not to the sender
		repeated := write(t, s, b)
		want(t, "the second receipt's number", repeated.Seq, 0)
		first.Seq = 0
		want(t, "the second receipt", repeated, first)
		b.Concepts, b.Connections = append(b.Concepts, b.Concepts...), append(b.Connections, b.Connections...)
		want(t, "twice in one batch", write(t, s, b).Seq, 0)
	}},
	{"a reserved id sent again for a different record is a conflict", func(t *testing.T, s graph.Store) {
		ids := reserve(t, s, alice, 7)
		b := reservedRecord(ids)
		write(t, s, b)
		for _, d := range []graph.ConceptDraft{
			value(0, "the_name", "Ben"), value(0, "the_email", "Ann"), composition(0, "the_name"), typ(0, "the_name"),
		} {
			text := expectError(t, s, graph.Conflict, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(b.Concepts[1].ID, d)}})
			if !strings.Contains(text, b.Concepts[1].ID.String()) {
				t.Errorf("%q does not name the id", text)
			}
		}
		head, name := b.Concepts[0].ID, b.Concepts[1].ID
		for _, d := range []graph.ConnectionDraft{internal(name, head, head), link(head, "the_person_name", name)} {
			expectError(t, s, graph.Conflict, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{reservedLink(b.Connections[0].ID, d)}})
		}
		expectError(t, s, graph.Conflict, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(b.Connections[0].ID, composition(0, "the_person"))}})
		expectError(t, s, graph.Conflict, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{reservedLink(head, link(head, "the_person_name", name))}})
		expectError(t, s, graph.Invalid, graph.Batch{
			Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(ids[6], value(0, "the_name", "Ben"))},
			Connections: []graph.ConnectionDraft{reservedLink(ids[6], link(head, "the_person_name", name))},
		})
		expectError(t, s, graph.Invalid, graph.Batch{
			Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(ids[6], value(0, "the_name", "Ben")), reservedAs(ids[6], value(0, "the_name", "Cem"))},
		})
		withBothIDs := reservedAs(ids[6], value(-1, "the_name", "Ben"))
		expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{withBothIDs}})
	}},
	{"refuses an id that the user did not reserve, and names the id", func(t *testing.T, s graph.Store) {
		written := write(t, s, record)
		bobsID := reserve(t, s, bob, 1)[0]
		for _, id := range []graph.ID{bobsID, written.Concepts[0].ID, graph.The, 123456789, graph.MaxID} {
			text := expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(id, composition(0, "the_new"))}})
			if !strings.Contains(text, id.String()) {
				t.Errorf("%q does not name the id", text)
			}
			expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{reservedLink(id, link(-1, "the_new", -2))}})
		}
		expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(-5, composition(0, "the_new"))}})
		want(t, "a type of the refused batch", typeID(t, s, "the_new"), 0)
		write(t, s, graph.Batch{Sender: bob, Concepts: []graph.ConceptDraft{reservedAs(bobsID, composition(0, "the_new"))}})
	}},
	{"an id reserved for Anonymous belongs to the first user who sends it", func(t *testing.T, s graph.Store) {
		guest := graph.Sender{User: graph.Anonymous}
		ids := reserve(t, s, guest, 7)
		b := reservedRecord(ids)
		rejected := b
		rejected.Connections = append(slices.Clip(b.Connections), link(-777, "the_new", -777))
		expectError(t, s, graph.Invalid, rejected)
		first := write(t, s, b)
		want(t, "the ids", idsOf(first.Concepts), ids[:4])
		want(t, "the number when sent again", write(t, s, b).Seq, 0)
		want(t, "a resolved id", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), alice, ids[:1])), map[graph.ID]graph.ID{ids[0]: ids[0]})
		for _, other := range []graph.Sender{guest, bob} {
			expectError(t, s, graph.Invalid, graph.Batch{Sender: other, Concepts: []graph.ConceptDraft{reservedAs(ids[0], composition(0, "the_person"))}})
			expectError(t, s, graph.Invalid, graph.Batch{Sender: other, Connections: []graph.ConnectionDraft{reservedLink(ids[4], link(ids[0], "the_x", ids[1]))}})
		}
		write(t, s, graph.Batch{Sender: guest, Concepts: []graph.ConceptDraft{reservedAs(ids[6], composition(0, "the_thing"))}})
		expectError(t, s, graph.Invalid, graph.Batch{Sender: bob, Concepts: []graph.ConceptDraft{reservedAs(ids[6], composition(0, "the_thing"))}})
	}},
	{"of concurrent users of an id reserved for Anonymous, one succeeds", func(t *testing.T, s graph.Store) {
		id := reserve(t, s, graph.Sender{User: graph.Anonymous}, 1)[0]
		var succeeded atomic.Int64
		together(16, func(i int) {
			_, err := s.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: graph.ID(2000 + i)}, Concepts: []graph.ConceptDraft{reservedAs(id, composition(0, "the_thing"))}})
			switch {
			case err == nil:
				succeeded.Add(1)
			case graph.KindOf(err) != graph.Invalid:
				t.Errorf("user %d: %v", 2000+i, err)
			}
		})
		want(t, "users who succeeded", succeeded.Load(), 1)
	}},
	{"an unused reserved id expires and is never given again", func(t *testing.T, s graph.Store) {
		store, ok := s.(deleter)
		if !ok {
			t.Skip("this store has no method DeleteBefore")
		}
		ids := reserve(t, s, alice, 2)
		used := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(ids[0], composition(0, "the_thing"))}}
		unused := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(ids[1], composition(0, "the_thing"))}}
		write(t, s, used)
		want(t, "deleting nothing", store.DeleteBefore(t.Context(), time.Now().Add(-time.Hour)), nil)
		unexpired := unused
		unexpired.Connections = []graph.ConnectionDraft{link(-777, "the_new", -777)}
		if text := expectError(t, s, graph.Invalid, unexpired); strings.Contains(text, "reserved") {
			t.Errorf("a reservation expired too early: %s", text)
		}
		want(t, "deleting", store.DeleteBefore(t.Context(), time.Now().Add(time.Hour)), nil)
		want(t, "the used id, sent again", write(t, s, used).Seq, 0)
		expectError(t, s, graph.Invalid, unused)
		next := append(reserve(t, s, bob, 1), writeConcepts(t, s, bob, composition(0, "the_thing"))...)
		if slices.Contains(next, ids[1]) {
			t.Errorf("id %d was given again: %v", ids[1], next)
		}
		want(t, "the check", s.Check(t.Context()), nil)
	}},
	{"a refused batch does not use its reserved ids", func(t *testing.T, s graph.Store) {
		b := reservedRecord(reserve(t, s, alice, 6))
		rejected := b
		rejected.Connections = append(slices.Clip(b.Connections), link(-777, "the_new", -777))
		expectError(t, s, graph.Invalid, rejected)
		want(t, "the resolved ids", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), alice, idsIn(b))), map[graph.ID]graph.ID{})
		expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{link(b.Concepts[0].ID, "the_new", graph.The)}})
		want(t, "sent again without the fault", write(t, s, b).Concepts[0].ID, b.Concepts[0].ID)
	}},
	{"a reserved id for an existing value or type becomes an alias of that concept", func(t *testing.T, s graph.Store) {
		written := writeConcepts(t, s, alice, value(-1, "the_name", "Ann"), typ(-2, "the_name_friend"), composition(-3, "the_person"))
		ann, friend, person := written[0], written[1], written[2]
		ids := reserve(t, s, alice, 3)
		b := graph.Batch{
			Sender:      alice,
			Concepts:    []graph.ConceptDraft{reservedAs(ids[0], value(0, "the_name", "Ann")), reservedAs(ids[1], typ(0, "the_name_friend"))},
			Connections: []graph.ConnectionDraft{{From: ids[0], To: person, Type: ids[1]}},
		}
		succeeded := write(t, s, b)
		want(t, "the concepts", idsOf(succeeded.Concepts), []graph.ID{ann, friend})
		check := func(what string, c graph.Connection) {
			t.Helper()
			want(t, what, [3]graph.ID{c.From, c.To, c.Type}, [3]graph.ID{ann, person, friend})
		}
		check("in the same batch", succeeded.Connections[0])
		later := write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{
			{From: ids[0], To: person, Type: ids[1]},
			reservedLink(ids[2], graph.ConnectionDraft{From: ids[0], To: person, Type: ids[1]}),
			{From: person, To: ids[0], Type: person},
			{From: ann, To: ids[0], Type: friend},
		}})
		check("in a later batch", later.Connections[0])
		check("under a separate id", later.Connections[1])
		want(t, "that id", later.Connections[1].ID, ids[2])
		want(t, "as a target", later.Connections[2].To, ann)
		want(t, "to itself", later.Connections[3].ID, 0)
		repeated := write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{reservedLink(ids[2], graph.ConnectionDraft{From: ann, To: person, Type: friend})}})
		want(t, "sent again under the other id", repeated.Connections[0], later.Connections[1])
		want(t, "resolved", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), alice, append([]graph.ID{-1}, ids...))),
			map[graph.ID]graph.ID{-1: ann, ids[0]: ann, ids[1]: friend})
		want(t, "resolved for another user", read[map[graph.ID]graph.ID](t)(s.ResolveIDs(t.Context(), bob, ids)), map[graph.ID]graph.ID{})
		want(t, "read by the reserved ids", concepts(t, s, ids...), nil)
		expectError(t, s, graph.Invalid, graph.Batch{Sender: bob, Connections: []graph.ConnectionDraft{{From: ids[0], To: person, Type: friend}}})
	}},
	{"removes a concept by its alias, and the concept stays removed", func(t *testing.T, s graph.Store) {
		ann := writeConcepts(t, s, alice, value(0, "the_name", "Ann"))[0]
		id := reserve(t, s, alice, 1)[0]
		b := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(id, value(0, "the_name", "Ann"))}}
		write(t, s, b)
		write(t, s, graph.Batch{Sender: bob, RemoveConcepts: []graph.ID{id}})
		want(t, "concepts after another user removed the alias", len(concepts(t, s, ann)), 1)
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{id}})
		want(t, "removed", len(concepts(t, s, ann)), 0)
		want(t, "sent again", write(t, s, b).Seq, 0)
		expectError(t, s, graph.Invalid, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{link(id, "the_x", graph.The)}})
	}},
	{"a removed record with a reserved id stays removed when it is sent again", func(t *testing.T, s graph.Store) {
		b := reservedRecord(reserve(t, s, alice, 6))
		first := write(t, s, b)
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{b.Concepts[0].ID}, RemoveConnections: []graph.ID{b.Connections[1].ID}})
		repeated := write(t, s, graph.Batch{Sender: alice, Concepts: b.Concepts[:3], Connections: b.Connections[:1]})
		want(t, "the number", repeated.Seq, 0)
		want(t, "the ids", idsOf(repeated.Concepts), idsOf(first.Concepts[:3]))
		want(t, "concepts", len(concepts(t, s, b.Concepts[0].ID)), 0)
		want(t, "connections", len(connections(t, s, idsOf(first.Connections)...)), 0)
	}},
	{"a skipped connection uses up its reserved id", func(t *testing.T, s graph.Store) {
		ids := reserve(t, s, alice, 1)
		written := writeConcepts(t, s, alice, value(0, "the_name", "Ann"), value(0, "the_name", "Ben"))
		b := graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{reservedLink(ids[0], link(written[0], "the_x", written[0]))}}
		want(t, "the first time", write(t, s, b).Connections, []graph.Connection{{}})
		want(t, "the second time", write(t, s, b).Connections, []graph.Connection{{}})
		want(t, "resolved", read[map[graph.ID]graph.ID](t)(s.ResolveConnections(t.Context(), alice, ids)), map[graph.ID]graph.ID{})
		b.Connections[0].To = written[1]
		expectError(t, s, graph.Conflict, b)
	}},
}

func reserve(t *testing.T, s graph.Store, by graph.Sender, n int) []graph.ID {
	t.Helper()
	ids := read[[]graph.ID](t)(s.Reserve(t.Context(), by.User, n))
	want(t, "how many ids", len(ids), n)
	return ids
}

func reservedAs(id graph.ID, d graph.ConceptDraft) graph.ConceptDraft {
	d.ID = id
	return d
}

func reservedLink(id graph.ID, d graph.ConnectionDraft) graph.ConnectionDraft {
	d.ID = id
	return d
}

// reservedRecord returns a small composition with six reserved ids.
func reservedRecord(ids []graph.ID) graph.Batch {
	return graph.Batch{
		Sender: alice,
		Concepts: []graph.ConceptDraft{
			reservedAs(ids[0], composition(0, "the_person")), reservedAs(ids[1], value(0, "the_name", "Ann")),
			reservedAs(ids[2], value(0, "the_note", strings.Repeat("long ", 100))), reservedAs(ids[3], typ(0, "the_person_city")),
		},
		Connections: []graph.ConnectionDraft{
			reservedLink(ids[4], internal(ids[0], ids[0], ids[1])),
			reservedLink(ids[5], graph.ConnectionDraft{From: ids[0], To: ids[2], Type: ids[3]}),
		},
	}
}

func idsIn(b graph.Batch) (ids []graph.ID) {
	for _, d := range b.Concepts {
		ids = append(ids, d.ID)
	}
	for _, d := range b.Connections {
		ids = append(ids, d.ID)
	}
	return ids
}
