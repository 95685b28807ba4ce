package storetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
)

// There are few names, values and local ids, so that drafts often refer to the same records.
var (
	someNames   = []string{"the_person", "the_person_name", "name", "the_name", "the_connection"}
	someTexts   = []string{"", "Ann", "Ben", "the_name", "name"}
	someSenders = []graph.Sender{alice, bob, {User: graph.Anonymous, Session: "s"}}
)

// compareRandomBatches writes the same batches to a store and to the memory store, which is the model, and compares all reads
// after each batch.
func compareRandomBatches(t *testing.T, open func(t *testing.T) graph.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &pair{store: open(t), model: memory.New(), ids: map[graph.ID]graph.ID{}}
		for _, c := range graph.Fixed() {
			p.mapID(c.ID, c.ID)
		}
		p.reserve(rt)
		for range rapid.IntRange(1, 12).Draw(rt, "batches") {
			p.write(rt, drawBatch(rt, len(p.concepts), len(p.connections)))
			p.compare(rt)
		}
		if err := p.store.Check(t.Context()); err != nil {
			rt.Errorf("Check: %v", err)
		}
		release(rt, p.store)
	})
}

// release closes a store before the test ends, so that many random tests do not hold files and connections. When the test ends, its
// open function closes the store again, which has no effect.
func release(t *rapid.T, s graph.Store) {
	if err := s.Close(); err != nil {
		t.Errorf("closing the store: %v", err)
	}
}

// A pair is a store, its model, and the mapping between their ids.
type pair struct {
	store, model graph.Store
	ids          map[graph.ID]graph.ID // from ids of the store to ids of the model
	// Ids of the model, in the order of the receipts.
	concepts, connections []graph.ID
	reserved              []graph.ID // reserved ids of the model: reservedEach ids for each of someSenders
}

const (
	reservedEach   = 8
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
			p.mapID(got[i], id)
		}
		p.reserved = append(p.reserved, expected...)
	}
}

// localIDCount is the number of local ids that a sender uses. It is small enough that some ids are sent again, and large
// enough that few batches are refused because a local id was sent before with another meaning.
const localIDCount = 60

// A batchDrawer draws a batch for one sender. Known records and reserved ids are drawn as places: graph.FirstFree+i means
// the i-th record of the receipts, and reservedPlaces+i the i-th reserved id.
type batchDrawer struct {
	*rapid.T
	sender                int        // index in someSenders
	concepts, connections int        // number of known records
	drafted               []graph.ID // local and reserved ids of the concepts drafted so far
}

func drawBatch(t *rapid.T, concepts, connections int) graph.Batch {
	d := &batchDrawer{
		T: t, sender: rapid.IntRange(0, len(someSenders)-1).Draw(t, "sender"), concepts: concepts, connections: connections,
	}
	b := graph.Batch{Sender: someSenders[d.sender]}
	for range rapid.IntRange(0, 5).Draw(t, "concepts") {
		b.Concepts = append(b.Concepts, d.concept())
	}
	for range rapid.IntRange(0, 4).Draw(t, "connections") {
		b.Connections = append(b.Connections, d.connection())
	}
	if d.concepts > 0 && d.oneIn(4, "removing a concept") {
		b.RemoveConcepts = append(b.RemoveConcepts, d.place("removed concept"))
	}
	if d.connections > 0 && d.oneIn(4, "removing a connection") {
		b.RemoveConnections = append(b.RemoveConnections, d.placeOf("removed connection", d.connections))
	}
	return b
}

func (d *batchDrawer) concept() graph.ConceptDraft {
	c := graph.ConceptDraft{
		Kind:     graph.DraftKind(rapid.IntRange(0, 3).Draw(d.T, "kind")),
		TypeName: rapid.SampledFrom(someNames).Draw(d.T, "type"),
		Access:   rapid.SampledFrom([]graph.Access{0, graph.Public, graph.Admin}).Draw(d.T, "access"), Created: noon,
	}
	if d.oneIn(4, "position") {
		c.Position = graph.Position{X: rapid.Float64().Draw(d.T, "x"), Y: rapid.Float64().Draw(d.T, "y")}
	}
	if c.Kind == graph.DraftValue || c.Kind == graph.DraftPrototype {
		c.Value = rapid.SampledFrom(someTexts).Draw(d.T, "value")
	}
	if c.LocalID, c.ID = d.name(); c.SentID() != 0 {
		d.drafted = append(d.drafted, c.SentID())
	}
	return c
}

func (d *batchDrawer) connection() graph.ConnectionDraft {
	c := graph.ConnectionDraft{From: d.place("from"), To: d.place("to"), Created: noon}
	c.LocalID, c.ID = d.name()
	if c.TypeName = rapid.SampledFrom(append(someNames, "")).Draw(d.T, "type name"); c.TypeName == "" || d.oneIn(3, "type by id") {
		c.Type = d.place("type")
	}
	return c
}

// name draws a local id, which may be 0, or a reserved id.
func (d *batchDrawer) name() (local, reserved graph.ID) {
	if d.oneIn(8, "reserved") {
		return 0, d.reservedID("id")
	}
	return -graph.ID(rapid.IntRange(0, localIDCount).Draw(d.T, "local id")), 0
}

