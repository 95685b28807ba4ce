package access_test

import (
	"context"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
)

// values adds three public values to a world, of the operator, of Ann and of Anonymous. Every user may connect the
// value of Anonymous to other concepts.
func (w world) values(t *testing.T) (operators, anns, shared graph.ID) {
	t.Helper()
	word := func(user graph.ID, text string) graph.ID {
		return write(t, w, graph.Batch{Sender: graph.Sender{User: user}, Concepts: []graph.ConceptDraft{
			{TypeName: "the_word", Value: text, Access: graph.Public},
		}}).Concepts[0].ID
	}
	return word(graph.System, "dog"), word(ann, "cat"), word(graph.Anonymous, "cow")
}

func TestCallersWriteOnlyPermittedBatches(t *testing.T) {
	const allowed graph.ErrorKind = ""
	w := newWorld(t)
	dog, cat, cow := w.values(t)
	link := func(from, to graph.ID) graph.Batch {
		return graph.Batch{Connections: []graph.ConnectionDraft{{From: from, To: to, TypeName: "the_note_s_note"}}}
	}
	fromDraft := func(d graph.ConceptDraft) graph.Batch {
		b := link(-1, cow)
		d.LocalID = -1
		b.Concepts = []graph.ConceptDraft{d}
		return b
	}
	typed := func(from, to, typ graph.ID) graph.Batch {
		return graph.Batch{Connections: []graph.ConnectionDraft{{From: from, To: to, Type: typ}}}
	}
	addTo := func(main graph.ID) graph.Batch { return typed(cow, dog, main) }
	remove := func(ids ...graph.ID) graph.Batch { return graph.Batch{RemoveConcepts: ids} }
	unlink := func(name string) graph.Batch { return graph.Batch{RemoveConnections: []graph.ID{w.links[name]}} }
	removeDraft := func(d graph.ConceptDraft) graph.Batch {
		d.LocalID = -1
		return graph.Batch{Concepts: []graph.ConceptDraft{d}, RemoveConcepts: []graph.ID{-1}}
	}
	word := func(text string) graph.ConceptDraft {
		return graph.ConceptDraft{TypeName: "the_word", Value: text, Access: graph.Public}
	}
	const forbidden, invalid, unauthorized = graph.Forbidden, graph.Invalid, graph.Unauthorized
	for _, row := range []struct {
		what                                  string
		batch                                 graph.Batch
		reader, guest, stranger, owner, admin graph.ErrorKind // reader: a guest where guests may not write
	}{
		{"create a value", graph.Batch{Concepts: []graph.ConceptDraft{word("hen")}}, unauthorized, allowed, allowed, allowed, allowed},
		{"connect a shared record", link(w.shared, w.public), unauthorized, allowed, allowed, allowed, allowed},
		{"connect Ann's public record", link(w.public, w.shared), unauthorized, forbidden, forbidden, allowed, allowed},
		{"connect Ann's private record", link(w.private, w.shared), unauthorized, invalid, invalid, allowed, allowed},
		{"connect to Ann's private record", link(w.shared, w.private), unauthorized, invalid, invalid, allowed, allowed},
		{"connect to a value of the operator", link(w.shared, dog), unauthorized, allowed, allowed, allowed, allowed},
		{"connect a value of the operator", link(dog, w.shared), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"connect a draft that equals a value of the operator", fromDraft(word("dog")), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"connect a draft that equals a value of Ann", fromDraft(word("cat")), unauthorized, forbidden, forbidden, allowed, allowed},
		{"connect a new value", fromDraft(word("fox")), unauthorized, allowed, allowed, allowed, allowed},
		{"add to Ann's public composition", addTo(w.public), unauthorized, forbidden, forbidden, allowed, allowed},
		{"add to a shared composition", addTo(w.shared), unauthorized, allowed, allowed, allowed, allowed},
		{"use a value of Ann as connection type", typed(w.shared, cow, cat), unauthorized, forbidden, forbidden, allowed, allowed},
		{"use a type as connection type", typed(w.shared, cow, w.typ), unauthorized, allowed, allowed, allowed, allowed},
		{"connect a concept that does not exist", link(404_404, w.shared), unauthorized, invalid, invalid, invalid, invalid},

		{"create a record for admins", graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_word", Value: "fox", Access: graph.Admin}}}, unauthorized, allowed, forbidden, forbidden, allowed},
		{"create a connection for admins", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.shared, To: cow, TypeName: "the_note_s_word", Access: graph.Admin}}}, unauthorized, allowed, forbidden, forbidden, allowed},

		{"remove a fixed concept", remove(graph.CategoryPrototype), unauthorized, forbidden, forbidden, forbidden, forbidden},
		{"remove a type", remove(w.typ), unauthorized, forbidden, forbidden, forbidden, forbidden},
		{"remove a drafted type", removeDraft(graph.ConceptDraft{Kind: graph.DraftType, TypeName: "the_new_thing"}), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"remove Ann's public record", remove(w.public), unauthorized, forbidden, forbidden, allowed, allowed},
		{"remove a value of Ann", remove(cat), unauthorized, forbidden, forbidden, allowed, allowed},
		{"remove a draft that equals a value of Ann", removeDraft(word("cat")), unauthorized, forbidden, forbidden, allowed, allowed},
		{"remove a value of the operator", remove(dog), unauthorized, forbidden, forbidden, forbidden, allowed},
		{"remove a shared value", remove(cow), unauthorized, allowed, forbidden, forbidden, allowed},
		{"remove a shared record", remove(w.shared), unauthorized, allowed, forbidden, forbidden, allowed},
		{"remove a concept that does not exist", remove(404_404), unauthorized, allowed, allowed, allowed, allowed},
		{"remove a concept that is hidden", remove(w.admin), unauthorized, allowed, allowed, allowed, allowed},
		{"remove a shared connection", unlink("shared→public"), unauthorized, allowed, forbidden, forbidden, allowed},
		{"remove a connection of Ann that is hidden from others", unlink("public→private"), unauthorized, allowed, allowed, allowed, allowed},
		{"remove an unknown local id", graph.Batch{RemoveConcepts: []graph.ID{-5}}, unauthorized, invalid, invalid, invalid, invalid},
	} {
		t.Run(row.what, func(t *testing.T) {
			for _, col := range []struct {
				who    string
				caller access.Caller
				rules  access.Rules
				want   graph.ErrorKind
			}{
				{"a guest who may only read", guest, access.Rules{}, row.reader},
				{"a guest", guest, access.Rules{AnonymousWrites: true}, row.guest},
				{"a stranger", stranger, access.Rules{AnonymousWrites: true}, row.stranger},
				{"the owner", owner, access.Rules{AnonymousWrites: true}, row.owner},
				{"an admin", admin, access.Rules{}, row.admin},
				{"the system", access.System, access.Rules{}, row.admin},
			} {
				fresh := newWorld(t) // has the same ids as w, because memory stores assign consecutive ids
				fresh.values(t)
				row.batch.Sender = graph.Sender{User: col.caller.User, Randomizer: 1}
				_, err := access.New(fresh, col.rules).As(col.caller).Write(t.Context(), row.batch)
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

func TestRemovalsOfHiddenRecordsAreIgnored(t *testing.T) {
	w := newWorld(t)
	v := access.New(w, access.Rules{AnonymousWrites: true}).As(guest)
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

// A removal is a world with helpers for tests of removals.
type removal struct {
	t     *testing.T
	world world
}

// writeAs writes a batch as a caller and returns the kind of the error.
func (r removal) writeAs(caller access.Caller, b graph.Batch) graph.ErrorKind {
	r.t.Helper()
	_, err := access.New(r.world, access.Rules{AnonymousWrites: true}).As(caller).Write(r.t.Context(), b)
	return graph.KindOf(err)
}

func (r removal) connect(user, from, to, typ graph.ID, access graph.Access) graph.ID {
	r.t.Helper()
	return write(r.t, r.world, graph.Batch{Sender: graph.Sender{User: user}, Connections: []graph.ConnectionDraft{
		{From: from, To: to, Type: typ, TypeName: "the_word", Access: access},
	}}).Connections[0].ID
}

func (r removal) hasConnection(id graph.ID) bool {
	r.t.Helper()
	found, err := r.world.Connections(r.t.Context(), []graph.ID{id})
	if err != nil {
		r.t.Fatal(err)
	}
	return len(found) == 1
}

func TestRemovalsOfConnectedRecords(t *testing.T) {
	for _, row := range []struct {
		name string
		run  func(t *testing.T, r removal, dog, cat, cow graph.ID)
	}{
		{"a value that another user has privately connected is not removed", func(t *testing.T, r removal, _, cat, cow graph.ID) {
			bobsConnection := r.connect(bob, cow, cat, 0, graph.Private)
			if got := r.writeAs(owner, graph.Batch{RemoveConcepts: []graph.ID{cat}}); got != graph.Forbidden || !r.hasConnection(bobsConnection) {
				t.Errorf("removing the value: %q; want forbidden, and Bob's connection kept", got)
			}
		}},
		{"a record is removed with the connections of other users to it", func(t *testing.T, r removal, _, _, cow graph.ID) {
			bobsConnection := r.connect(bob, cow, r.world.public, 0, graph.Private)
			if got := r.writeAs(owner, graph.Batch{RemoveConcepts: []graph.ID{r.world.public}}); got != "" || r.hasConnection(bobsConnection) {
				t.Errorf("removing the record: %q, Bob's connection exists: %v; want no error, false", got, r.hasConnection(bobsConnection))
			}
		}},
		{"a record that the operator has connected is not removed", func(t *testing.T, r removal, dog, _, _ graph.ID) {
			r.connect(graph.System, dog, r.world.public, 0, graph.Public)
			if got := r.writeAs(owner, graph.Batch{RemoveConcepts: []graph.ID{r.world.public}}); got != graph.Forbidden {
				t.Errorf("removing the record: %q; want forbidden", got)
			}
		}},
		{"a composition is removed with the connections that other users added", func(t *testing.T, r removal, dog, cat, cow graph.ID) {
			inside, deeper := r.connect(bob, r.world.shared, cow, r.world.shared, 0), r.connect(bob, cow, cat, r.world.shared, 0)
			if got := r.writeAs(stranger, graph.Batch{RemoveConcepts: []graph.ID{r.world.shared}}); got != graph.Forbidden {
				t.Errorf("removing the shared composition as another user: %q; want forbidden", got)
			}
			if got := r.writeAs(guest, graph.Batch{RemoveConcepts: []graph.ID{r.world.shared}}); got != "" || r.hasConnection(inside) || r.hasConnection(deeper) {
				t.Errorf("removing the shared composition as a guest: %q; want no error, and both connections of Bob removed", got)
			}
		}},
		{"the owner of a composition may remove single inner connections of other users", func(t *testing.T, r removal, _, cat, cow graph.ID) {
			inside := r.connect(graph.System, r.world.public, cow, r.world.public, graph.Public)
			beside := r.connect(graph.System, r.world.public, cow, 0, graph.Public)
			for _, attempt := range []struct {
				caller access.Caller
				id     graph.ID
				want   graph.ErrorKind
			}{{stranger, inside, graph.Forbidden}, {owner, beside, graph.Forbidden}, {owner, inside, ""}} {
				if got := r.writeAs(attempt.caller, graph.Batch{RemoveConnections: []graph.ID{attempt.id}}); got != attempt.want || r.hasConnection(attempt.id) == (got == "") {
					t.Errorf("%d's removal is %q; want %q", attempt.caller.User, got, attempt.want)
				}
			}
		}},
		{"a public linker is not removed", func(t *testing.T, r removal, _, cat, cow graph.ID) {
			linker := write(t, r.world, graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{
				{TypeName: "the_connection", Value: "friend", Access: graph.Public},
			}}).Concepts[0].ID
			bobsConnection := write(t, access.New(r.world, access.Rules{}).As(stranger), graph.Batch{Connections: []graph.ConnectionDraft{
				{From: cow, To: cat, Type: linker},
			}}).Connections[0].ID
			if got := r.writeAs(owner, graph.Batch{RemoveConcepts: []graph.ID{linker}}); got != graph.Forbidden || !r.hasConnection(bobsConnection) {
				t.Errorf("removing the linker: %q; want forbidden, and Bob's connection kept", got)
			}
		}},
		{"an admin removes an unused type", func(t *testing.T, r removal, _, _, _ graph.ID) {
			unused := write(t, r.world, graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{
				{Kind: graph.DraftType, TypeName: "the_mistake"},
			}}).Concepts[0].ID
			if got := r.writeAs(owner, graph.Batch{RemoveConcepts: []graph.ID{unused}}); got != graph.Forbidden {
				t.Errorf("its creator: %q", got)
			}
			if got := r.writeAs(admin, graph.Batch{RemoveConcepts: []graph.ID{unused}}); got != "" {
				t.Errorf("an admin: %q", got)
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			dog, cat, cow := w.values(t)
			row.run(t, removal{t, w}, dog, cat, cow)
			if err := w.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A racingStore writes another batch just before each write.
type racingStore struct {
	graph.Store
	before graph.Batch
}

func (s racingStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if r, err := s.Store.Write(ctx, s.before); err != nil {
		return r, err
	}
	return s.Store.Write(ctx, b)
}

func TestAValueCreatedByAnotherUserDuringAWrite(t *testing.T) {
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
			draft.LocalID = -1
			b := graph.Batch{Concepts: []graph.ConceptDraft{draft}}
			change(&b, w)
			store := racingStore{w, graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{fox}}}
			if _, err := access.New(store, access.Rules{}).As(stranger).Write(t.Context(), b); graph.KindOf(err) != graph.Conflict {
				t.Errorf("%v; want a conflict", err)
			}
			if _, err := access.New(w, access.Rules{}).As(stranger).Write(t.Context(), b); graph.KindOf(err) != graph.Forbidden {
				t.Errorf("sent again: %v; want forbidden", err)
			}
		})
	}
}

func TestRecordsCreatedByAnotherUserDuringAWriteAreNotChanged(t *testing.T) {
	w := newWorld(t)
	_, cat, cow := w.values(t)
	by := graph.Sender{User: bob}
	private := graph.Batch{Sender: graph.Sender{User: ann}, Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_word"}}}
	another := graph.Batch{Sender: by, Concepts: []graph.ConceptDraft{{LocalID: -7, TypeName: "the_word", Value: "cat", Access: graph.Public}}}
	next := func() graph.ID { return write(t, w, private).Concepts[0].ID + 1 }
	for _, row := range []struct {
		what   string
		before graph.Batch
		batch  func() graph.Batch
		want   graph.ErrorKind
	}{
		{"the removal of an id that is assigned during the write", private, func() graph.Batch { return graph.Batch{RemoveConcepts: []graph.ID{next()}} }, ""},
		{"a connection from such an id", private, func() graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: next(), To: cow, TypeName: "the_word"}}}
		}, graph.Invalid},
		{"a connection to such an id", private, func() graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: cow, To: next(), TypeName: "the_word"}}}
		}, graph.Invalid},
		{"a connection inside a composition with such an id", private, func() graph.Batch {
			return graph.Batch{Connections: []graph.ConnectionDraft{{From: cow, To: w.shared, Type: next()}}}
		}, graph.Invalid},
		{"the removal of a local id that resolves to Ann's word during the write", another, func() graph.Batch { return graph.Batch{RemoveConcepts: []graph.ID{-7}} }, graph.Invalid},
	} {
		t.Run(row.what, func(t *testing.T) {
			b := row.batch()
			b.Sender = by
			store := &recordingStore{Store: w}
			_, err := access.New(racingStore{store, row.before}, access.Rules{}).As(stranger).Write(t.Context(), b)
			if got := graph.KindOf(err); got != row.want {
				t.Errorf("%v; want %q", err, row.want)
			}
			concepts := append(conceptIDs(store.written), cat)
			if found, err := w.Concepts(t.Context(), concepts); err != nil || len(found) != len(concepts) {
				t.Errorf("%d of %d concepts are left, %v", len(found), len(concepts), err)
			}
		})
	}
}

