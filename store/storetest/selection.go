package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

// selection is what a graph.Selector promises. A store that is none passes.
var selection = []promise{
	{"a selection is of ids in order, each once", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		same := graph.Instances{Type: w.id("the_flower")}
		w.want(t, "by two ways", graph.Either{same, graph.Linked{Types: w.ids("the_bee_s_flower"), Direction: graph.In}}, "rose", "poppy", "daisy")
		w.want(t, "over many connections", graph.Linked{Types: w.ids("the_bee_s_flower"), Far: same}, "maja", "willi")
	}},
	{"a page is cut from a selection", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		all := w.ids("rose", "poppy", "daisy", "maja", "willi")
		for _, set := range []graph.Set{
			graph.Instances{},
			graph.Instances{Type: w.id("the_flower"), Where: &graph.Predicate{Op: graph.NotEqual, Text: "rose"}},
			graph.These(all),
			graph.Linked{Types: w.ids("the_bee_s_flower"), Direction: graph.In},
			graph.Either{graph.These(all[2:]), graph.These(all[:3])},
			graph.Both{graph.Either{graph.These(all)}, graph.Except{Of: graph.These(all[1:2])}},
		} {
			found := w.pick(t, graph.Selection{Set: set})
			for _, page := range pages(all) {
				want(t, fmt.Sprintf("%+v %+v", set, page), w.pick(t, graph.Selection{Set: set, Page: page}), cut(found, page))
			}
		}
	}},
	{"of an unordered selection only the limit counts", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		set := graph.Either{graph.Instances{Type: w.id("the_flower")}, graph.These(w.ids("rose", "maja"))}
		for limit, n := range map[int]int{0: 4, 1: 1, 3: 3, 4: 4, 9: 4} {
			page := graph.Page{Descending: true, After: w.id("rose"), Skip: 2, Limit: limit}
			got := w.pick(t, graph.Selection{Set: set, Page: page, Unordered: true})
			others := slices.DeleteFunc(slices.Clone(got), func(id graph.ID) bool {
				return slices.Contains(w.ids("rose", "poppy", "daisy", "maja"), id)
			})
			if len(got) != n || unique(got) != n || len(others) > 0 {
				t.Errorf("at most %d of four are %v", limit, got)
			}
		}
	}},
	{"these are those that exist", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		rose, the := w.id("rose"), graph.The
		w.wantIDs(t, "one twice, unknown ones, a fixed one", graph.These{rose, 0, the, -1, 77, graph.MaxID, rose}, the, rose)
		w.wantIDs(t, "none", graph.These{})
		w.wantIDs(t, "none of nil", graph.These(nil))
	}},
	{"types and prototypes are no instances, but concepts", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		w.want(t, "of a type", graph.Instances{Type: w.id("the_flower")}, "rose", "poppy", "daisy")
		w.wantIDs(t, "of a word", graph.Instances{Type: graph.Word})
		w.wantIDs(t, "of no type", graph.Instances{Type: 77})
		is := func(text string) *graph.Predicate { return &graph.Predicate{Op: graph.Equal, Text: text} }
		w.want(t, "of any type", graph.Instances{Where: is("the_bee")}, "the_bee", "pattern")
		w.want(t, "rose", graph.Instances{Where: is("ROSE")}, "rose")
	}},
	{"a predicate is that of package graph", predicates},
	{"a predicate on another field is that of package graph", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		for field, numbers := range map[graph.Field][]int64{
			graph.FieldID:      {0, int64(w.id("rose")), int64(w.id("maja")), int64(graph.MaxID)},
			graph.FieldType:    {0, int64(w.id("the_flower")), int64(w.id("flower"))},
			graph.FieldOwner:   {-1, int64(alice.User), int64(bob.User), int64(graph.Anonymous)},
			graph.FieldCreated: {0, noon.UnixMilli(), noon.UnixMilli() - 1, noon.Add(time.Hour).UnixMilli(), -1 << 62, 1 << 62},
		} {
			for _, number := range numbers {
				for _, op := range ops {
					p := graph.Predicate{Field: field, Op: op, Number: number}
					w.compare(t, graph.Instances{Where: &p})
					w.compare(t, graph.Instances{Type: w.id("the_flower"), Where: &p})
				}
			}
		}
	}},
	{"connections are looked along in their direction and of their types", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		visits, likes := w.id("the_bee_s_flower"), w.id("the_bee_friend")
		rose, flowers := graph.These{w.id("rose")}, graph.Instances{Type: w.id("the_flower")}
		linked := func(d graph.Direction, far graph.Set, types ...graph.ID) graph.Linked {
			return graph.Linked{Types: types, Direction: d, Far: far}
		}
		w.want(t, "out", linked(graph.Out, rose, visits), "maja", "willi")
		w.want(t, "in", linked(graph.In, graph.These{w.id("maja")}, visits), "rose", "poppy")
		w.want(t, "to any", linked(graph.Out, nil, visits), "maja", "willi")
		w.want(t, "from any", linked(graph.In, nil, visits), "rose", "poppy", "daisy")
		w.want(t, "of two types", linked(graph.Out, graph.Either{rose, graph.These{w.id("willi")}}, likes, visits), "maja", "willi", "flip")
		w.want(t, "of two types, one unknown", linked(graph.Out, rose, 77, visits), "maja", "willi")
		w.wantIDs(t, "of no types", linked(graph.Out, rose))
		w.wantIDs(t, "of another type", linked(graph.Out, rose, likes))
		w.wantIDs(t, "type 0", linked(graph.Out, rose, 0))
		w.wantIDs(t, "to nothing", linked(graph.Out, graph.These{}, visits))
		w.want(t, "two steps", linked(graph.Out, linked(graph.Out, flowers, visits), likes), "maja", "willi", "flip")
		w.want(t, "there and back", linked(graph.In, linked(graph.Out, rose, visits), visits), "rose", "poppy", "daisy")
	}},
	{"a walk is as deep as it may be, and ends where it goes in circles", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		likes := w.ids("the_bee_friend") // flip → willi ⇄ maja
		for depth, out := range [][]string{{"maja", "flip"}, {"maja", "flip"}, {"maja", "willi", "flip"}, {"maja", "willi", "flip"}} {
			w.wantDeep(t, graph.Linked{Types: likes, Far: graph.These{w.id("willi")}, Depth: depth}, out...)
		}
		for depth, in := range [][]string{{"willi"}, {"willi"}, {"maja", "willi"}, {"maja", "willi"}, {"maja", "willi"}} {
			w.wantDeep(t, graph.Linked{Types: likes, Direction: graph.In, Far: graph.These{w.id("flip")}, Depth: depth}, in...)
		}
		visits := w.id("the_bee_s_flower")
		w.wantDeep(t, graph.Linked{Types: append(likes, visits), Far: graph.These{w.id("daisy")}, Depth: 2}, "maja", "willi", "flip")
		w.wantDeep(t, graph.Linked{Types: likes, Far: graph.These{}, Depth: 3})
		w.wantDeep(t, graph.Linked{Types: likes, Depth: 3}, "maja", "willi", "flip")
	}},
	{"what holds something is a composition", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		w.want(t, "a value of two", graph.Holders{Of: graph.These{w.id("red")}}, "maja", "willi")
		w.want(t, "deep inside", graph.Holders{Of: graph.These{w.id("wax")}}, "maja")
		w.want(t, "a record inside", graph.Holders{Of: graph.These{w.id("hive")}}, "maja")
		w.want(t, "anything", graph.Holders{}, "maja", "willi")
		w.wantIDs(t, "what is only linked with", graph.Holders{Of: graph.These{w.id("rose")}})
		w.wantIDs(t, "where it starts", graph.Holders{Of: graph.These{w.id("maja")}})
	}},
	{"sets are cut with each other, joined and taken away", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		these := func(names ...string) graph.Set { return graph.These(w.ids(names...)) }
		bees := graph.Instances{Type: w.id("the_bee")}
		w.want(t, "one alone", graph.Both{bees}, "maja", "willi", "flip")
		w.want(t, "two", graph.Both{bees, these("willi", "rose", "flip")}, "willi", "flip")
		w.want(t, "three", graph.Both{bees, these("willi", "rose", "flip"), these("flip", "maja")}, "flip")
		w.want(t, "without some", graph.Both{bees, graph.Except{Of: these("willi", "rose")}}, "maja", "flip")
		w.want(t, "without two kinds", graph.Both{bees, graph.Except{Of: these("willi")}, graph.Except{Of: graph.Holders{}}}, "flip")
		w.wantIDs(t, "without itself", graph.Both{bees, graph.Except{Of: bees}})
		w.want(t, "without any of several", graph.Both{bees, graph.Except{Of: graph.Either{these("flip"), these("maja")}}}, "willi")
		w.want(t, "without what is without", graph.Both{bees, graph.Except{Of: graph.Both{bees, graph.Except{Of: these("flip")}}}}, "flip")
		w.want(t, "either", graph.Either{these("flip"), these("rose", "flip"), graph.Both{bees, these("maja")}}, "rose", "maja", "flip")
		w.want(t, "one of either", graph.Either{bees}, "maja", "willi", "flip")
	}},
	{"a viewer is shown what is everybody's and their own", viewers},
	{"what was removed is in no set", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		visits := w.ids("the_bee_s_flower")
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: w.ids("rose", "hive")})
		w.want(t, "these", graph.These(w.ids("rose", "poppy")), "poppy")
		w.want(t, "instances", graph.Instances{Type: w.id("the_flower")}, "poppy", "daisy")
		w.wantIDs(t, "by value", graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "rose"}})
		w.wantIDs(t, "what was linked with it", graph.Linked{Types: visits, Far: graph.These(w.ids("rose"))})
		w.want(t, "what is linked", graph.Linked{Types: visits, Direction: graph.In}, "poppy", "daisy")
		w.want(t, "what holds", graph.Holders{Of: graph.These(w.ids("hive", "wax", "red"))}, "maja", "willi")
		links := read[[]graph.Connection](t)(s.Links(t.Context(), graph.Links{Of: w.ids("willi")}))
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: idsOf(links)})
		w.want(t, "connections", graph.Linked{Types: visits, Direction: graph.In}, "poppy")
		w.want(t, "inside", graph.Holders{}, "maja")
		again := writeConcepts(t, s, alice, value(0, "the_flower", "rose"))
		w.wantIDs(t, "a value written again", graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "rose"}}, again...)
	}},
	{"large sets are selected from", largeSets},
	{"many sets are selected from, and sets in sets", nestedSets},
	{"a selection sees a batch whole or not at all", selectWhileWriting},
	{"whoever gives up selecting gets an error", func(t *testing.T, s graph.Store) {
		w := meadow(t, s)
		everything := graph.Selection{Set: graph.Linked{Types: w.types(), Far: graph.Linked{Types: w.types(), Direction: graph.In}}}
		ctx, giveUp := context.WithCancel(t.Context())
		giveUp()
		_, err := w.selector.Select(ctx, everything)
		want(t, "selecting", graph.KindOf(err), graph.Unavailable)
		n := len(w.pick(t, everything))
		for i := range 60 {
			ctx, giveUp := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
			found, err := w.selector.Select(ctx, everything)
			giveUp()
			if kind := graph.KindOf(err); err == nil && len(found) != n || err != nil && kind != graph.Unavailable {
				t.Errorf("found %d of %d: %q, %v", len(found), n, kind, err)
			}
		}
	}},
	{"a type has a size", func(t *testing.T, s graph.Store) {
		sizer := sizerOf(t, s)
		w := meadow(t, s)
		asked := append(w.ids("the_bee", "the_bee_s_flower", "the_flower", "the_bee", "bee"), 77, 0)
		got := func() []graph.Size { return read[[]graph.Size](t)(sizer.Sizes(t.Context(), asked)) }
		want(t, "at first", got(), []graph.Size{{Instances: 3}, {Links: 4}, {Instances: 3}, {Instances: 3}, {}, {}, {}})
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: w.ids("rose")})
		want(t, "when one is gone", got(), []graph.Size{{Instances: 3}, {Links: 2}, {Instances: 2}, {Instances: 3}, {}, {}, {}})
		want(t, "of no types", read[[]graph.Size](t)(sizer.Sizes(t.Context(), nil)), []graph.Size{})
	}},
}

