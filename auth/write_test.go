package auth_test

import (
	"context"
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
	typed := func(from, to, typ graph.ID) graph.Batch {
		return graph.Batch{Connections: []graph.ConnectionDraft{{From: from, To: to, Type: typ}}}
	}
	internal := func(main graph.ID) graph.Batch { return typed(cow, dog, main) }
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
		what                                  string
		batch                                 graph.Batch
		reader, guest, stranger, owner, admin graph.ErrorKind // reader: a guest where nobody writes unsigned
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
		{"a connection whose type is Ann's word", typed(w.shared, cow, cat), unauthorized, forbidden, forbidden, allowed, allowed},
		{"a connection whose type is a type", typed(w.shared, cow, w.typ), unauthorized, allowed, allowed, allowed, allowed},
		{"a connection from nothing", link(404_404, w.shared), unauthorized, invalid, invalid, invalid, invalid},

		{"a record for admins", graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_word", Value: "fox", Access: graph.Admin}}}, unauthorized, allowed, forbidden, forbidden, allowed},
		{"a connection for admins", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.shared, To: cow, TypeName: "the_note_s_word", Access: graph.Admin}}}, unauthorized, allowed, forbidden, forbidden, allowed},

		{"the end of a fixed concept", remove(graph.CategoryPrototype), unauthorized, forbidden, forbidden, forbidden, forbidden},
		{"the end of a type", remove(w.typ), unauthorized, forbidden, forbidden, forbidden, forbidden},
		{"the end of a type in a draft", removeDraft(graph.ConceptDraft{Kind: graph.DraftType, TypeName: "the_new_thing"}), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"the end of Ann's public record", remove(w.public), unauthorized, forbidden, forbidden, allowed, allowed},
		{"the end of Ann's word", remove(cat), unauthorized, forbidden, forbidden, allowed, allowed},
		{"the end of a draft that is Ann's word", removeDraft(word("cat")), unauthorized, forbidden, forbidden, allowed, allowed},
		{"the end of the operator's word", remove(dog), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"the end of everybody's word", remove(cow), unauthorized, allowed, forbidden, forbidden, allowed},
		{"the end of everybody's record", remove(w.shared), unauthorized, allowed, forbidden, forbidden, allowed},
		{"the end of what is not there", remove(404_404), unauthorized, allowed, allowed, allowed, allowed},
		{"the end of what one cannot see", remove(w.admin), unauthorized, allowed, allowed, allowed, allowed},
		{"the end of everybody's link", unlink("shared→public"), unauthorized, allowed, forbidden, forbidden, allowed},
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
				{"an admin", admin, auth.Rules{}, row.admin},
				{"the system", auth.System, auth.Rules{}, row.admin},
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

// A removal as it is asked for, and what is there to see of it.
type removal struct {
	t     *testing.T
	world world
}

// by removes concepts as somebody; it returns the kind of the error.
func (r removal) by(caller auth.Caller, b graph.Batch) graph.ErrorKind {
	r.t.Helper()
	_, err := auth.New(r.world, auth.Rules{AnonymousWrites: true}).As(caller).Write(r.t.Context(), b)
	return graph.KindOf(err)
}

func (r removal) connect(user, from, to, typ graph.ID, access graph.Access) graph.ID {
	r.t.Helper()
	return write(r.t, r.world, graph.Batch{Sender: graph.Sender{User: user}, Connections: []graph.ConnectionDraft{
		{From: from, To: to, Type: typ, TypeName: "the_word", Access: access},
	}}).Connections[0].ID
}

func (r removal) there(id graph.ID) bool {
	r.t.Helper()
	found, err := r.world.Connections(r.t.Context(), []graph.ID{id})
	if err != nil {
		r.t.Fatal(err)
	}
	return len(found) == 1
}