// A recordingStore records the concepts in the receipts of its writes.
type recordingStore struct {
	graph.Store
	written []graph.Concept
}

func (s *recordingStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	r, err := s.Store.Write(ctx, b)
	s.written = append(s.written, r.Concepts...)
	return r, err
}

// A local id that refers to a value of Ann must still refer to that value after the sender of the id has created
// an equal private value.
func TestAnEqualPrivateValueGrantsNoRights(t *testing.T) {
	w := newWorld(t)
	_, cat, cow := w.values(t)
	v := access.New(w, access.Rules{}).As(stranger)
	word := func(localID graph.ID, access graph.Access) []graph.ConceptDraft {
		return []graph.ConceptDraft{{LocalID: localID, TypeName: "the_word", Value: "cat", Access: access}}
	}
	if c := write(t, v, graph.Batch{Concepts: word(-1, graph.Public)}).Concepts[0]; c.ID != cat {
		t.Fatalf("the local id resolves to %d; want %d", c.ID, cat)
	}
	write(t, v, graph.Batch{Concepts: word(-2, graph.Private)})
	for what, b := range map[string]graph.Batch{
		"a connection from it": {Concepts: word(-1, graph.Private), Connections: []graph.ConnectionDraft{{From: -1, To: cow, TypeName: "the_word"}}},
		"its removal":          {Concepts: word(-1, graph.Private), RemoveConcepts: []graph.ID{-1}},
	} {
		if _, err := v.Write(t.Context(), b); graph.KindOf(err) != graph.Conflict {
			t.Errorf("%s: %v; want a conflict", what, err)
		}
	}
}

