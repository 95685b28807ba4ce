package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A meadowed is a store with bees that visit flowers, and what each concept is called.
type meadowed struct {
	Whole
	selector graph.Selector
	names    map[graph.ID]string
}

// meadow has Maja visit the rose and the poppy, Willi the rose and the daisy; Flip likes Willi, and Maja and Willi like
// each other. Maja holds something red and a hive of wax, and Willi the same red.
func meadow(t *testing.T, s graph.Store) meadowed {
	t.Helper()
	w := meadowed{selector: selectorOf(t, s), names: map[graph.ID]string{}}
	made := write(t, s, graph.Batch{
		Sender: graph.Sender{User: alice.User, Session: "meadow"},
		Concepts: []graph.ConceptDraft{
			{Ghost: -1, TypeName: "the_flower", Value: "rose", Created: noon},
			value(-2, "the_flower", "poppy"),
			{Ghost: -3, TypeName: "the_flower", Value: "daisy", Owner: bob.User, Access: graph.Public, Created: noon.Add(time.Hour)},
			composition(-4, "the_bee"), composition(-5, "the_bee"), composition(-6, "the_bee"),
			value(-7, "the_colour", "red"), composition(-8, "the_home"), value(-9, "the_stuff", "wax"),
			{Ghost: -10, Kind: graph.DraftPrototype, TypeName: "the_bee", Value: "the_bee"},
		},
		Connections: []graph.ConnectionDraft{
			link(-4, "the_bee_s_flower", -1), link(-4, "the_bee_s_flower", -2), link(-5, "the_bee_s_flower", -1), link(-5, "the_bee_s_flower", -3),
			link(-6, "the_bee_friend", -5), link(-4, "the_bee_friend", -5), link(-5, "the_bee_friend", -4),
			internal(-4, -4, -7), internal(-4, -4, -8), internal(-8, -4, -9), internal(-5, -5, -7), internal(-1, -2, -9),
		},
	})
	for i, name := range []string{"rose", "poppy", "daisy", "maja", "willi", "flip", "red", "hive", "wax", "pattern"} {
		w.names[made.Concepts[i].ID] = name
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

func (w meadowed) id(name string) graph.ID {
	for id, called := range w.names {
		if called == name {
			return id
		}
	}
	panic(fmt.Sprintf("nothing is called %q", name))
}

func (w meadowed) ids(names ...string) []graph.ID {
	ids := make([]graph.ID, len(names))
	for i, name := range names {
		ids[i] = w.id(name)
	}
	return ids
}

func (w meadowed) pick(t *testing.T, s graph.Selection) []graph.ID {
	t.Helper()
	return read[[]graph.ID](t)(w.selector.Select(t.Context(), s))
}

// want compares a set with the concepts of these names.
func (w meadowed) want(t *testing.T, what string, set graph.Set, names ...string) {
	t.Helper()
	w.wantIDs(t, what, set, slices.Sorted(slices.Values(w.ids(names...)))...)
}

func (w meadowed) wantIDs(t *testing.T, what string, set graph.Set, expected ...graph.ID) {
	t.Helper()
	want(t, what, w.pick(t, graph.Selection{Set: set}), expected)
	want(t, what+", checked", w.pick(t, graph.Selection{Set: graph.Both{graph.Instances{}, set}}), expected)
}

// wantDeep is want for a walk, which a store need not select.
func (w meadowed) wantDeep(t *testing.T, walk graph.Linked, names ...string) {
	t.Helper()
	if _, err := w.selector.Select(t.Context(), graph.Selection{Set: walk}); errors.Is(err, errors.ErrUnsupported) && walk.Depth > 1 {
		return
	}
	w.want(t, fmt.Sprintf("%+v", walk), walk, names...)
}

// compare compares a set with the obvious answer.
func (w meadowed) compare(t *testing.T, set graph.Set) {
	t.Helper()
	selection := graph.Selection{Set: set}
	want(t, fmt.Sprintf("%+v", set), w.pick(t, selection), w.Select(selection))
}

// spread makes a hub that as many numbers are connected to, from 0, with one type of connection.
func (w meadowed) spread(t *testing.T, s graph.Store, n int) (hub graph.ID, numbers, types []graph.ID) {
	t.Helper()
	b := graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-1, "the_hub")}}
	for i := range n {
		ghost := graph.ID(-2 - i)
		b.Concepts = append(b.Concepts, value(ghost, "the_number", fmt.Sprint(i)))
		b.Connections = append(b.Connections, link(ghost, "the_number_s_hub", -1))
	}
	made := write(t, s, b)
	for _, c := range made.Concepts {
		w.Concepts[c.ID] = c
	}
	numbers = slices.Sorted(slices.Values(idsOf(made.Concepts[1:])))
	return made.Concepts[0].ID, numbers, []graph.ID{made.Connections[0].Type}
}
