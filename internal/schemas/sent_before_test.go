package schemas_test

import (
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/store/memory"
)

var by7 = graph.Sender{User: 7, Randomizer: 1}

// A sentContact is a contact that was written with local ids, and the batch that wrote it.
type sentContact struct {
	batch   graph.Batch
	receipt graph.Receipt
}

// sent writes a contact whose connections all have local ids.
func (s *crmStore) sent(fields string) sentContact {
	s.t.Helper()
	b := s.contact(fields)
	s.local.Connection--
	b.Connections[len(b.Connections)-1].LocalID = s.local.Connection
	receipt, err := s.Write(s.t.Context(), b)
	if err != nil {
		s.t.Fatal(err)
	}
	return sentContact{b, receipt}
}

// part returns the connection draft of the value with the given type.
func (c sentContact) part(typeName string) graph.ConnectionDraft {
	value := c.concept(typeName).LocalID
	i := slices.IndexFunc(c.batch.Connections, func(d graph.ConnectionDraft) bool { return d.To == value })
	return c.batch.Connections[i]
}

func (c sentContact) concept(typeName string) graph.ConceptDraft {
	return c.batch.Concepts[slices.IndexFunc(c.batch.Concepts, func(d graph.ConceptDraft) bool { return d.TypeName == typeName })]
}

// real returns the real id of a connection or concept draft.
func (c sentContact) real(localID graph.ID, isConnection bool) graph.ID {
	for i, d := range c.batch.Connections {
		if isConnection && d.LocalID == localID {
			return c.receipt.Connections[i].ID
		}
	}
	for i, d := range c.batch.Concepts {
		if d.LocalID == localID {
			return c.receipt.Concepts[i].ID
		}
	}
	return 0
}

func TestChecksRemovalsUnderIDsOfEarlierBatches(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		c := s.sent(`{"name": "Ann", "age": 5, "address": {"city": "Gent"}}`)
		remove := func(ids ...graph.ID) graph.Batch { return graph.Batch{Sender: by7, RemoveConnections: ids} }
		link := c.batch.Connections[len(c.batch.Connections)-1]
		s.wantRefused("the connection of a required field", remove(c.part("the_name").LocalID), "name required")
		s.wantRefused("the connection of a required link", remove(link.LocalID), "company required")
		s.wantRefused("the connection of a required field inside a field", remove(c.part("the_city").LocalID), "address.city required")
		s.wantRefused("a connection that is sent again", graph.Batch{
			Sender: by7, Concepts: c.batch.Concepts, Connections: c.batch.Connections, RemoveConnections: []graph.ID{c.part("the_name").LocalID},
		}, "name required")
		s.wantRefused("a connection that is sent again, by its real id", graph.Batch{
			Sender: by7, Connections: []graph.ConnectionDraft{c.part("the_name")}, RemoveConnections: []graph.ID{c.real(c.part("the_name").LocalID, true)},
		}, "name required")
		s.wantRefused("a link that is sent again, by its real id", graph.Batch{
			Sender: by7, Connections: []graph.ConnectionDraft{link}, RemoveConnections: []graph.ID{c.real(link.LocalID, true)},
		}, "company required")
		s.wantRefused("the value of a required field", graph.Batch{Sender: by7, RemoveConcepts: []graph.ID{c.concept("the_name").LocalID}}, "name required")
		s.wantRefused("the connection of an optional field", remove(c.part("the_age").LocalID))
		s.wantRefused("an optional field again", remove(c.part("the_age").LocalID))
		s.wantRefused("the record", graph.Batch{Sender: by7, RemoveConcepts: []graph.ID{c.concept("the_contact").LocalID}})
	})
}