func TestARemovalMayBeRepeated(t *testing.T) {
	v := access.New(newWorld(t), access.Rules{}).As(stranger)
	write(t, v, graph.Batch{Concepts: []graph.ConceptDraft{{LocalID: -1, TypeName: "the_word", Value: "fox"}}})
	for range 2 {
		write(t, v, graph.Batch{RemoveConcepts: []graph.ID{-1}})
	}
}

// A reserved id that became an alias of another user's value grants no rights to that value.
func TestAnAliasGrantsNoRights(t *testing.T) {
	w := newWorld(t)
	dog, _, cow := w.values(t)
	v := access.New(w, access.Rules{}).As(stranger)
	ids, err := v.Reserve(t.Context(), ann, 1) // for Bob, although the request is for Ann
	if err != nil {
		t.Fatal(err)
	}
	word := graph.ConceptDraft{ID: ids[0], TypeName: "the_word", Value: "dog", Access: graph.Public}
	if c := write(t, v, graph.Batch{Concepts: []graph.ConceptDraft{word}}).Concepts[0]; c.ID != dog {
		t.Fatalf("%d became %d; want %d", ids[0], c.ID, dog)
	}
	for what, b := range map[string]graph.Batch{
		"a connection from it": {Connections: []graph.ConnectionDraft{{From: ids[0], To: cow, TypeName: "the_word"}}},
		"its removal":          {RemoveConcepts: ids},
		"a connection from it, sent again": {
			Concepts: []graph.ConceptDraft{word}, Connections: []graph.ConnectionDraft{{From: ids[0], To: cow, TypeName: "the_word"}},
		},
	} {
		if _, err := v.Write(t.Context(), b); graph.KindOf(err) != graph.Forbidden {
			t.Errorf("%s: %v; want forbidden", what, err)
		}
	}
}

