package storetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
)

// Few names, texts and ghosts, so that they meet.
var (
	someNames   = []string{"the_person", "the_person_name", "name", "the_name", "the_connection"}
	someTexts   = []string{"", "Ann", "Ben", "the_name", "name"}
	someSenders = []graph.Sender{alice, bob, {User: graph.Anonymous, Session: "s"}}
)

// random writes the same batches here and in memory, where everything is obvious, and compares what
// both say after each.
func random(t *testing.T, open func(t *testing.T) graph.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &pair{store: open(t), model: memory.New(), ids: map[graph.ID]graph.ID{}}
		for _, c := range graph.Fixed() {
			p.meet(c.ID, c.ID)
		}
		p.reserve(rt)
		for range rapid.IntRange(1, 12).Draw(rt, "batches") {
			p.write(rt, drawBatch(rt, len(p.concepts), len(p.connections)))
			p.compare(rt)
		}
		if err := p.store.Check(t.Context()); err != nil {
			rt.Errorf("the store's own check: %v", err)
		}
	})
}

// A pair is a store and its model, and which id of one is which id of the other.
type pair struct {
	store, model graph.Store
	ids          map[graph.ID]graph.ID // of the store, to the model's
	// Ids of the model, as the receipts gave them.
	concepts, connections []graph.ID
	reserved              []graph.ID // a few for each of someSenders, in the model
}

const (
	reservedEach   = 3
	reservedPlaces = 2 * graph.FirstFree
)

func (p *pair) reserve(t *rapid.T) {
	for _, by := range someSenders {
		expected, wantErr := p.model.Reserve(t.Context(), by.User, reservedEach)
		got, err := p.store.Reserve(t.Context(), by.User, reservedEach)
		if err != nil || wantErr != nil || len(got) != len(expected) {
			t.Fatalf("reserved %v (%v); want %v (%v)", got, err, expected, wantErr)
		}
		for i, id := range expected {
			p.meet(got[i], id)
		}
		p.reserved = append(p.reserved, expected...)
	}
}

// drawBatch draws a batch that names known records by their place in the receipts, from graph.FirstFree up,
// and reserved ids by theirs, from reservedPlaces up.
func drawBatch(t *rapid.T, concepts, connections int) graph.Batch {
	ghost := func(what string) graph.ID { return graph.ID(-rapid.IntRange(0, 9).Draw(t, what)) }
	sender := rapid.IntRange(0, len(someSenders)-1).Draw(t, "sender")
	some := func(what string) graph.ID { // nearly always the sender's own
		first := reservedEach * sender
		if rapid.IntRange(0, 19).Draw(t, what+" of another") == 0 {
			first = 0
		}
		return reservedPlaces + graph.ID(first+rapid.IntRange(0, reservedEach-1).Draw(t, what))
	}
	name := func() (ghosted, reserved graph.ID) {
		if rapid.IntRange(0, 3).Draw(t, "reserved") == 0 {
			return 0, some("id")
		}
		return ghost("ghost"), 0
	}
	place := func(what string, n int) graph.ID {
		if rapid.IntRange(0, 4).Draw(t, what+" by reserved id") == 0 {
			return some(what)
		}
		if n == 0 || rapid.Bool().Draw(t, what+" by ghost") {
			return min(ghost(what), -1)
		}
		return graph.FirstFree + graph.ID(rapid.IntRange(0, n-1).Draw(t, what))
	}
	b := graph.Batch{Sender: someSenders[sender]}
	for range rapid.IntRange(0, 5).Draw(t, "concepts") {
		d := graph.ConceptDraft{
			Kind:     graph.DraftKind(rapid.IntRange(0, 3).Draw(t, "kind")),
			TypeName: rapid.SampledFrom(someNames).Draw(t, "type"),
			Access:   rapid.SampledFrom([]graph.Access{0, graph.Public, graph.Admin}).Draw(t, "access"), Created: noon,
		}
		if d.Kind == graph.DraftValue || d.Kind == graph.DraftPrototype {
			d.Value = rapid.SampledFrom(someTexts).Draw(t, "value")
		}
		b.Concepts = append(b.Concepts, d)
	}
	for range rapid.IntRange(0, 4).Draw(t, "connections") {
		d := graph.ConnectionDraft{From: place("from", concepts), To: place("to", concepts), Created: noon}
		d.Ghost, d.ID = name()
		if d.TypeName = rapid.SampledFrom(append(someNames, "")).Draw(t, "type name"); d.TypeName == "" || rapid.Bool().Draw(t, "type by id") {
			d.Type = place("type", concepts)
		}
		b.Connections = append(b.Connections, d)
	}
	if rapid.IntRange(0, 3).Draw(t, "removing") == 0 {
		b.RemoveConcepts = append(b.RemoveConcepts, place("removed concept", concepts))
		b.RemoveConnections = append(b.RemoveConnections, place("removed connection", connections))
	}
	return b
}

