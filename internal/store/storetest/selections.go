package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
)

// randomSelections writes and removes random records. It then compares random selections, lists and counts by several
// viewers with a search through all records.
func randomSelections(t *testing.T, open func(t *testing.T) graph.Store) {
	selectorOf(t, open(t))
	rapid.Check(t, func(rt *rapid.T) {
		d := &selectionTest{T: rt, store: open(t)}
		for range rapid.IntRange(1, 3).Draw(rt, "batches") {
			d.write()
			d.readWhole()
			d.compareSizes()
		}
		for range rapid.IntRange(1, 20).Draw(rt, "selections") {
			d.compare()
		}
		for range rapid.IntRange(1, 5).Draw(rt, "viewers") {
			d.compareVisible()
			d.compareKeys()
			d.comparePairs()
		}
		if err := d.store.Check(t.Context()); err != nil {
			rt.Errorf("Check: %v", err)
		}
		release(rt, d.store)
	})
}

// A selectionTest draws a graph, and selections from it.
type selectionTest struct {
	*rapid.T
	store       graph.Store
	whole       Whole
	ids         []graph.ID // ids of all concepts ever written, including removed ones
	lastLocalID graph.ID
}

var (
	graphNames  = []string{"the_a", "the_b", "the_a_s_b", "a"}
	graphOwners = []graph.ID{alice.User, bob.User, graph.Anonymous, graph.System}
	graphAccess = []graph.Access{graph.Private, graph.Public, graph.Admin}
	graphTimes  = []time.Time{noon, noon.Add(time.Millisecond), noon.Add(-time.Hour)}
	graphTexts  = append(slices.Clone(someValues), "x", "x", "y", "X", "1", "1.0", "2")
)

func pick[T any](d *selectionTest, what string, from []T) T { return draw(d.T, what, from) }

func (d *selectionTest) write() {
	b := graph.Batch{Sender: alice}
	for range rapid.IntRange(1, 8).Draw(d.T, "concepts") {
		d.lastLocalID--
		draft := graph.ConceptDraft{
			LocalID: d.lastLocalID, TypeName: pick(d, "type", graphNames), Owner: pick(d, "owner", graphOwners),
			Access: pick(d, "access", graphAccess), Created: pick(d, "created", graphTimes),
		}
		draft.Kind = pick(d, "kind", []graph.DraftKind{
			graph.DraftValue, graph.DraftValue, graph.DraftComposition, graph.DraftComposition, graph.DraftPrototype, graph.DraftType,
		})
		if draft.Kind == graph.DraftValue || draft.Kind == graph.DraftPrototype {
			draft.Value = pick(d, "value", graphTexts)
		}
		b.Concepts = append(b.Concepts, draft)
	}
	ends := slices.Clone(d.ids)
	for _, c := range b.Concepts {
		ends = append(ends, c.LocalID)
	}
	for range rapid.IntRange(0, 20).Draw(d.T, "connections") {
		draft := graph.ConnectionDraft{
			From: pick(d, "from", ends), To: pick(d, "to", ends), TypeName: pick(d, "type", graphNames),
			Owner: pick(d, "owner", graphOwners), Access: pick(d, "access", graphAccess),
		}
		if rapid.IntRange(0, 2).Draw(d.T, "inside") == 0 {
			draft.Type = pick(d, "composition", ends)
		}
		b.Connections = append(b.Connections, draft)
	}
	if len(d.ids) > 0 && rapid.Bool().Draw(d.T, "removing") {
		b.RemoveConcepts = []graph.ID{pick(d, "removed", d.ids)}
	}
	written, err := d.store.Write(d.Context(), b)
	if err != nil {
		return // an end was removed, or a type is in use
	}
	d.ids = append(d.ids, idsOf(written.Concepts)...)
}

func (d *selectionTest) readWhole() {
	var err error
	if d.whole, err = wholeOf(d.Context(), d.store); err != nil {
		d.Fatalf("reading everything: %v", err)
	}
}

func (d *selectionTest) compareSizes() {
	sizer, ok := d.store.(graph.Sizer)
	if !ok {
		return
	}
	types := d.whole.types()
	got, err := sizer.Sizes(d.Context(), types)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	if err != nil {
		d.Fatalf("sizes: %v", err)
	}
	requireEqual(d.T, "Sizes", got, d.whole.Sizes(types))
}

func (d *selectionTest) compare() {
	s := graph.Selection{
		Set: DrawSet(d.T, d.whole, d.ids), Viewer: pick(d, "viewer", []graph.ID{0, 0, alice.User, bob.User, graph.Anonymous, 4_242}),
		Page:      DrawPage(d.T, d.ids),
		Unordered: rapid.IntRange(0, 3).Draw(d.T, "unordered") == 0,
	}
	got, err := d.store.(graph.Selector).Select(d.Context(), s)
	switch {
	case errors.Is(err, errors.ErrUnsupported) && mayBeUnsupported(s.Set):
	case err != nil:
		d.Fatalf("%+v: %v", s, err)
	case s.Unordered:
		d.compareUnordered(s, got)
	default:
		requireEqual(d.T, "Select", got, d.whole.visibleTo(s.Viewer).Select(s))
	}
}

// compareUnordered checks the result of an unordered selection: distinct members, as many as the limit allows.
func (d *selectionTest) compareUnordered(s graph.Selection, got []graph.ID) {
	limit := s.Page.Limit
	s.Page = graph.Page{}
	all := d.whole.visibleTo(s.Viewer).Select(s)
	n := len(all)
	if limit > 0 {
		n = min(limit, n)
	}
	hasOthers := slices.ContainsFunc(got, func(id graph.ID) bool { return !slices.Contains(all, id) })
	if len(got) != n || unique(got) != n || hasOthers {
		d.Fatalf("an unordered selection = %v; want %d different ones of all members %v", got, n, all)
	}
}