// reservedID draws the place of a reserved id, nearly always of the sender's user.
func (d *batchDrawer) reservedID(what string) graph.ID {
	first := reservedEach * d.sender
	if d.oneIn(20, what+" of another user") {
		first = 0
	}
	return reservedPlaces + graph.ID(first+rapid.IntRange(0, reservedEach-1).Draw(d.T, what))
}

// place draws a concept: usually a draft of the same batch or a known concept.
func (d *batchDrawer) place(what string) graph.ID {
	if len(d.drafted) > 0 && rapid.Bool().Draw(d.T, what+" in the batch") {
		return rapid.SampledFrom(d.drafted).Draw(d.T, what)
	}
	return d.placeOf(what, d.concepts)
}

// placeOf draws one of n known records, or a fixed concept if n is 0. Rarely, it draws any local or reserved id instead.
func (d *batchDrawer) placeOf(what string, n int) graph.ID {
	switch {
	case d.oneIn(12, what+" by reserved id"):
		return d.reservedID(what)
	case d.oneIn(12, what+" by local id"):
		return -graph.ID(rapid.IntRange(1, localIDCount).Draw(d.T, what))
	case n == 0:
		return rapid.SampledFrom([]graph.ID{graph.The, graph.Word, graph.Root}).Draw(d.T, what)
	}
	return graph.FirstFree + graph.ID(rapid.IntRange(0, n-1).Draw(d.T, what))
}

func (d *batchDrawer) oneIn(n int, what string) bool {
	return rapid.IntRange(0, n-1).Draw(d.T, what) == n-1
}

func (p *pair) write(t *rapid.T, b graph.Batch) {
	modelBatch := withRealIDs(b, p.reserved, p.concepts, p.connections)
	expected, wantErr := p.model.Write(t.Context(), modelBatch)
	got, err := p.store.Write(t.Context(), withRealIDs(b, p.storeIDs(p.reserved), p.storeIDs(p.concepts), p.storeIDs(p.connections)))
	if graph.KindOf(err) != graph.KindOf(wantErr) {
		t.Fatalf("%+v: %q (%v); want %q (%v)", modelBatch, graph.KindOf(err), err, graph.KindOf(wantErr), wantErr)
	}
	if err != nil {
		return
	}
	if (got.Seq == 0) != (expected.Seq == 0) {
		t.Fatalf("%+v: change %d; want %d", modelBatch, got.Seq, expected.Seq)
	}
	for i, c := range expected.Concepts {
		p.mapID(got.Concepts[i].ID, c.ID)
		p.concepts = append(p.concepts, c.ID)
	}
	for i, c := range expected.Connections {
		if c.ID != 0 {
			p.mapID(got.Connections[i].ID, c.ID)
			p.connections = append(p.connections, c.ID)
		}
	}
	p.mapTypes(t)
	requireEqual(t, "the receipt's concepts", p.modelConcepts(got.Concepts), expected.Concepts)
	requireEqual(t, "the receipt's connections", p.modelConnections(got.Connections), expected.Connections)
}