func TestWhatGoesWithWhat(t *testing.T) {
	for _, row := range []struct {
		what string
		run  func(t *testing.T, r removal, dog, cat, cow graph.ID)
	}{
		{"a value that others use stays, though they hide it", func(t *testing.T, r removal, _, cat, cow graph.ID) {
			hidden := r.connect(bob, cow, cat, 0, graph.Private)
			if got := r.by(owner, graph.Batch{RemoveConcepts: []graph.ID{cat}}); got != graph.Forbidden || !r.there(hidden) {
				t.Errorf("removing it is %q", got)
			}
		}},
		{"a record goes with what others connected to it", func(t *testing.T, r removal, _, _, cow graph.ID) {
			theirs := r.connect(bob, cow, r.world.public, 0, graph.Private)
			if got := r.by(owner, graph.Batch{RemoveConcepts: []graph.ID{r.world.public}}); got != "" || r.there(theirs) {
				t.Errorf("removing it is %q, and the connection is there: %v", got, r.there(theirs))
			}
		}},
		{"a record that the operator connected stays", func(t *testing.T, r removal, dog, _, _ graph.ID) {
			r.connect(graph.System, dog, r.world.public, 0, graph.Public)
			if got := r.by(owner, graph.Batch{RemoveConcepts: []graph.ID{r.world.public}}); got != graph.Forbidden {
				t.Errorf("removing it is %q", got)
			}
		}},
		{"a composition goes with what others put inside", func(t *testing.T, r removal, dog, cat, cow graph.ID) {
			inside, deeper := r.connect(bob, r.world.shared, cow, r.world.shared, 0), r.connect(bob, cow, cat, r.world.shared, 0)
			if got := r.by(stranger, graph.Batch{RemoveConcepts: []graph.ID{r.world.shared}}); got != graph.Forbidden {
				t.Errorf("a stranger's removal of what everybody shares is %q", got)
			}
			if got := r.by(guest, graph.Batch{RemoveConcepts: []graph.ID{r.world.shared}}); got != "" || r.there(inside) || r.there(deeper) {
				t.Errorf("removing it is %q", got)
			}
		}},
		{"who may remove a composition may take out what others put inside, one by one", func(t *testing.T, r removal, _, cat, cow graph.ID) {
			inside := r.connect(graph.System, r.world.public, cow, r.world.public, graph.Public)
			beside := r.connect(graph.System, r.world.public, cow, 0, graph.Public)
			for _, try := range []struct {
				caller auth.Caller
				id     graph.ID
				want   graph.ErrorKind
			}{{stranger, inside, graph.Forbidden}, {owner, beside, graph.Forbidden}, {owner, inside, ""}} {
				if got := r.by(try.caller, graph.Batch{RemoveConnections: []graph.ID{try.id}}); got != try.want || r.there(try.id) == (got == "") {
					t.Errorf("%d's removal is %q; want %q", try.caller.User, got, try.want)
				}
			}
		}},
		{"a linker is a kind of connection, and stays", func(t *testing.T, r removal, _, cat, cow graph.ID) {
			linker := write(t, r.world, graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{
				{TypeName: "the_connection", Value: "friend", Access: graph.Public},
			}}).Concepts[0].ID
			theirs := write(t, auth.New(r.world, auth.Rules{}).As(stranger), graph.Batch{Connections: []graph.ConnectionDraft{
				{From: cow, To: cat, Type: linker},
			}}).Connections[0].ID
			if got := r.by(owner, graph.Batch{RemoveConcepts: []graph.ID{linker}}); got != graph.Forbidden || !r.there(theirs) {
				t.Errorf("removing it is %q", got)
			}
		}},
		{"an admin removes a type that nobody uses", func(t *testing.T, r removal, _, _, _ graph.ID) {
			made := write(t, r.world, graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{
				{Kind: graph.DraftType, TypeName: "the_mistake"},
			}}).Concepts[0].ID
			if got := r.by(owner, graph.Batch{RemoveConcepts: []graph.ID{made}}); got != graph.Forbidden {
				t.Errorf("whoever made it: %q", got)
			}
			if got := r.by(admin, graph.Batch{RemoveConcepts: []graph.ID{made}}); got != "" {
				t.Errorf("an admin: %q", got)
			}
		}},
	} {
		t.Run(row.what, func(t *testing.T) {
			w := newWorld(t)
			dog, cat, cow := w.values(t)
			row.run(t, removal{t, w}, dog, cat, cow)
			if err := w.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A late store is written by somebody else just before it is written.
type late struct {
	graph.Store
	before graph.Batch
}

func (l late) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if r, err := l.Store.Write(ctx, l.before); err != nil {
		return r, err
	}
	return l.Store.Write(ctx, b)
}

func TestAValueThatSomebodyMakesMeanwhileIsTheirs(t *testing.T) {
	fox := graph.ConceptDraft{TypeName: "the_word", Value: "fox", Access: graph.Public}
	for what, change := range map[string]func(b *graph.Batch, w world){
		"is not connected to others": func(b *graph.Batch, w world) {
			b.Connections = []graph.ConnectionDraft{{From: -1, To: w.shared, TypeName: "the_word"}}
		},
		"is not removed": func(b *graph.Batch, _ world) { b.RemoveConcepts = []graph.ID{-1} },
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			draft := fox
			draft.Ghost = -1
			b := graph.Batch{Concepts: []graph.ConceptDraft{draft}}
			change(&b, w)
			store := late{w, graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{fox}}}
			if _, err := auth.New(store, auth.Rules{}).As(stranger).Write(t.Context(), b); graph.KindOf(err) != graph.Conflict {
				t.Errorf("%v; want a conflict", err)
			}
			if _, err := auth.New(w, auth.Rules{}).As(stranger).Write(t.Context(), b); graph.KindOf(err) != graph.Forbidden {
				t.Errorf("sent again: %v; want forbidden", err)
			}
		})
	}
}