func (p *pair) write(t *rapid.T, b graph.Batch) {
	modelled := named(b, p.reserved, p.concepts, p.connections)
	expected, wantErr := p.model.Write(t.Context(), modelled)
	got, err := p.store.Write(t.Context(), named(b, p.own(p.reserved), p.own(p.concepts), p.own(p.connections)))
	if graph.KindOf(err) != graph.KindOf(wantErr) {
		t.Fatalf("%+v: %q (%v); want %q (%v)", modelled, graph.KindOf(err), err, graph.KindOf(wantErr), wantErr)
	}
	if err != nil {
		return
	}
	if (got.Seq == 0) != (expected.Seq == 0) {
		t.Fatalf("%+v: change %d; want %d", modelled, got.Seq, expected.Seq)
	}
	for i, c := range expected.Concepts {
		p.meet(got.Concepts[i].ID, c.ID)
		p.concepts = append(p.concepts, c.ID)
	}
	for i, c := range expected.Connections {
		if c.ID != 0 {
			p.meet(got.Connections[i].ID, c.ID)
			p.connections = append(p.connections, c.ID)
		}
	}
	p.meetTypes(t)
	same(t, "the receipt's concepts", p.theirs(got.Concepts), expected.Concepts)
	same(t, "the receipt's connections", p.theirConnections(got.Connections), expected.Connections)
}

// named puts real ids where the draw put places.
func named(b graph.Batch, reserved, concepts, connections []graph.ID) graph.Batch {
	name := func(id graph.ID, of []graph.ID) graph.ID {
		switch {
		case id >= reservedPlaces:
			return reserved[id-reservedPlaces]
		case id >= graph.FirstFree:
			return of[id-graph.FirstFree]
		default:
			return id
		}
	}
	b.Concepts = slices.Clone(b.Concepts)
	for i := range b.Concepts {
		b.Concepts[i].ID = name(b.Concepts[i].ID, nil)
	}
	b.Connections = slices.Clone(b.Connections)
	for i, d := range b.Connections {
		d.ID, d.From, d.To, d.Type = name(d.ID, nil), name(d.From, concepts), name(d.To, concepts), name(d.Type, concepts)
		b.Connections[i] = d
	}
	b.RemoveConcepts, b.RemoveConnections = slices.Clone(b.RemoveConcepts), slices.Clone(b.RemoveConnections)
	for i, id := range b.RemoveConcepts {
		b.RemoveConcepts[i] = name(id, concepts)
	}
	for i, id := range b.RemoveConnections {
		b.RemoveConnections[i] = name(id, connections)
	}
	return b
}

// compare asks both the same questions about everything there is.
func (p *pair) compare(t *rapid.T) {
	ctx := t.Context()
	all := append(once(p.concepts), graph.The, graph.Word)
	expected, _ := p.model.Concepts(ctx, all)
	got, err := p.store.Concepts(ctx, p.own(all))
	same(t, "Concepts", p.theirs(got), expected)

	for _, links := range []graph.Links{
		{Of: all},
		{Of: all, Direction: graph.In},
		{Of: all, Page: graph.Page{Descending: true, Skip: 1, Limit: 2}},
		{Of: all, Types: all, Page: graph.Page{Limit: 2}},
		{Of: all, Types: all, Direction: graph.In, Page: graph.Page{Descending: true, Limit: 1}},
	} {
		own := links
		own.Of, own.Types = p.own(links.Of), p.own(links.Types)
		if links.Types == nil {
			own.Types = nil
		}
		expected, _ := p.model.Links(ctx, links)
		got, e := p.store.Links(ctx, own)
		same(t, "Links", p.theirConnections(got), expected)
		expectedCounts, _ := p.model.CountLinks(ctx, links)
		counts, f := p.store.CountLinks(ctx, own)
		for i := range counts {
			counts[i].Of, counts[i].Type = p.ids[counts[i].Of], p.ids[counts[i].Type]
		}
		same(t, "CountLinks", inOrder(counts), inOrder(expectedCounts))
		err = errors.Join(err, e, f)
	}
	for _, text := range someTexts {
		expected, _ := p.model.ConceptsByValue(ctx, []graph.ValueKey{{Value: text}})
		got, e := p.store.ConceptsByValue(ctx, []graph.ValueKey{{Value: text}})
		same(t, "ConceptsByValue", sorted(p.theirIDs(idsOf(got))), idsOf(expected))
		err = errors.Join(err, e)
	}
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	p.compareGhosts(t)
	p.compareChanges(t)
}