func TestChecksValuesThatTheBatchDraftsAndRemoves(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		s.sent(`{"name": "Ann"}`)
		b := s.contact(`{"name": "Bo"}`)
		b.RemoveConcepts = []graph.ID{b.Concepts[1].LocalID}
		s.wantRefused("the name of a new record", b, "name required")
		b = s.contact(`{"name": "longer than ten"}`)
		b.RemoveConcepts = []graph.ID{b.Concepts[0].LocalID}
		s.wantRefused("a new record", b)
		value := graph.ConceptDraft{LocalID: -77, TypeName: "the_name", Value: "Ann"}
		s.wantRefused("a value that another record uses", graph.Batch{
			Sender: by7, Concepts: []graph.ConceptDraft{value}, RemoveConcepts: []graph.ID{-77},
		}, "name required")
		found, err := s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "Ann", Category: graph.CategoryInstance}})
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		b = s.contact(`{"name": "Ann"}`)
		b.RemoveConcepts = []graph.ID{found[0].ID}
		s.wantRefused("an existing value that a new record uses", b, "name required", "name required")
	})
}

func TestChecksRemovalsUnderReservedIDs(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		ids, err := s.Reserve(t.Context(), 7, 2)
		if err != nil {
			t.Fatal(err)
		}
		c := s.sent(`{"name": "Ann"}`)
		record := c.real(c.concept("the_contact").LocalID, false)
		s.mustWrite(graph.Batch{Sender: by7, Concepts: []graph.ConceptDraft{{ID: ids[0], TypeName: "the_name", Value: "Ann"}}})
		s.wantRefused("a value by its alias", graph.Batch{Sender: by7, RemoveConcepts: []graph.ID{ids[0]}}, "name required")
		b := s.patch(record, `{"name": "Bo"}`)
		b.Connections[0].LocalID, b.Connections[0].ID = 0, ids[1]
		b.RemoveConnections = append(b.RemoveConnections, ids[1])
		s.wantRefused("a new connection", b, "name required")
	})
}

func TestChecksConnectionsWhoseTypeHasAnIDOfAnEarlierBatch(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		ids, err := s.Reserve(t.Context(), 7, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := s.sent(`{"name": "Ann"}`)
		main := c.concept("the_contact").LocalID
		other := s.mustWrite(s.contact(`{"name": "Bo"}`))
		s.mustWrite(graph.Batch{Sender: by7, Concepts: []graph.ConceptDraft{
			{LocalID: -70, Kind: graph.DraftType, TypeName: "the_contact_company"},
			{ID: ids[0], Kind: graph.DraftType, TypeName: "the_contact_company"},
		}})
		add := func(d graph.ConnectionDraft) graph.Batch {
			return graph.Batch{Sender: by7, Concepts: []graph.ConceptDraft{{LocalID: -71, TypeName: "the_age", Value: "x"}}, Connections: []graph.ConnectionDraft{d}}
		}
		s.wantRefused("a link by a local id", add(graph.ConnectionDraft{From: main, To: other, Type: -70}), "company targets")
		s.wantRefused("a link by a local id and another name", add(graph.ConnectionDraft{From: main, To: other, Type: -70, TypeName: "the_x"}), "company targets")
		s.wantRefused("a link by an alias", add(graph.ConnectionDraft{From: main, To: other, Type: ids[0]}), "company targets")
		s.wantRefused("a link by the name of a type with an unknown local id",
			add(graph.ConnectionDraft{From: main, To: other, Type: -999, TypeName: "the_contact_company"}), "company targets")
		s.wantRefused("a part by a local id", add(graph.ConnectionDraft{From: main, To: -71, Type: main}), "age kind")
		s.wantRefused("a part by a local id and a name", add(graph.ConnectionDraft{From: main, To: -71, Type: main, TypeName: "the_x"}), "age kind")
		s.wantRefused("a part by a local id and the name of a link",
			add(graph.ConnectionDraft{From: main, To: -71, Type: main, TypeName: "the_contact_company"}), "age kind")
	})
}