// selectorOf is the store as a selector; a test of a store that does not select ends here.
func selectorOf(t *testing.T, s graph.Store) graph.Selector {
	t.Helper()
	if selector, ok := s.(graph.Selector); ok {
		if _, err := selector.Select(t.Context(), graph.Selection{Set: graph.These{}}); !errors.Is(err, errors.ErrUnsupported) {
			return selector
		}
	}
	t.Skip("this store does not select")
	return nil
}

func sizerOf(t *testing.T, s graph.Store) graph.Sizer {
	t.Helper()
	if sizer, ok := s.(graph.Sizer); ok {
		if _, err := sizer.Sizes(t.Context(), nil); !errors.Is(err, errors.ErrUnsupported) {
			return sizer
		}
	}
	t.Skip("this store keeps no sizes")
	return nil
}

// Every selector takes as many steps in each other as these, where they are gathered and where they are checked.
const (
	maySteps = 16
	mayCheck = 3
)

// mayNotSelect says whether a selector may refuse a set that is not as deep as that: only for a walk of more than one connection.
func mayNotSelect(of graph.Set) bool {
	switch of := of.(type) {
	case graph.Linked:
		return of.Depth > 1 || mayNotSelect(of.Far)
	case graph.Holders:
		return mayNotSelect(of.Of)
	case graph.Both:
		return slices.ContainsFunc(of, mayNotSelect)
	case graph.Either:
		return slices.ContainsFunc(of, mayNotSelect)
	case graph.Except:
		return mayNotSelect(of.Of)
	default:
		return false
	}
}