func TestWhatSomebodyMakesMeanwhileIsNotTouched(t *testing.T) {
	w := newWorld(t)
	_, cat, cow := w.values(t)
	by := graph.Sender{User: bob}
	private := graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_word"}}}
	another := graph.Batch{Sender: by, Concepts: []graph.ConceptDraft{{Ghost: -7, TypeName: "the_word", Value: "cat", Access: graph.Public}}}
	next := func() graph.ID { return write(t, w, private).Concepts[0].ID + 1 }
	for _, row := range []struct {
		what   string
		before graph.Batch
		batch  func() graph.Batch
		want   graph.ErrorKind
	}{
		{"the removal of an id of the future", private, func() graph.Batch { return graph.Batch{RemoveConcepts: []graph.ID{next()}} }, ""},
		{"a connection from one", private, func() graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: next(), To: cow, TypeName: "the_word"}}}
		}, graph.Invalid},
		{"a connection to one", private, func() graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: cow, To: next(), TypeName: "the_word"}}}
		}, graph.Invalid},
		{"a connection inside one", private, func() graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: cow, To: w.shared, Type: next()}}}
		}, graph.Invalid},
		{"the removal of a ghost that becomes Ann's word", another, func() graph.Batch { return graph.Batch{RemoveConcepts: []graph.ID{-7}} }, graph.Invalid},
	} {
		t.Run(row.what, func(t *testing.T) {
			b := row.batch()
			b.Sender = by
			store := &noted{Store: w}
			_, err := auth.New(late{store, row.before}, auth.Rules{}).As(stranger).Write(t.Context(), b)
			if got := graph.KindOf(err); got != row.want {
				t.Errorf("%v; want %q", err, row.want)
			}
			made := append(conceptIDs(store.made), cat)
			if found, err := w.Concepts(t.Context(), made); err != nil || len(found) != len(made) {
				t.Errorf("%d of %d concepts are left, %v", len(found), len(made), err)
			}
		})
	}
}

// A noted store remembers what was made in it.
type noted struct {
	graph.Store
	made []graph.Concept
}

func (n *noted) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	r, err := n.Store.Write(ctx, b)
	n.made = append(n.made, r.Concepts...)
	return r, err
}

// A ghost that became Ann's word stays hers, whatever else has the same value.
func TestATwinGivesNoRights(t *testing.T) {
	w := newWorld(t)
	_, cat, cow := w.values(t)
	v := auth.New(w, auth.Rules{}).As(stranger)
	word := func(ghost graph.ID, access graph.Access) []graph.ConceptDraft {
		return []graph.ConceptDraft{{Ghost: ghost, TypeName: "the_word", Value: "cat", Access: access}}
	}
	if c := write(t, v, graph.Batch{Concepts: word(-1, graph.Public)}).Concepts[0]; c.ID != cat {
		t.Fatalf("the ghost is %d; want %d", c.ID, cat)
	}
	write(t, v, graph.Batch{Concepts: word(-2, graph.Private)})
	for what, b := range map[string]graph.Batch{
		"a connection from it": {Concepts: word(-1, graph.Private), Connections: []graph.ConnectionDraft{{From: -1, To: cow, TypeName: "the_word"}}},
		"its end":              {Concepts: word(-1, graph.Private), RemoveConcepts: []graph.ID{-1}},
	} {
		if _, err := v.Write(t.Context(), b); graph.KindOf(err) != graph.Conflict {
			t.Errorf("%s: %v; want a conflict", what, err)
		}
	}
}

func TestWhatIsGoneMayGoAgain(t *testing.T) {
	v := auth.New(newWorld(t), auth.Rules{}).As(stranger)
	write(t, v, graph.Batch{Concepts: []graph.ConceptDraft{{Ghost: -1, TypeName: "the_word", Value: "fox"}}})
	for range 2 {
		write(t, v, graph.Batch{RemoveConcepts: []graph.ID{-1}})
	}
}