func TestChecksLinksWhoseTypeDidNotExist(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{}) // writes a company before the type of the link to it exists
		c := s.sent(`{"name": "Ann"}`)
		id := c.real(c.concept("the_contact").LocalID, false)
		other := s.mustWrite(s.contact(`{"name": "Bo"}`))
		typ := c.receipt.Connections[len(c.receipt.Connections)-1].Type
		s.wantRefused("a link by the id of its type", graph.Batch{Sender: by7, Connections: []graph.ConnectionDraft{{From: id, To: other, Type: typ}}}, "company targets")
		s.wantRefused("the removal of a required link", s.removeField(id, "the_contact_company"), "company required")
	})
}

func TestIgnoresConnectionsThatWereRemovedBefore(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		c := s.sent(`{"name": "Ann"}`)
		record, name := c.real(c.concept("the_contact").LocalID, false), c.part("the_name")
		s.wantRefused("a valid change", s.patch(record, `{"name": "Bo"}`)) // removes the connection of Ann
		replace := s.removeField(record, "the_name")
		replace.Connections = []graph.ConnectionDraft{name}
		s.wantRefused("a removed connection that replaces the name", replace, "name required")
		b := s.build("the_contact", `{}`)
		b.Connections = append(b.Connections,
			graph.ConnectionDraft{From: b.Concepts[0].LocalID, To: s.company, TypeName: "the_contact_company", Order: graph.OrderLink},
			graph.ConnectionDraft{LocalID: name.LocalID, From: b.Concepts[0].LocalID, To: name.To, Type: b.Concepts[0].LocalID})
		if _, err := s.Write(t.Context(), b); graph.KindOf(err) != graph.Conflict && schemas.RefusalsOf(err) == nil {
			t.Error("a new record whose name is a removed connection is accepted:", err)
		}
	})
}

func TestRefusesALinkFromARecordToItself(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		people := parse(t, `{"types": {"person": {"fields": {"boss": {"kind": "one", "targets": ["person", "firm"], "required": true}}}, "firm": {"fields": {"name": {"kind": "text"}}}}}`)
		if _, err := schemas.Push(t.Context(), s.Store, people, schemas.PushOptions{}); err != nil {
			t.Fatal(err)
		}
		firm := s.mustWrite(s.build("the_firm", `{"name": "Acme"}`))
		person := func(boss graph.ID) graph.Batch {
			b := s.build("the_person", `{"name": "Ann"}`)
			if boss == 0 {
				boss = b.Concepts[0].LocalID
			}
			b.Connections = append(b.Connections, graph.ConnectionDraft{From: b.Concepts[0].LocalID, To: boss, TypeName: "the_person_boss"})
			return b
		}
		s.wantRefused("a new record", person(0), "boss self")
		first := person(firm)
		local, id := first.Concepts[0].LocalID, s.mustWrite(first)
		for _, ends := range [][2]graph.ID{{id, id}, {local, local}, {id, local}, {local, id}} {
			s.wantRefused("an existing record", graph.Batch{Sender: by7, Connections: []graph.ConnectionDraft{
				{From: ends[0], To: ends[1], TypeName: "the_person_boss"},
			}}, "boss self")
		}
		s.wantRefused("another record", person(id))
	})
}