func largeSets(t *testing.T, s graph.Store) {
	w := meadow(t, s)
	hub, numbers, types := w.spread(t, s, 10_000)
	number, all := w.Concepts[numbers[0]].Type, slices.Sorted(slices.Values(append([]graph.ID{hub}, numbers...)))
	w.wantIDs(t, "many ids", graph.These(all), all...)
	w.wantIDs(t, "many ids checked", graph.Both{graph.Instances{Type: number}, graph.These(all)}, numbers...)
	w.wantIDs(t, "many ids taken away", graph.Both{graph.Instances{Type: number}, graph.Except{Of: graph.These(numbers[1:])}}, numbers[0])
	w.wantIDs(t, "many ids at the far end", graph.Linked{Types: types, Far: graph.These(all), Direction: graph.In}, hub)
	w.wantIDs(t, "many ids inside of something", graph.Holders{Of: graph.These(all)})
	w.wantIDs(t, "a hub", graph.Linked{Types: types, Far: graph.These{hub}}, numbers...)
	many := graph.Linked{Types: append(types, numbers...), Direction: graph.In}
	want(t, "many types", w.pick(t, graph.Selection{Set: many}), []graph.ID{hub})
}

// nestedSets are as many and as deep in each other as filters and hops may be.
func nestedSets(t *testing.T, s graph.Store) {
	w := meadow(t, s)
	const n = 100
	hub, numbers, types := w.spread(t, s, n)
	instances := graph.Instances{Type: w.Concepts[numbers[0]].Type}
	either, both, nested := graph.Either{}, graph.Both{instances}, graph.Set(graph.These(numbers))
	for i := range 1_000 {
		one := instances
		one.Where = &graph.Predicate{Op: graph.Equal, Text: fmt.Sprint(2 * i)}
		either, both = append(either, one), append(both, graph.Except{Of: one})
	}
	for range 50 {
		nested = graph.Both{instances, graph.Either{graph.These{}, nested}}
	}
	want(t, "any of a thousand", len(w.pick(t, graph.Selection{Set: either})), n/2)
	want(t, "none of a thousand", len(w.pick(t, graph.Selection{Set: both})), n/2)
	w.wantIDs(t, "sets in sets", nested, numbers...)

	deep := graph.Set(graph.These{hub})
	for i := range 32 {
		deep = graph.Linked{Types: types, Far: graph.Both{deep, graph.Except{Of: graph.These{graph.The}}}, Direction: graph.Direction(i % 2)}
		for _, viewer := range []graph.ID{0, alice.User} {
			for steps, set := range map[int]graph.Set{maySteps: deep, mayCheck: graph.Both{graph.These{hub, numbers[0]}, deep}} {
				found, err := w.selector.Select(t.Context(), graph.Selection{Set: set, Viewer: viewer, Page: graph.Page{Limit: 1}})
				expected := []graph.ID{numbers[0], hub}[i%2]
				if i >= steps && errors.Is(err, errors.ErrUnsupported) {
					continue
				}
				if err != nil || !slices.Equal(found, []graph.ID{expected}) {
					t.Fatalf("%d steps, as %d: %v, %v; want %d", i+1, viewer, found, err, expected)
				}
			}
		}
	}
}

func selectWhileWriting(t *testing.T, s graph.Store) {
	w := meadow(t, s)
	star := writeConcepts(t, s, alice, composition(-1, "the_star"), typ(-2, "the_star_s_ray"))
	lit := graph.Selection{Set: graph.Both{
		graph.Linked{Types: star[1:], Direction: graph.In, Far: graph.These(star[:1])},
		graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: "lit"}},
	}}
	ray := func(batch int, ghost graph.ID) graph.ConceptDraft {
		return value(ghost, "the_ray", fmt.Sprint("lit ", batch, ghost))
	}
	shine(t, s, star[0], ray, func() (int, error) {
		found, err := w.selector.Select(t.Context(), lit)
		return len(found), err
	})
}
