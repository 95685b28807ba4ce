package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var changes = []behaviour{
	{"a new store has no changes", func(t *testing.T, s graph.Store) {
		want(t, "LastSeq", read[graph.Seq](t)(s.LastSeq(t.Context())), 0)
		want(t, "Changes", read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0)), []graph.Change{})
	}},
	{"the identity of a store does not change", func(t *testing.T, s graph.Store) {
		identity := read[string](t)(s.Identity(t.Context()))
		if identity == "" {
			t.Error("the identity is empty")
		}
		write(t, s, record)
		want(t, "the identity after a write", read[string](t)(s.Identity(t.Context())), identity)
	}},
	{"every batch that changes something takes the next change number", func(t *testing.T, s graph.Store) {
		for i := range 5 {
			by := graph.Sender{User: alice.User, Randomizer: int64(i)}
			b := record
			b.Sender = by
			want(t, "the receipt's number", write(t, s, b).Seq, graph.Seq(i+1))
			want(t, "LastSeq", read[graph.Seq](t)(s.LastSeq(t.Context())), graph.Seq(i+1))
		}
		all := read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0))
		want(t, "numbers", seqs(all), []graph.Seq{1, 2, 3, 4, 5})
		want(t, "after 2", seqs(read[[]graph.Change](t)(s.Changes(t.Context(), 2, 0))), []graph.Seq{3, 4, 5})
		want(t, "after 2, two of them", seqs(read[[]graph.Change](t)(s.Changes(t.Context(), 2, 2))), []graph.Seq{3, 4})
		want(t, "after the last", seqs(read[[]graph.Change](t)(s.Changes(t.Context(), 5, 0))), []graph.Seq{})
	}},
	{"a change lists the concepts, connections and types that were touched", func(t *testing.T, s graph.Store) {
		before := time.Now().Truncate(time.Millisecond)
		written := write(t, s, record)
		got := read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0))[0]
		if got.At.Before(before) || got.At.After(time.Now()) {
			t.Errorf("the change happened at %v; want now", got.At)
		}
		everything := idsOf(written.Concepts)
		for _, name := range []string{"person", "the_person", "name", "the_name", "city", "the_city", "the_person_city", "note", "the_note", "the_city_s", "s", "the_city_s_person"} {
			everything = append(everything, typeID(t, s, name))
		}
		want(t, "concepts", got.Concepts, sorted(everything))
		want(t, "connections", got.Connections, sorted(idsOf(written.Connections)))
		types := []graph.ID{}
		for _, c := range concepts(t, s, everything...) {
			types = append(types, c.Type)
		}
		for _, c := range written.Connections {
			types = append(types, c.Type)
		}
		want(t, "types", got.Types, sorted(types))
	}},
	{"a new connection touches both its ends", func(t *testing.T, s graph.Store) {
		written := write(t, s, record).Concepts
		link := write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{{From: -2, To: -3, Type: -4}}})
		got := read[[]graph.Change](t)(s.Changes(t.Context(), link.Seq-1, 0))[0]
		want(t, "concepts", got.Concepts, sorted([]graph.ID{written[1].ID, written[2].ID}))
		want(t, "types", got.Types, sorted([]graph.ID{written[1].Type, written[2].Type, written[3].ID}))
	}},
	{"a removal touches the removed records and the ends of removed connections", func(t *testing.T, s graph.Store) {
		written := write(t, s, record)
		removal := write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-2}})
		got := read[[]graph.Change](t)(s.Changes(t.Context(), removal.Seq-1, 0))[0]
		want(t, "concepts", got.Concepts, sorted(idsOf(written.Concepts[:3])))
		want(t, "connections", got.Connections, []graph.ID{written.Connections[0].ID, written.Connections[2].ID})
		want(t, "types", got.Types, sorted([]graph.ID{
			written.Concepts[0].Type, written.Concepts[1].Type, written.Concepts[2].Type, written.Connections[0].Type, written.Connections[2].Type,
		}))
	}},
	{"a change lists what was touched by scope", func(t *testing.T, s graph.Store) {
		of := func(access graph.Access, b graph.Batch) graph.Batch {
			for i := range b.Concepts {
				b.Concepts[i].Access = access
			}
			b.Sender = alice
			return b
		}
		public := write(t, s, of(graph.Public, graph.Batch{Concepts: []graph.ConceptDraft{composition(-1, "the_a"), composition(-2, "the_b")}})).Concepts
		private := write(t, s, of(graph.Private, graph.Batch{Concepts: []graph.ConceptDraft{composition(-3, "the_a")}})).Concepts
		link := write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_a"}}})
		removal := write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-3, -2}})
		all := read[[]graph.Change](t)(s.Changes(t.Context(), link.Seq-2, 0))
		want(t, "a private concept", all[0].Parts, []graph.ChangePart{{
			Scope: alice.User, Concepts: []graph.ID{private[0].ID}, Types: []graph.ID{private[0].Type},
		}})
		between := graph.ChangePart{
			Scope: alice.User, Concepts: []graph.ID{public[0].ID, public[1].ID},
			Connections: []graph.ID{link.Connections[0].ID}, Types: sorted([]graph.ID{public[0].Type, public[1].Type}),
		}
		want(t, "a private connection between public concepts", all[1].Parts, []graph.ChangePart{between})
		between.Concepts = sorted(append(between.Concepts, private[0].ID))
		want(t, "removals", all[2].Parts, []graph.ChangePart{
			{Concepts: []graph.ID{public[1].ID}, Types: []graph.ID{public[1].Type}}, between,
		})
		want(t, "the number of the last", all[2].Seq, removal.Seq)
	}},
	{"a connection is in the scope of the users who can read both its ends", func(t *testing.T, s graph.Store) {
		written := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{
			{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_a", Access: graph.Public},
			{LocalID: -2, Kind: graph.DraftComposition, TypeName: "the_a", Access: graph.Private},
			{LocalID: -3, Kind: graph.DraftComposition, TypeName: "the_a", Access: graph.Private, Owner: bob.User},
		}, Connections: []graph.ConnectionDraft{{LocalID: -4, From: -1, To: -2, TypeName: "the_a", Access: graph.Public}}})
		first := graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{
			{From: written.Concepts[0].ID, To: written.Concepts[1].ID, TypeName: "the_a", Access: graph.Public},
		}}
		seq := write(t, s, first).Seq
		write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{
			{From: written.Concepts[2].ID, To: written.Concepts[1].ID, TypeName: "the_a", Access: graph.Public},
		}})
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: []graph.ID{-4}})
		var scopes [][]graph.ID
		for _, c := range read[[]graph.Change](t)(s.Changes(t.Context(), seq-1, 0)) {
			var of []graph.ID
			for _, p := range c.Parts {
				of = append(of, p.Scope)
			}
			scopes = append(scopes, of)
		}
		want(t, "scopes", scopes, [][]graph.ID{{alice.User}, {-1}, {alice.User}})
	}},
	{"finding an existing value or type changes nothing", func(t *testing.T, s graph.Store) {
		writeConcepts(t, s, alice, value(-1, "the_name", "Ann"))
		repeated := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{value(-2, "the_name", "Ann"), typ(-3, "the_name")}})
		want(t, "its number", repeated.Seq, 0)
		want(t, "LastSeq", read[graph.Seq](t)(s.LastSeq(t.Context())), 1)
	}},
	{"a change of more than MaxChangeIDs ids is wide and lists only types", func(t *testing.T, s graph.Store) {
		b := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{typ(0, "the_thing")}}
		write(t, s, b)
		b.Concepts = nil
		for range graph.MaxChangeIDs {
			b.Concepts = append(b.Concepts, composition(0, "the_thing"))
		}
		write(t, s, b)
		b.Concepts = append(b.Concepts, composition(0, "the_thing"))
		write(t, s, b)
		got := read[[]graph.Change](t)(s.Changes(t.Context(), 1, 0))
		want(t, "at the limit", []any{got[0].Wide, len(got[0].Concepts)}, []any{false, graph.MaxChangeIDs})
		want(t, "beyond it", []any{got[1].Wide, len(got[1].Concepts), len(got[1].Connections)}, []any{true, 0, 0})
		want(t, "its types", got[1].Types, []graph.ID{typeID(t, s, "the_thing")})
	}},
	{"reading changes is NotFound after a number that is deleted or was never reached", func(t *testing.T, s graph.Store) {
		_, err := s.Changes(t.Context(), 1, 0)
		want(t, "a number not reached", graph.KindOf(err), graph.NotFound)
		store, ok := s.(deleter)
		if !ok {
			t.Skip("this store has no method DeleteBefore")
		}
		write(t, s, record)
		want(t, "deleting nothing", store.DeleteBefore(t.Context(), time.Now().Add(-time.Hour)), nil)
		want(t, "remaining changes", len(read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0))), 1)
		want(t, "deleting", store.DeleteBefore(t.Context(), time.Now().Add(time.Hour)), nil)
		_, err = s.Changes(t.Context(), 0, 0)
		want(t, "after a deleted number", graph.KindOf(err), graph.NotFound)
		want(t, "after the last", read[[]graph.Change](t)(s.Changes(t.Context(), 1, 0)), []graph.Change{})
		want(t, "the next number", write(t, s, graph.Batch{Sender: bob, Concepts: record.Concepts}).Seq, 2)
		want(t, "the changes after the deletion", seqs(read[[]graph.Change](t)(s.Changes(t.Context(), 1, 0))), []graph.Seq{2})
	}},
}

// A deleter is a store that deletes old changes and unused reservations on request.
type deleter interface {
	DeleteBefore(ctx context.Context, before time.Time) error
}

func seqs(changes []graph.Change) []graph.Seq {
	numbers := []graph.Seq{}
	for _, c := range changes {
		numbers = append(numbers, c.Seq)
	}
	return numbers
}

func sorted(ids []graph.ID) []graph.ID {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