func TestTheCallerOwnsItsDrafts(t *testing.T) {
	w := newWorld(t)
	for _, caller := range []access.Caller{guest, owner} {
		v := access.New(w, access.Rules{AnonymousWrites: true}).As(caller)
		r := write(t, v, graph.Batch{
			Sender:      graph.Sender{User: graph.System, Randomizer: 7},
			Concepts:    []graph.ConceptDraft{{LocalID: -1, Kind: graph.DraftComposition, TypeName: "the_note", Owner: bob}},
			Connections: []graph.ConnectionDraft{{From: -1, To: w.shared, TypeName: "the_note_s_note", Owner: bob}},
		})
		if c, l := r.Concepts[0], r.Connections[0]; c.Owner != caller.User || l.Owner != caller.User {
			t.Errorf("%d sent a concept of %d and a connection of %d", caller.User, c.Owner, l.Owner)
		}
		found, err := v.ResolveIDs(t.Context(), graph.Sender{User: graph.System, Randomizer: 7}, []graph.ID{-1})
		if err != nil || found[-1] != r.Concepts[0].ID {
			t.Errorf("its local id resolves to %v, %v; want %d", found, err, r.Concepts[0].ID)
		}
	}
}

func TestOnlyTheOperatorMayCheckAStore(t *testing.T) {
	gate := access.New(newWorld(t), access.Rules{})
	if got := graph.KindOf(gate.As(guest).Check(t.Context())); got != graph.Forbidden {
		t.Errorf("a guest's check is %q; want forbidden", got)
	}
	if err := gate.As(access.System).Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAReadOnlyKeyCannotWrite(t *testing.T) {
	w := newWorld(t)
	v := access.New(w, access.Rules{AnonymousWrites: true}).As(reader)
	for what, b := range map[string]graph.Batch{
		"a draft": {Concepts: []graph.ConceptDraft{{TypeName: "the_text", Value: "new"}}}, "a removal": {RemoveConcepts: []graph.ID{w.private}}, "an empty batch": {},
	} {
		if _, err := v.Write(t.Context(), b); graph.KindOf(err) != graph.Forbidden {
			t.Errorf("%s: %v; want forbidden", what, err)
		}
	}
	if _, err := v.Reserve(t.Context(), ann, 1); graph.KindOf(err) != graph.Forbidden {
		t.Errorf("reserving: %v; want forbidden", err)
	}
}

func TestAKeyForSomeTypesWritesOnlyThese(t *testing.T) {
	w := newWorld(t)
	gate := access.New(w, access.Rules{})
	v := gate.As(narrow)
	text := graph.ConceptDraft{LocalID: -7, TypeName: "the_text", Value: "mine"}
	for _, row := range []struct {
		what  string
		batch graph.Batch
		want  graph.ErrorKind
	}{
		{"a value of its types", graph.Batch{Concepts: []graph.ConceptDraft{text}}, ""},
		{"a value of another type", graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_note", Value: "mine"}}}, graph.Forbidden},
		{"a connection between visible concepts", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.secret, To: -7, TypeName: "the_text_s_text"}}}, ""},
		{"a connection to a hidden concept", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.secret, To: w.private, TypeName: "the_text_s_note"}}}, graph.Invalid},
		{"a connection to a hidden concept, by local id", graph.Batch{Connections: []graph.ConnectionDraft{{From: w.secret, To: -1, TypeName: "the_text_s_note"}}}, graph.Invalid},
		{"the removal of a hidden concept", graph.Batch{RemoveConcepts: []graph.ID{w.private, -1}, RemoveConnections: []graph.ID{w.links["private→secret"]}}, ""},
		{"a type", graph.Batch{Concepts: []graph.ConceptDraft{{Kind: graph.DraftType, TypeName: "the_kind"}}}, ""},
	} {
		if _, err := v.Write(t.Context(), row.batch); graph.KindOf(err) != row.want {
			t.Errorf("%s: %v; want %q", row.what, err, row.want)
		}
	}
	if found := (callerView{gate.As(owner), t}).concepts([]graph.ID{w.private}); len(found) != 1 {
		t.Error("a concept that is hidden from the key was removed")
	}
	localIDs, err := v.ResolveIDs(t.Context(), graph.Sender{}, []graph.ID{-1, -2, -7})
	if err != nil || len(localIDs) != 2 || localIDs[-1] != 0 {
		t.Errorf("its local ids resolve to %v, %v; want only -2 and -7", localIDs, err)
	}

	later := write(t, gate.As(owner), graph.Batch{Concepts: []graph.ConceptDraft{{TypeName: "the_new", Value: "x"}}}).Concepts[0]
	if found := (callerView{v, t}).instances(later.Type, graph.Page{}); len(found) != 1 {
		t.Errorf("instances of a type created later: the key reads %v; want one instance", found)
	}
}