func (p *pair) compareGhosts(t *rapid.T) {
	asked := []graph.ID{-1, -2, -3, -4, -5, -6, -7, -8, -9}
	for _, by := range someSenders {
		expected, _ := p.model.Ghosts(t.Context(), by, append(slices.Clone(asked), p.reserved...))
		got, err := p.store.Ghosts(t.Context(), by, append(slices.Clone(asked), p.own(p.reserved)...))
		if err != nil {
			t.Fatalf("reading ghosts: %v", err)
		}
		theirs := map[graph.ID]graph.ID{}
		for ghost, id := range got {
			if ghost > 0 {
				ghost = p.ids[ghost]
			}
			theirs[ghost] = p.ids[id]
		}
		same(t, "Ghosts", theirs, expected)
	}
}

func (p *pair) compareChanges(t *rapid.T) {
	expected, _ := p.model.Changes(t.Context(), 0, 0)
	got, err := p.store.Changes(t.Context(), 0, 0)
	if err != nil || len(got) != len(expected) {
		t.Fatalf("%d changes (%v); want %d", len(got), err, len(expected))
	}
	for i, c := range got {
		want := expected[i]
		same(t, "numbers", c.Seq, want.Seq)
		same(t, "touched concepts", sorted(p.theirIDs(c.Concepts)), sorted(want.Concepts))
		same(t, "touched connections", sorted(p.theirIDs(c.Connections)), sorted(want.Connections))
		same(t, "touched types", sorted(p.theirIDs(c.Types)), sorted(want.Types))
	}
}

// meetTypes learns the types that no receipt names: the links of their chains.
func (p *pair) meetTypes(t *rapid.T) {
	for _, name := range someNames {
		for _, link := range graph.TypeChain(name) {
			key := []graph.ValueKey{{Value: link}}
			got, _ := p.store.ConceptsByValue(t.Context(), key)
			expected, _ := p.model.ConceptsByValue(t.Context(), key)
			got, expected = onlyTypes(got), onlyTypes(expected)
			if len(got) != len(expected) {
				t.Fatalf("%d types %q; want %d", len(got), link, len(expected))
			}
			for i := range got {
				p.meet(got[i].ID, expected[i].ID)
			}
		}
	}
}

func onlyTypes(concepts []graph.Concept) []graph.Concept {
	return slices.DeleteFunc(concepts, func(c graph.Concept) bool { return !c.IsType() })
}

func (p *pair) meet(own, model graph.ID) { p.ids[own] = model }

func (p *pair) own(model []graph.ID) []graph.ID {
	back := make(map[graph.ID]graph.ID, len(p.ids))
	for own, id := range p.ids {
		back[id] = own
	}
	ids := make([]graph.ID, len(model))
	for i, id := range model {
		ids[i] = back[id]
	}
	return ids
}

func (p *pair) theirIDs(own []graph.ID) []graph.ID {
	ids := make([]graph.ID, len(own))
	for i, id := range own {
		ids[i] = p.ids[id]
	}
	return ids
}

// theirs are the concepts as the model numbers them.
func (p *pair) theirs(concepts []graph.Concept) []graph.Concept {
	concepts = slices.Clone(concepts)
	for i := range concepts {
		c := &concepts[i]
		c.ID, c.Type, c.Category = p.ids[c.ID], p.ids[c.Type], p.ids[c.Category]
	}
	return concepts
}

func (p *pair) theirConnections(connections []graph.Connection) []graph.Connection {
	connections = slices.Clone(connections)
	for i := range connections {
		c := &connections[i]
		c.ID, c.From, c.To, c.Type = p.ids[c.ID], p.ids[c.From], p.ids[c.To], p.ids[c.Type]
	}
	return connections
}

func same[T any](t *rapid.T, what string, got, want T) {
	ignoreTime := cmpopts.IgnoreFields(graph.Concept{}, "Created")
	if diff := cmp.Diff(want, got, ignoreTime, cmpopts.IgnoreFields(graph.Connection{}, "Created"), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func inOrder(counts []graph.LinkCount) []graph.LinkCount {
	slices.SortFunc(counts, func(a, b graph.LinkCount) int { return int((a.Of-b.Of)<<20 + a.Type - b.Type) })
	return counts
}
