package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A meadowStore is a store with bees that visit flowers. Tests refer to its concepts by name.
type meadowStore struct {
	Whole
	selector graph.Selector
	names    map[graph.ID]string
}

// writeMeadow writes these connections: Maja visits the rose and the poppy, Willi the rose and the daisy; Flip likes Willi,
// and Maja and Willi like each other. The composition Maja holds red and a hive of wax; Willi holds the same red.
func writeMeadow(t *testing.T, s graph.Store) meadowStore {
	t.Helper()
	w := meadowStore{selector: selectorOf(t, s), names: map[graph.ID]string{}}
	written := write(t, s, graph.Batch{
		Sender: graph.Sender{User: alice.User, Session: "meadow"},
		Concepts: []graph.ConceptDraft{
			{LocalID: -1, TypeName: "the_flower", Value: "rose", Created: noon},
			value(-2, "the_flower", "poppy"),
			{LocalID: -3, TypeName: "the_flower", Value: "daisy", Owner: bob.User, Access: graph.Public, Created: noon.Add(time.Hour)},
			composition(-4, "the_bee"), composition(-5, "the_bee"), composition(-6, "the_bee"),
			value(-7, "the_colour", "red"), composition(-8, "the_home"), value(-9, "the_stuff", "wax"),
			{LocalID: -10, Kind: graph.DraftPrototype, TypeName: "the_bee", Value: "the_bee"},
		},
		Connections: []graph.ConnectionDraft{
			link(-4, "the_bee_s_flower", -1), link(-4, "the_bee_s_flower", -2), link(-5, "the_bee_s_flower", -1), link(-5, "the_bee_s_flower", -3),
			link(-6, "the_bee_friend", -5), link(-4, "the_bee_friend", -5), link(-5, "the_bee_friend", -4),
			internal(-4, -4, -7), internal(-4, -4, -8), internal(-8, -4, -9), internal(-5, -5, -7), internal(-1, -2, -9),
		},
	})
	for i, name := range []string{"rose", "poppy", "daisy", "maja", "willi", "flip", "red", "hive", "wax", "pattern"} {
		w.names[written.Concepts[i].ID] = name
	}
	var err error
	if w.Whole, err = wholeOf(t.Context(), s); err != nil {
		t.Fatalf("reading everything: %v", err)
	}
	for id, c := range w.Concepts {
		if c.IsType() {
			w.names[id] = c.Value
		}
	}
	return w
}

func (w meadowStore) id(name string) graph.ID {
	for id, n := range w.names {
		if n == name {
			return id
		}
	}
	panic(fmt.Sprintf("no concept has the name %q", name))
}

func (w meadowStore) ids(names ...string) []graph.ID {
	ids := make([]graph.ID, len(names))
	for i, name := range names {
		ids[i] = w.id(name)
	}
	return ids
}

func (w meadowStore) selectIDs(t *testing.T, s graph.Selection) []graph.ID {
	t.Helper()
	return read[[]graph.ID](t)(w.selector.Select(t.Context(), s))
}

// want compares a set with the concepts of these names.
func (w meadowStore) want(t *testing.T, what string, set graph.Set, names ...string) {
	t.Helper()
	w.wantIDs(t, what, set, slices.Sorted(slices.Values(w.ids(names...)))...)
}

func (w meadowStore) wantIDs(t *testing.T, what string, set graph.Set, expected ...graph.ID) {
	t.Helper()
	want(t, what, w.selectIDs(t, graph.Selection{Set: set}), expected)
	want(t, what+", checked", w.selectIDs(t, graph.Selection{Set: graph.Intersection{graph.Instances{}, set}}), expected)
}

// wantDeep is like want, for links up to a depth. A store may not support a depth above 1.
func (w meadowStore) wantDeep(t *testing.T, walk graph.Linked, names ...string) {
	t.Helper()
	if _, err := w.selector.Select(t.Context(), graph.Selection{Set: walk}); errors.Is(err, errors.ErrUnsupported) && walk.Depth > 1 {
		return
	}
	w.want(t, fmt.Sprintf("%+v", walk), walk, names...)
}

// compare compares a set with a search through all concepts.
func (w meadowStore) compare(t *testing.T, set graph.Set) {
	t.Helper()
	selection := graph.Selection{Set: set}
	want(t, fmt.Sprintf("%+v", set), w.selectIDs(t, selection), w.Select(selection))
}

// writeHub writes a hub and connects n numbers to it, from 0, all with one type of connection.
func (w meadowStore) writeHub(t *testing.T, s graph.Store, n int) (hub graph.ID, numbers, types []graph.ID) {
	t.Helper()
	b := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-1, "the_hub")}}
	for i := range n {
		localID := graph.ID(-2 - i)
		b.Concepts = append(b.Concepts, value(localID, "the_number", fmt.Sprint(i)))
		b.Connections = append(b.Connections, link(localID, "the_number_s_hub", -1))
	}
	written := write(t, s, b)
	for _, c := range written.Concepts {
		w.Concepts[c.ID] = c
	}
	numbers = slices.Sorted(slices.Values(idsOf(written.Concepts[1:])))
	return written.Concepts[0].ID, numbers, []graph.ID{written.Connections[0].Type}
}