func TestAKeyForSomeTypesRemovesNoOtherConnectionByItsLocalID(t *testing.T) {
	w := newWorld(t)
	v := access.New(w, access.Rules{}).As(narrow)
	for _, id := range []graph.ID{-1, w.links["private→secret"]} { // -1 is the local id of this connection
		if _, err := v.Write(t.Context(), graph.Batch{RemoveConnections: []graph.ID{id}}); err != nil {
			t.Error(err)
		}
		if found, err := w.Connections(t.Context(), []graph.ID{w.links["private→secret"]}); err != nil || len(found) != 1 {
			t.Fatalf("the key removed a connection of notes by the id %d: %v", id, err)
		}
	}
	if found, err := v.ResolveConnections(t.Context(), graph.Sender{}, []graph.ID{-1}); err != nil || len(found) > 0 {
		t.Errorf("the key resolves the local id to %v, %v", found, err)
	}
	whole := access.New(w, access.Rules{}).As(access.Caller{User: ann})
	if found, err := whole.ResolveConnections(t.Context(), graph.Sender{User: bob}, []graph.ID{-1}); err != nil || found[-1] != w.links["private→secret"] {
		t.Errorf("the caller resolves the local id to %v, %v", found, err)
	}
	if _, err := v.Write(t.Context(), graph.Batch{RemoveConnections: []graph.ID{-999}}); graph.KindOf(err) != graph.Invalid {
		t.Error("the removal of an unknown local id:", err)
	}
	receipt, err := v.Write(t.Context(), graph.Batch{
		Concepts:    []graph.ConceptDraft{{LocalID: -70, TypeName: "the_text", Value: "a"}, {LocalID: -71, TypeName: "the_text", Value: "b"}},
		Connections: []graph.ConnectionDraft{{LocalID: -70, From: -70, To: -71, TypeName: "the_text_s_text"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Write(t.Context(), graph.Batch{RemoveConnections: []graph.ID{-70}}); err != nil {
		t.Error(err)
	}
	if found, err := w.Connections(t.Context(), []graph.ID{receipt.Connections[0].ID}); err != nil || len(found) != 0 {
		t.Errorf("the key did not remove a connection of texts: %v", err)
	}
}
