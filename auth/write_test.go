package auth_test

import (
	"testing"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
)

// values adds to a world what is shared by value: the operator's word, Ann's public word and a composition
// that everybody may change.
func (w world) values(t *testing.T) (operators, anns, everybodys graph.ID) {
	t.Helper()
	word := func(user graph.ID, text string) graph.ID {
		return write(t, w, graph.Batch{Sender: graph.Sender{User: user}, Concepts: []graph.ConceptDraft{
			{TypeName: "the_word", Value: text, Access: graph.Public},
		}}).Concepts[0].ID
	}
	return word(graph.System, "dog"), word(ann, "cat"), word(graph.Anonymous, "cow")
}

func TestWhoMayWriteWhat(t *testing.T) {
	const allowed graph.ErrorKind = ""
	w := newWorld(t)
	dog, cat, cow := w.values(t)
	link := func(from, to graph.ID) graph.Batch {
		return graph.Batch{Connections: []graph.ConnectionDraft{{From: from, To: to, TypeName: "the_note_s_note"}}}
	}
	fromDraft := func(d graph.ConceptDraft) graph.Batch {
		b := link(-1, cow)
		d.Ghost = -1
		b.Concepts = []graph.ConceptDraft{d}
		return b
	}
	internal := func(main graph.ID) graph.Batch {
		b := link(cow, dog)
		b.Connections[0].Type, b.Connections[0].TypeName = main, ""
		return b
	}
	remove := func(ids ...graph.ID) graph.Batch { return graph.Batch{RemoveConcepts: ids} }
	unlink := func(name string) graph.Batch { return graph.Batch{RemoveConnections: []graph.ID{w.links[name]}} }
	removeDraft := func(d graph.ConceptDraft) graph.Batch {
		d.Ghost = -1
		return graph.Batch{Concepts: []graph.ConceptDraft{d}, RemoveConcepts: []graph.ID{-1}}
	}
	word := func(text string) graph.ConceptDraft {
		return graph.ConceptDraft{TypeName: "the_word", Value: text, Access: graph.Public}
	}
	const forbidden, invalid, unauthorized = graph.Forbidden, graph.Invalid, graph.Unauthorized
	for _, row := range []struct {
		what                                        string
		batch                                       graph.Batch
		reader, guest, stranger, owner, constructor graph.ErrorKind // reader: a guest where nobody writes unsigned
	}{
		{"a new value", graph.Batch{Concepts: []graph.ConceptDraft{word("hen")}}, unauthorized, allowed, allowed, allowed, allowed},
		{"a connection from what everybody shares", link(w.shared, w.public), unauthorized, allowed, allowed, allowed, allowed},
		{"a connection from Ann's public record", link(w.public, w.shared), unauthorized, forbidden, forbidden, allowed, allowed},
		{"a connection from Ann's private record", link(w.private, w.shared), unauthorized, invalid, invalid, allowed, allowed},
		{"a connection to Ann's private record", link(w.shared, w.private), unauthorized, invalid, invalid, allowed, allowed},
		{"a connection to the operator's word", link(w.shared, dog), unauthorized, allowed, allowed, allowed, allowed},
		{"a connection from the operator's word", link(dog, w.shared), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"a connection from a draft that is the operator's word", fromDraft(word("dog")), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"a connection from a draft that is Ann's word", fromDraft(word("cat")), unauthorized, forbidden, forbidden, allowed, allowed},
		{"a connection from a new word", fromDraft(word("fox")), unauthorized, allowed, allowed, allowed, allowed},
		{"an addition to Ann's public composition", internal(w.public), unauthorized, forbidden, forbidden, allowed, allowed},
		{"an addition to everybody's composition", internal(w.shared), unauthorized, allowed, allowed, allowed, allowed},
		{"a connection from nothing", link(404_404, w.shared), unauthorized, invalid, invalid, invalid, invalid},

		{"the end of a fixed concept", remove(graph.CategoryPrototype), unauthorized, forbidden, forbidden, forbidden, forbidden},
		{"the end of a type", remove(w.typ), unauthorized, forbidden, forbidden, forbidden, forbidden},
		{"the end of a type in a draft", removeDraft(graph.ConceptDraft{Kind: graph.DraftType, TypeName: "the_new_thing"}), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"the end of Ann's public record", remove(w.public), unauthorized, forbidden, forbidden, allowed, allowed},
		{"the end of Ann's word", remove(cat), unauthorized, forbidden, forbidden, allowed, allowed},
		{"the end of a draft that is Ann's word", removeDraft(word("cat")), unauthorized, forbidden, forbidden, allowed, allowed},
		{"the end of the operator's word", remove(dog), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"the end of everybody's word", remove(cow), unauthorized, allowed, allowed, allowed, allowed},
		{"the end of what is not there", remove(404_404), unauthorized, allowed, allowed, allowed, allowed},
		{"the end of what one cannot see", remove(w.admin), unauthorized, allowed, allowed, allowed, allowed},
		{"the end of everybody's link", unlink("shared→public"), unauthorized, allowed, allowed, allowed, allowed},
		{"the end of Ann's link", unlink("public→private"), unauthorized, allowed, allowed, allowed, allowed},
		{"the end of nothing under a ghost", graph.Batch{RemoveConcepts: []graph.ID{-5}}, unauthorized, invalid, invalid, invalid, invalid},
	} {
		t.Run(row.what, func(t *testing.T) {
			for _, col := range []struct {
				who    string
				caller auth.Caller
				rules  auth.Rules
				want   graph.ErrorKind
			}{
				{"a guest who may only read", guest, auth.Rules{}, row.reader},
				{"a guest", guest, auth.Rules{AnonymousWrites: true}, row.guest},
				{"a stranger", stranger, auth.Rules{AnonymousWrites: true}, row.stranger},
				{"the owner", owner, auth.Rules{AnonymousWrites: true}, row.owner},
				{"the system", auth.System, auth.Rules{}, row.constructor},
			} {
				fresh := newWorld(t) // ids repeat, because a memory store counts
				fresh.values(t)
				row.batch.Sender = graph.Sender{User: col.caller.User, Randomizer: 1}
				_, err := auth.New(fresh, col.rules).As(col.caller).Write(t.Context(), row.batch)
				if got := graph.KindOf(err); got != col.want {
					t.Errorf("%s: %q (%v); want %q", col.who, got, err, col.want)
				}
				if err := fresh.Check(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestWhatIsInvisibleIsNotRemoved(t *testing.T) {
	w := newWorld(t)
	v := auth.New(w, auth.Rules{AnonymousWrites: true}).As(guest)
	write(t, v, graph.Batch{
		RemoveConcepts:    []graph.ID{w.admin, w.private, w.secret},
		RemoveConnections: []graph.ID{w.links["private→secret"], w.links["public→private"]},
	})
	concepts, err := w.Concepts(t.Context(), []graph.ID{w.admin, w.private, w.secret})
	if err != nil || len(concepts) != 3 {
		t.Errorf("%d of 3 concepts are left, %v", len(concepts), err)
	}
	links, err := w.Connections(t.Context(), []graph.ID{w.links["private→secret"], w.links["public→private"]})
	if err != nil || len(links) != 2 {
		t.Errorf("%d of 2 connections are left, %v", len(links), err)
	}
}

func TestAConceptInUseByOthersStays(t *testing.T) {
	w := newWorld(t)
	_, _, cow := w.values(t)
	write(t, w, graph.Batch{Sender: graph.Sender{User: graph.System}, Connections: []graph.ConnectionDraft{
		{From: w.admin, To: cow, TypeName: "the_note_s_word"},
	}})
	_, err := auth.New(w, auth.Rules{AnonymousWrites: true}).As(guest).Write(t.Context(), graph.Batch{RemoveConcepts: []graph.ID{cow}})
	if got := graph.KindOf(err); got != graph.Forbidden {
		t.Errorf("removing it is %q (%v); want forbidden", got, err)
	}
}

func TestTheCallerOwnsWhatItSends(t *testing.T) {
	w := newWorld(t)
	for _, caller := range []auth.Caller{guest, owner} {
		v := auth.New(w, auth.Rules{AnonymousWrites: true}).As(caller)
		r := write(t, v, graph.Batch{
			Sender:      graph.Sender{User: graph.System, Randomizer: 7},
			Concepts:    []graph.ConceptDraft{{Ghost: -1, Kind: graph.DraftComposition, TypeName: "the_note", Owner: bob}},
			Connections: []graph.ConnectionDraft{{From: -1, To: w.shared, TypeName: "the_note_s_note", Owner: bob}},
		})
		if c, l := r.Concepts[0], r.Connections[0]; c.Owner != caller.User || l.Owner != caller.User {
			t.Errorf("%d sent a concept of %d and a connection of %d", caller.User, c.Owner, l.Owner)
		}
		found, err := v.Ghosts(t.Context(), graph.Sender{User: graph.System, Randomizer: 7}, []graph.ID{-1})
		if err != nil || found[-1] != r.Concepts[0].ID {
			t.Errorf("its ghost is %v, %v; want %d", found, err, r.Concepts[0].ID)
		}
	}
}

func TestOnlyTheOperatorChecksAStore(t *testing.T) {
	gate := auth.New(newWorld(t), auth.Rules{})
	if got := graph.KindOf(gate.As(guest).Check(t.Context())); got != graph.Forbidden {
		t.Errorf("a guest's check is %q; want forbidden", got)
	}
	if err := gate.As(auth.System).Check(t.Context()); err != nil {
		t.Error(err)
	}
}