func TestAcceptsABatchThatIsSentAgainWithChanges(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		c := s.sent(`{"name": "Ann", "address": {"city": "Gent"}}`)
		main := c.concept("the_contact").LocalID
		name := s.contact(`{"name": "Bo"}`).Concepts[1]
		add := func(d graph.ConceptDraft, from graph.ID) graph.Batch {
			b := graph.Batch{Sender: by7, Concepts: append(slices.Clone(c.batch.Concepts), d), Connections: slices.Clone(c.batch.Connections)}
			s.local.Connection--
			b.Connections = append(b.Connections, graph.ConnectionDraft{LocalID: s.local.Connection, From: from, To: d.LocalID, Type: main})
			return b
		}
		b := add(name, main)
		b.RemoveConnections = []graph.ID{c.part("the_name").LocalID}
		s.wantRefused("another name, which replaces the first by its local id", b)
		s.wantRefused("the same batch again", b)
		b = add(graph.ConceptDraft{LocalID: -80, TypeName: "the_age", Value: "5"}, main)
		b.Concepts, b.Connections = append(b.Concepts[:1:1], b.Concepts[len(b.Concepts)-1]), b.Connections[len(b.Connections)-1:]
		s.wantRefused("the record with one more field", b)
		long := graph.ConceptDraft{LocalID: -81, TypeName: "the_name", Value: "longer than ten"}
		s.wantRefused("a wrong field", add(long, main), "name max")
		first := add(long, main)
		slices.Reverse(first.Connections)
		s.wantRefused("a wrong field before the one that was sent", first, "name max")
		inner := add(graph.ConceptDraft{LocalID: -82, Kind: graph.DraftComposition, TypeName: "city"}, c.part("the_city").From)
		s.wantRefused("a wrong field inside a field", inner, "address.city kind")
		inner.Connections = append(inner.Connections[:0:0], inner.Connections[len(inner.Connections)-1])
		s.wantRefused("a wrong field inside a field that is not connected in the batch", inner, "address.city kind")
		inner.Concepts = inner.Concepts[len(inner.Concepts)-1:]
		s.wantRefused("a wrong field inside a field of an earlier batch", inner, "address.city kind")
	})
}

func TestChecksExistingValuesThatAreLinkedAgain(t *testing.T) {
	everystore.Run(t, func(t *testing.T, store graph.Store) {
		s := newStore(t, store, schemas.Options{})
		c := s.sent(`{"name": "Ann", "tags": ["a"], "address": {"city": "Gent"}}`)
		id := c.real(c.concept("the_contact").LocalID, false)
		for _, typ := range []string{"tags", "address"} {
			local := c.concept(typ).LocalID
			for _, to := range []graph.ID{local, c.real(local, false)} {
				again := s.removeField(id, typ)
				again.Connections = []graph.ConnectionDraft{{From: id, To: to, Type: id}}
				s.wantRefused(typ+" in place of its connection", again)
				s.wantRefused(typ+" in addition", graph.Batch{Sender: by7, Connections: again.Connections})
			}
		}
		s.mustWrite(s.removeField(id, "address"))
		undo := graph.Batch{Sender: by7, Connections: []graph.ConnectionDraft{{From: id, To: c.real(c.concept("address").LocalID, false), Type: id}}}
		s.wantRefused("address after its removal", undo)
		other := s.mustWrite(s.contact(`{"name": "Bo"}`))
		undo.Connections[0].From, undo.Connections[0].Type = other, other
		s.wantRefused("the address of another record, whose parts are not those of this one", undo, "address.city required")
	})
}

// A nested record that occurs twice in each level of the next one has a number of values that grows exponentially with the levels.
func TestRefusesANewRecordWithTooManyValues(t *testing.T) {
	s := newStore(t, memory.New(), schemas.Options{})
	b := s.contact(`{"name": "Ann"}`)
	main := b.Concepts[0].LocalID
	const levels = 60
	for i := range levels {
		for _, side := range []graph.ID{0, 1} {
			id, from := graph.ID(-100-2*i)-side, main
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: "part" + string('a'+rune(side))})
			if i == 0 {
				b.Connections = append(b.Connections, graph.ConnectionDraft{From: from, To: id, Type: main})
				continue
			}
			for _, above := range []graph.ID{0, 1} {
				b.Connections = append(b.Connections, graph.ConnectionDraft{From: graph.ID(-100-2*(i-1)) - above, To: id, Type: main})
			}
		}
	}
	if _, err := s.Write(t.Context(), b); graph.KindOf(err) != graph.TooLarge {
		t.Error("the error is", err)
	}
}
