package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

var changes = []promise{
	{"a new store has no changes", func(t *testing.T, s graph.Store) {
		want(t, "LastSeq", read[graph.Seq](t)(s.LastSeq(t.Context())), 0)
		want(t, "Changes", read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0)), []graph.Change{})
	}},
	{"a store has an identity and keeps it", func(t *testing.T, s graph.Store) {
		identity := read[string](t)(s.Identity(t.Context()))
		if identity == "" {
			t.Error("the identity is empty")
		}
		write(t, s, record)
		want(t, "the identity after a write", read[string](t)(s.Identity(t.Context())), identity)
	}},
	{"every batch that changes something gets the next number", func(t *testing.T, s graph.Store) {
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
	{"a change says what was touched", func(t *testing.T, s graph.Store) {
		before := time.Now().Truncate(time.Millisecond)
		made := write(t, s, record)
		got := read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0))[0]
		if got.At.Before(before) || got.At.After(time.Now()) {
			t.Errorf("the change happened at %v; want now", got.At)
		}
		everything := idsOf(made.Concepts)
		for _, name := range []string{"person", "the_person", "name", "the_name", "city", "the_city", "the_person_city", "note", "the_note", "the_city_s", "s", "the_city_s_person"} {
			everything = append(everything, typeID(t, s, name))
		}
		want(t, "concepts", got.Concepts, sorted(everything))
		want(t, "connections", got.Connections, sorted(idsOf(made.Connections)))
		types := []graph.ID{}
		for _, c := range concepts(t, s, everything...) {
			types = append(types, c.Type)
		}
		for _, c := range made.Connections {
			types = append(types, c.Type)
		}
		want(t, "types", got.Types, sorted(types))
	}},
	{"a new connection touches both its ends", func(t *testing.T, s graph.Store) {
		made := write(t, s, record).Concepts
		link := write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{{From: -2, To: -3, Type: -4}}})
		got := read[[]graph.Change](t)(s.Changes(t.Context(), link.Seq-1, 0))[0]
		want(t, "concepts", got.Concepts, sorted([]graph.ID{made[1].ID, made[2].ID}))
		want(t, "types", got.Types, sorted([]graph.ID{made[1].Type, made[2].Type, made[3].ID}))
	}},
	{"a removal touches what is gone and what it hung on", func(t *testing.T, s graph.Store) {
		made := write(t, s, record)
		gone := write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-2}})
		got := read[[]graph.Change](t)(s.Changes(t.Context(), gone.Seq-1, 0))[0]
		want(t, "concepts", got.Concepts, sorted(idsOf(made.Concepts[:3])))
		want(t, "connections", got.Connections, []graph.ID{made.Connections[0].ID, made.Connections[2].ID})
		want(t, "types", got.Types, sorted([]graph.ID{
			made.Concepts[0].Type, made.Concepts[1].Type, made.Concepts[2].Type, made.Connections[0].Type, made.Connections[2].Type,
		}))
	}},
	{"a change says in which scope it touched what", func(t *testing.T, s graph.Store) {
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
		gone := write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-3, -2}})
		all := read[[]graph.Change](t)(s.Changes(t.Context(), link.Seq-2, 0))
		want(t, "a private concept", all[0].Parts, []graph.Part{{
			Scope: alice.User, Concepts: []graph.ID{private[0].ID}, Types: []graph.ID{private[0].Type},
		}})
		between := graph.Part{
			Scope: alice.User, Concepts: []graph.ID{public[0].ID, public[1].ID},
			Connections: []graph.ID{link.Connections[0].ID}, Types: sorted([]graph.ID{public[0].Type, public[1].Type}),
		}
		want(t, "a private connection between public concepts", all[1].Parts, []graph.Part{between})
		between.Concepts = sorted(append(between.Concepts, private[0].ID))
		want(t, "removals", all[2].Parts, []graph.Part{
			{Concepts: []graph.ID{public[1].ID}, Types: []graph.ID{public[1].Type}}, between,
		})
		want(t, "the number of the last", all[2].Seq, gone.Seq)
	}},
	{"a connection is in the scope of who can read both its ends", func(t *testing.T, s graph.Store) {
		made := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{
			{Ghost: -1, Kind: graph.DraftComposition, TypeName: "the_a", Access: graph.Public},
			{Ghost: -2, Kind: graph.DraftComposition, TypeName: "the_a", Access: graph.Private},
			{Ghost: -3, Kind: graph.DraftComposition, TypeName: "the_a", Access: graph.Private, Owner: bob.User},
		}, Connections: []graph.ConnectionDraft{{Ghost: -4, From: -1, To: -2, TypeName: "the_a", Access: graph.Public}}})
		first := graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{
			{From: made.Concepts[0].ID, To: made.Concepts[1].ID, TypeName: "the_a", Access: graph.Public},
		}}
		seq := write(t, s, first).Seq
		write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{
			{From: made.Concepts[2].ID, To: made.Concepts[1].ID, TypeName: "the_a", Access: graph.Public},
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
	{"a value that was there already is no change", func(t *testing.T, s graph.Store) {
		writeConcepts(t, s, alice, value(-1, "the_name", "Ann"))
		again := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{value(-2, "the_name", "Ann"), typ(-3, "the_name")}})
		want(t, "its number", again.Seq, 0)
		want(t, "LastSeq", read[graph.Seq](t)(s.LastSeq(t.Context())), 1)
	}},
	{"a change of more than the limit is wide and names only types", func(t *testing.T, s graph.Store) {
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
	{"a reader who comes too late, or from elsewhere, is told so", func(t *testing.T, s graph.Store) {
		_, err := s.Changes(t.Context(), 1, 0)
		want(t, "a number not reached", graph.KindOf(err), graph.NotFound)
		forgetful, ok := s.(interface {
			Forget(ctx context.Context, before time.Time) error
		})
		if !ok {
			t.Skip("this store cannot be told to forget")
		}
		write(t, s, record)
		want(t, "forgetting nothing", forgetful.Forget(t.Context(), time.Now().Add(-time.Hour)), nil)
		want(t, "still there", len(read[[]graph.Change](t)(s.Changes(t.Context(), 0, 0))), 1)
		want(t, "forgetting", forgetful.Forget(t.Context(), time.Now().Add(time.Hour)), nil)
		_, err = s.Changes(t.Context(), 0, 0)
		want(t, "what is forgotten", graph.KindOf(err), graph.NotFound)
		want(t, "after the last", read[[]graph.Change](t)(s.Changes(t.Context(), 1, 0)), []graph.Change{})
		want(t, "the number goes on", write(t, s, graph.Batch{Sender: bob, Concepts: record.Concepts}).Seq, 2)
		want(t, "and is read", seqs(read[[]graph.Change](t)(s.Changes(t.Context(), 1, 0))), []graph.Seq{2})
	}},
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