// A reserved id that became another name for somebody's word gives no rights over it.
func TestAnotherNameGivesNoRights(t *testing.T) {
	w := newWorld(t)
	dog, _, cow := w.values(t)
	v := auth.New(w, auth.Rules{}).As(stranger)
	ids, err := v.Reserve(t.Context(), ann, 1) // for Bob, whatever he says
	if err != nil {
		t.Fatal(err)
	}
	word := graph.ConceptDraft{ID: ids[0], TypeName: "the_word", Value: "dog", Access: graph.Public}
	if c := write(t, v, graph.Batch{Concepts: []graph.ConceptDraft{word}}).Concepts[0]; c.ID != dog {
		t.Fatalf("%d became %d; want %d", ids[0], c.ID, dog)
	}
	for what, b := range map[string]graph.Batch{
		"a connection from it": {Connections: []graph.ConnectionDraft{{From: ids[0], To: cow, TypeName: "the_word"}}},
		"its end":              {RemoveConcepts: ids},
		"a connection from it, sent again": {
			Concepts: []graph.ConceptDraft{word}, Connections: []graph.ConnectionDraft{{From: ids[0], To: cow, TypeName: "the_word"}},
		},
	} {
		if _, err := v.Write(t.Context(), b); graph.KindOf(err) != graph.Forbidden {
			t.Errorf("%s: %v; want forbidden", what, err)
		}
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

func TestAKeyThatOnlyReads(t *testing.T) {
	w := newWorld(t)
	v := auth.New(w, auth.Rules{AnonymousWrites: true}).As(reader)
	for what, b := range map[string]graph.Batch{
		"a draft": {Concepts: []graph.ConceptDraft{{TypeName: "the_text", Value: "new"}}}, "a removal": {RemoveConcepts: []graph.ID{w.private}}, "nothing": {},
	} {
		if _, err := v.Write(t.Context(), b); graph.KindOf(err) != graph.Forbidden {
			t.Errorf("%s: %v; want forbidden", what, err)
		}
	}
	if _, err := v.Reserve(t.Context(), ann, 1); graph.KindOf(err) != graph.Forbidden {
		t.Errorf("reserving: %v; want forbidden", err)
	}
}

func TestAKeyForSomeTypes(t *testing.T) {
	w := newWorld(t)
	gate := auth.New(w, auth.Rules{})
	v := gate.As(narrow)
	text := graph.ConceptDraft{Ghost: -7, TypeName: "the_text", Value: "mine"}
	for _, row := range []struct {
		what  string
		batch graph.Batch
		want  graph.ErrorKind
	}{
		{"a value of its types", graph.Batch{Concepts: []graph.ConceptDraft{text}}, ""},
		{"a value of another type", graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_note", Value: "mine"}}}, graph.Forbidden},
		{"a connection between what it sees", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.secret, To: -7, TypeName: "the_text_s_text"}}}, ""},
		{"a connection to what it does not see", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.secret, To: w.private, TypeName: "the_text_s_note"}}}, graph.Invalid},
		{"a connection to what it does not see, by its ghost", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.secret, To: -1, TypeName: "the_text_s_note"}}}, graph.Invalid},
		{"the end of what it does not see", graph.Batch{RemoveConcepts: []graph.ID{w.private, -1}, RemoveConnections: []graph.ID{w.links["private→secret"]}}, ""},
		{"a type", graph.Batch{Concepts: []graph.ConceptDraft{{Kind: graph.DraftType, TypeName: "the_kind"}}}, ""},
	} {
		if _, err := v.Write(t.Context(), row.batch); graph.KindOf(err) != row.want {
			t.Errorf("%s: %v; want %q", row.what, err, row.want)
		}
	}
	if found := (viewed{gate.As(owner), t}).concepts([]graph.ID{w.private}); len(found) != 1 {
		t.Error("what the key does not see is gone")
	}
	ghosts, err := v.Ghosts(t.Context(), graph.Sender{}, []graph.ID{-1, -2, -7})
	if err != nil || len(ghosts) != 2 || ghosts[-1] != 0 {
		t.Errorf("its ghosts are %v, %v; want -2 and -7", ghosts, err)
	}

	made := write(t, gate.As(owner), graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_new", Value: "x"}}}).Concepts[0]
	if found := (viewed{v, t}).instances(made.Type, graph.Page{}); len(found) != 1 {
		t.Errorf("of a type made since it sees %v", found)
	}
}