// withRealIDs replaces the places of a draw with real ids.
func withRealIDs(b graph.Batch, reserved, concepts, connections []graph.ID) graph.Batch {
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

// compare compares all reads of the store and of the model.
func (p *pair) compare(t *rapid.T) {
	ctx := t.Context()
	all := append(distinct(p.concepts), graph.The, graph.Word)
	expected, _ := p.model.Concepts(ctx, all)
	got, err := p.store.Concepts(ctx, p.storeIDs(all))
	requireEqual(t, "Concepts", p.modelConcepts(got), expected)

	for _, links := range []graph.Links{
		{Of: all},
		{Of: all, Direction: graph.In},
		{Of: all, Page: graph.Page{Descending: true, Skip: 1, Limit: 2}},
		{Of: all, Types: all, Page: graph.Page{Limit: 2}},
		{Of: all, Types: all, Direction: graph.In, Page: graph.Page{Descending: true, Limit: 1}},
	} {
		storeLinks := links
		storeLinks.Of, storeLinks.Types = p.storeIDs(links.Of), p.storeIDs(links.Types)
		if links.Types == nil {
			storeLinks.Types = nil
		}
		expected, _ := p.model.Links(ctx, links)
		got, linksErr := p.store.Links(ctx, storeLinks)
		requireEqual(t, "Links", p.modelConnections(got), expected)
		expectedCounts, _ := p.model.CountLinks(ctx, links)
		counts, countsErr := p.store.CountLinks(ctx, storeLinks)
		for i := range counts {
			counts[i].Of, counts[i].Type = p.ids[counts[i].Of], p.ids[counts[i].Type]
		}
		requireEqual(t, "CountLinks", sortCounts(counts), sortCounts(expectedCounts))
		err = errors.Join(err, linksErr, countsErr)
	}
	for _, text := range someTexts {
		expected, _ := p.model.ConceptsByValue(ctx, []graph.ValueKey{{Value: text}})
		got, valueErr := p.store.ConceptsByValue(ctx, []graph.ValueKey{{Value: text}})
		requireEqual(t, "ConceptsByValue", sorted(p.modelIDs(idsOf(got))), idsOf(expected))
		err = errors.Join(err, valueErr)
	}
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	p.compareResolvedIDs(t)
	p.compareChanges(t)
}

func (p *pair) compareResolvedIDs(t *rapid.T) {
	var localIDs []graph.ID
	for i := range localIDCount {
		localIDs = append(localIDs, graph.ID(-1-i))
	}
	for _, by := range someSenders {
		expected, _ := p.model.ResolveIDs(t.Context(), by, append(slices.Clone(localIDs), p.reserved...))
		got, err := p.store.ResolveIDs(t.Context(), by, append(slices.Clone(localIDs), p.storeIDs(p.reserved)...))
		if err != nil {
			t.Fatalf("resolving local ids: %v", err)
		}
		resolved := map[graph.ID]graph.ID{}
		for localID, id := range got {
			if localID > 0 {
				localID = p.ids[localID]
			}
			resolved[localID] = p.ids[id]
		}
		requireEqual(t, "ResolveIDs", resolved, expected)
		p.compareResolvedConnections(t, by, localIDs)
	}
}

func (p *pair) compareResolvedConnections(t *rapid.T, by graph.Sender, localIDs []graph.ID) {
	expected, _ := p.model.ResolveConnections(t.Context(), by, localIDs)
	got, err := p.store.ResolveConnections(t.Context(), by, localIDs)
	if err != nil {
		t.Fatalf("resolving local ids of connections: %v", err)
	}
	for localID, id := range got {
		got[localID] = p.ids[id]
	}
	requireEqual(t, "ResolveConnections", got, expected)
}

func (p *pair) compareChanges(t *rapid.T) {
	expected, _ := p.model.Changes(t.Context(), 0, 0)
	got, err := p.store.Changes(t.Context(), 0, 0)
	if err != nil || len(got) != len(expected) {
		t.Fatalf("%d changes (%v); want %d", len(got), err, len(expected))
	}
	for i, c := range got {
		want := expected[i]
		requireEqual(t, "numbers", c.Seq, want.Seq)
		requireEqual(t, "touched concepts", sorted(p.modelIDs(c.Concepts)), sorted(want.Concepts))
		requireEqual(t, "touched connections", sorted(p.modelIDs(c.Connections)), sorted(want.Connections))
		requireEqual(t, "touched types", sorted(p.modelIDs(c.Types)), sorted(want.Types))
	}
}

// mapTypes maps the types that receipts do not list: the parts of type names.
func (p *pair) mapTypes(t *rapid.T) {
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
				p.mapID(got[i].ID, expected[i].ID)
			}
		}
	}
}

func onlyTypes(concepts []graph.Concept) []graph.Concept {
	return slices.DeleteFunc(concepts, func(c graph.Concept) bool { return !c.IsType() })
}

// mapID records that an id of the store and an id of the model belong to the same record.
func (p *pair) mapID(storeID, model graph.ID) { p.ids[storeID] = model }

// storeIDs converts ids of the model to ids of the store.
func (p *pair) storeIDs(model []graph.ID) []graph.ID {
	back := make(map[graph.ID]graph.ID, len(p.ids))
	for storeID, id := range p.ids {
		back[id] = storeID
	}
	ids := make([]graph.ID, len(model))
	for i, id := range model {
		ids[i] = back[id]
	}
	return ids
}

// modelIDs converts ids of the store to ids of the model.
func (p *pair) modelIDs(storeIDs []graph.ID) []graph.ID {
	ids := make([]graph.ID, len(storeIDs))
	for i, id := range storeIDs {
		ids[i] = p.ids[id]
	}
	return ids
}

// modelConcepts returns concepts with the ids of the model.
func (p *pair) modelConcepts(concepts []graph.Concept) []graph.Concept {
	concepts = slices.Clone(concepts)
	for i := range concepts {
		c := &concepts[i]
		c.ID, c.Type, c.Category = p.ids[c.ID], p.ids[c.Type], p.ids[c.Category]
	}
	return concepts
}

// modelConnections returns connections with the ids of the model.
func (p *pair) modelConnections(connections []graph.Connection) []graph.Connection {
	connections = slices.Clone(connections)
	for i := range connections {
		c := &connections[i]
		c.ID, c.From, c.To, c.Type = p.ids[c.ID], p.ids[c.From], p.ids[c.To], p.ids[c.Type]
	}
	return connections
}

func requireEqual[T any](t *rapid.T, what string, got, want T) {
	ignoreTime := cmpopts.IgnoreFields(graph.Concept{}, "Created")
	if diff := cmp.Diff(want, got, ignoreTime, cmpopts.IgnoreFields(graph.Connection{}, "Created"), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func sortCounts(counts []graph.LinkCount) []graph.LinkCount {
	slices.SortFunc(counts, func(a, b graph.LinkCount) int { return int((a.Of-b.Of)<<20 + a.Type - b.Type) })
	return counts
}
