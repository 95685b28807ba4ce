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

// selection is the contract of graph.Selector. Stores that do not implement it skip these tests.
var selection = []behaviour{
	{"Select returns distinct ids in order", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		same := graph.Instances{Type: w.id("the_flower")}
		w.want(t, "found in two ways", graph.Union{same, graph.Linked{Types: w.ids("the_bee_s_flower"), Direction: graph.In}}, "rose", "poppy", "daisy")
		w.want(t, "over many connections", graph.Linked{Types: w.ids("the_bee_s_flower"), Far: same}, "maja", "willi")
	}},
	{"a page is cut from the ordered selection", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		all := w.ids("rose", "poppy", "daisy", "maja", "willi")
		for _, set := range []graph.Set{
			graph.Instances{},
			graph.Instances{Type: w.id("the_flower"), Where: &graph.Predicate{Op: graph.NotEqual, Text: "rose"}},
			graph.IDs(all),
			graph.Linked{Types: w.ids("the_bee_s_flower"), Direction: graph.In},
			graph.Union{graph.IDs(all[2:]), graph.IDs(all[:3])},
			graph.Intersection{graph.Union{graph.IDs(all)}, graph.Complement{Of: graph.IDs(all[1:2])}},
		} {
			found := w.selectIDs(t, graph.Selection{Set: set})
			for _, page := range pages(all) {
				want(t, fmt.Sprintf("%+v %+v", set, page), w.selectIDs(t, graph.Selection{Set: set, Page: page}), pageOf(found, page))
			}
		}
	}},
	{"an unordered selection applies only the limit of the page", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		set := graph.Union{graph.Instances{Type: w.id("the_flower")}, graph.IDs(w.ids("rose", "maja"))}
		for limit, n := range map[int]int{0: 4, 1: 1, 3: 3, 4: 4, 9: 4} {
			page := graph.Page{Descending: true, After: w.id("rose"), Skip: 2, Limit: limit}
			got := w.selectIDs(t, graph.Selection{Set: set, Page: page, Unordered: true})
			others := slices.DeleteFunc(slices.Clone(got), func(id graph.ID) bool {
				return slices.Contains(w.ids("rose", "poppy", "daisy", "maja"), id)
			})
			if len(got) != n || unique(got) != n || len(others) > 0 {
				t.Errorf("with the limit %d, the selection of four ids = %v; want %d different ones of them", limit, got, n)
			}
		}
	}},
	{"IDs selects the ids that exist", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		rose, the := w.id("rose"), graph.The
		w.wantIDs(t, "one id twice, unknown ids, a fixed id", graph.IDs{rose, 0, the, -1, 77, graph.MaxID, rose}, the, rose)
		w.wantIDs(t, "none", graph.IDs{})
		w.wantIDs(t, "none of nil", graph.IDs(nil))
	}},
	{"types and prototypes are concepts but not instances", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		w.want(t, "of a type", graph.Instances{Type: w.id("the_flower")}, "rose", "poppy", "daisy")
		w.wantIDs(t, "of a word", graph.Instances{Type: graph.Word})
		w.wantIDs(t, "of no type", graph.Instances{Type: 77})
		is := func(text string) *graph.Predicate { return &graph.Predicate{Op: graph.Equal, Text: text} }
		w.want(t, "of any type", graph.Instances{Where: is("the_bee")}, "the_bee", "pattern")
		w.want(t, "rose", graph.Instances{Where: is("ROSE")}, "rose")
	}},
	{"a predicate on a value holds exactly when Predicate.Holds reports so", checkPredicates},
	{"a predicate on another field holds exactly when Predicate.Holds reports so", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
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
	{"Linked follows connections of the given types in the given direction", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		visits, likes := w.id("the_bee_s_flower"), w.id("the_bee_friend")
		rose, flowers := graph.IDs{w.id("rose")}, graph.Instances{Type: w.id("the_flower")}
		linked := func(d graph.Direction, far graph.Set, types ...graph.ID) graph.Linked {
			return graph.Linked{Types: types, Direction: d, Far: far}
		}
		w.want(t, "out", linked(graph.Out, rose, visits), "maja", "willi")
		w.want(t, "in", linked(graph.In, graph.IDs{w.id("maja")}, visits), "rose", "poppy")
		w.want(t, "to any", linked(graph.Out, nil, visits), "maja", "willi")
		w.want(t, "from any", linked(graph.In, nil, visits), "rose", "poppy", "daisy")
		w.want(t, "of two types", linked(graph.Out, graph.Union{rose, graph.IDs{w.id("willi")}}, likes, visits), "maja", "willi", "flip")
		w.want(t, "of two types, of which one is unknown", linked(graph.Out, rose, 77, visits), "maja", "willi")
		w.wantIDs(t, "of no types", linked(graph.Out, rose))
		w.wantIDs(t, "of another type", linked(graph.Out, rose, likes))
		w.wantIDs(t, "type 0", linked(graph.Out, rose, 0))
		w.wantIDs(t, "to nothing", linked(graph.Out, graph.IDs{}, visits))
		w.want(t, "two steps", linked(graph.Out, linked(graph.Out, flowers, visits), likes), "maja", "willi", "flip")
		w.want(t, "out and back in", linked(graph.In, linked(graph.Out, rose, visits), visits), "rose", "poppy", "daisy")
	}},
	{"Linked follows up to Depth connections, and terminates in cycles", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		likes := w.ids("the_bee_friend") // flip → willi ⇄ maja
		for depth, out := range [][]string{{"maja", "flip"}, {"maja", "flip"}, {"maja", "willi", "flip"}, {"maja", "willi", "flip"}} {
			w.wantDeep(t, graph.Linked{Types: likes, Far: graph.IDs{w.id("willi")}, Depth: depth}, out...)
		}
		for depth, in := range [][]string{{"willi"}, {"willi"}, {"maja", "willi"}, {"maja", "willi"}, {"maja", "willi"}} {
			w.wantDeep(t, graph.Linked{Types: likes, Direction: graph.In, Far: graph.IDs{w.id("flip")}, Depth: depth}, in...)
		}
		visits := w.id("the_bee_s_flower")
		w.wantDeep(t, graph.Linked{Types: append(likes, visits), Far: graph.IDs{w.id("daisy")}, Depth: 2}, "maja", "willi", "flip")
		w.wantDeep(t, graph.Linked{Types: likes, Far: graph.IDs{}, Depth: 3})
		w.wantDeep(t, graph.Linked{Types: likes, Depth: 3}, "maja", "willi", "flip")
	}},
	{"Holders selects compositions that contain a member", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		w.want(t, "a value of two", graph.Holders{Of: graph.IDs{w.id("red")}}, "maja", "willi")
		w.want(t, "deep inside", graph.Holders{Of: graph.IDs{w.id("wax")}}, "maja")
		w.want(t, "a record inside", graph.Holders{Of: graph.IDs{w.id("hive")}}, "maja")
		w.want(t, "anything", graph.Holders{}, "maja", "willi")
		w.want(t, "a direct part", graph.Holders{Of: graph.IDs{w.id("hive")}, Direct: true}, "maja")
		w.wantIDs(t, "a part of a part, directly", graph.Holders{Of: graph.IDs{w.id("wax")}, Direct: true})
		w.wantIDs(t, "a concept that is only linked", graph.Holders{Of: graph.IDs{w.id("rose")}})
		w.wantIDs(t, "the source of internal connections", graph.Holders{Of: graph.IDs{w.id("maja")}})
	}},
	{"combines sets by intersection, union and complement", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		these := func(names ...string) graph.Set { return graph.IDs(w.ids(names...)) }
		bees := graph.Instances{Type: w.id("the_bee")}
		w.want(t, "one alone", graph.Intersection{bees}, "maja", "willi", "flip")
		w.want(t, "two", graph.Intersection{bees, these("willi", "rose", "flip")}, "willi", "flip")
		w.want(t, "three", graph.Intersection{bees, these("willi", "rose", "flip"), these("flip", "maja")}, "flip")
		w.want(t, "without some", graph.Intersection{bees, graph.Complement{Of: these("willi", "rose")}}, "maja", "flip")
		w.want(t, "without two kinds", graph.Intersection{bees, graph.Complement{Of: these("willi")}, graph.Complement{Of: graph.Holders{}}}, "flip")
		w.wantIDs(t, "without itself", graph.Intersection{bees, graph.Complement{Of: bees}})
		w.want(t, "without any of several", graph.Intersection{bees, graph.Complement{Of: graph.Union{these("flip"), these("maja")}}}, "willi")
		w.want(t, "without a nested complement", graph.Intersection{bees, graph.Complement{Of: graph.Intersection{bees, graph.Complement{Of: these("flip")}}}}, "flip")
		w.want(t, "a union", graph.Union{these("flip"), these("rose", "flip"), graph.Intersection{bees, these("maja")}}, "rose", "maja", "flip")
		w.want(t, "a union of one set", graph.Union{bees}, "maja", "willi", "flip")
	}},
	{"a viewer sees public records and the records of the viewer", checkViewers},
	{"removed records are in no set", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		visits := w.ids("the_bee_s_flower")
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: w.ids("rose", "hive")})
		w.want(t, "ids", graph.IDs(w.ids("rose", "poppy")), "poppy")
		w.want(t, "instances", graph.Instances{Type: w.id("the_flower")}, "poppy", "daisy")
		w.wantIDs(t, "by value", graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "rose"}})
		w.wantIDs(t, "linked with a removed concept", graph.Linked{Types: visits, Far: graph.IDs(w.ids("rose"))})
		w.want(t, "linked", graph.Linked{Types: visits, Direction: graph.In}, "poppy", "daisy")
		w.want(t, "holders", graph.Holders{Of: graph.IDs(w.ids("hive", "wax", "red"))}, "maja", "willi")
		links := read[[]graph.Connection](t)(s.Links(t.Context(), graph.Links{Of: w.ids("willi")}))
		write(t, s, graph.Batch{Sender: alice, RemoveConnections: idsOf(links)})
		w.want(t, "connections", graph.Linked{Types: visits, Direction: graph.In}, "poppy")
		w.want(t, "inside", graph.Holders{}, "maja")
		rewritten := writeConcepts(t, s, alice, value(0, "the_flower", "rose"))
		w.wantIDs(t, "a value written again", graph.Instances{Where: &graph.Predicate{Op: graph.Equal, Text: "rose"}}, rewritten...)
	}},
	{"selects from sets of 10,000 ids", checkLargeSets},
	{"selects from a thousand sets, and from nested sets", checkNestedSets},
	{"a selection sees all of a batch or none of it", checkSelectionsDuringWrites},
	{"a selection whose context ends returns an Unavailable error", func(t *testing.T, s graph.Store) {
		w := writeMeadow(t, s)
		everything := graph.Selection{Set: graph.Linked{Types: w.types(), Far: graph.Linked{Types: w.types(), Direction: graph.In}}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := w.selector.Select(ctx, everything)
		want(t, "selecting", graph.KindOf(err), graph.Unavailable)
		n := len(w.selectIDs(t, everything))
		for i := range 60 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*50*time.Microsecond)
			found, err := w.selector.Select(ctx, everything)
			cancel()
			if kind := graph.KindOf(err); err == nil && len(found) != n || err != nil && kind != graph.Unavailable {
				t.Errorf("found %d of %d: %q, %v", len(found), n, kind, err)
			}
		}
	}},
	{"Sizes counts the instances and links of types", func(t *testing.T, s graph.Store) {
		sizer := sizerOf(t, s)
		w := writeMeadow(t, s)
		types := append(w.ids("the_bee", "the_bee_s_flower", "the_flower", "the_bee", "bee"), 77, 0)
		got := func() []graph.Size { return read[[]graph.Size](t)(sizer.Sizes(t.Context(), types)) }
		want(t, "at first", got(), []graph.Size{{Instances: 3}, {Links: 4}, {Instances: 3}, {Instances: 3}, {}, {}, {}})
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: w.ids("rose")})
		want(t, "after a removal", got(), []graph.Size{{Instances: 3}, {Links: 2}, {Instances: 2}, {Instances: 3}, {}, {}, {}})
		value := w.id("red")
		write(t, s, graph.Batch{Sender: alice, Connections: []graph.ConnectionDraft{{LocalID: -1, From: w.id("maja"), To: w.id("willi"), Type: value}}})
		want(t, "of a value that is the type of a connection", read[[]graph.Size](t)(sizer.Sizes(t.Context(), []graph.ID{value})), []graph.Size{{Links: 1}})
		want(t, "of no types", read[[]graph.Size](t)(sizer.Sizes(t.Context(), nil)), []graph.Size{})
	}},
	{"UsedTypes lists the types that have instances", func(t *testing.T, s graph.Store) {
		lister, ok := graph.As[graph.TypeLister](s)
		if !ok {
			t.Skip("this store does not list types")
		}
		before := read[[]graph.ID](t)(lister.UsedTypes(t.Context(), 1_000))
		w := writeMeadow(t, s)
		isOld := func(id graph.ID) bool { return slices.Contains(before, id) }
		got := func() []graph.ID {
			return slices.DeleteFunc(read[[]graph.ID](t)(lister.UsedTypes(t.Context(), 1_000)), isOld)
		}
		all := got()
		for _, name := range []string{"the_bee", "the_flower"} {
			want(t, name+" is listed", slices.Contains(all, w.id(name)), true)
		}
		want(t, "the type of a connection is listed", slices.Contains(all, w.id("the_bee_s_flower")), false)
		want(t, "in order", slices.IsSorted(all), true)
		want(t, "up to a limit", len(read[[]graph.ID](t)(lister.UsedTypes(t.Context(), 1))), 1)
		write(t, s, graph.Batch{Sender: alice, RemoveConcepts: w.ids("maja", "willi", "flip")})
		want(t, "a type without instances is listed", slices.Contains(got(), w.id("the_bee")), false)
	}},
}

// selectorOf returns the store as a selector, or skips the test if the store does not support selections.
func selectorOf(t *testing.T, s graph.Store) graph.Selector {
	t.Helper()
	if selector, ok := s.(graph.Selector); ok {
		if _, err := selector.Select(t.Context(), graph.Selection{Set: graph.IDs{}}); !errors.Is(err, errors.ErrUnsupported) {
			return selector
		}
	}
	t.Skip("this store does not support selections")
	return nil
}

// sizerOf returns the store as a sizer, or skips the test if the store does not count the sizes of types.
func sizerOf(t *testing.T, s graph.Store) graph.Sizer {
	t.Helper()
	if sizer, ok := s.(graph.Sizer); ok {
		if _, err := sizer.Sizes(t.Context(), nil); !errors.Is(err, errors.ErrUnsupported) {
			return sizer
		}
	}
	t.Skip("this store does not count the sizes of types")
	return nil
}

// Every selector must support at least this many levels of nested Linked and Holders: supportedSteps in the first set of an intersection,
// supportedChecked in the others.
const (
	supportedSteps   = 16
	supportedChecked = 3
)

// mayBeUnsupported reports whether a selector may return ErrUnsupported for a set within the supported levels, that is, whether the
// set contains a Linked with a Depth above 1.
func mayBeUnsupported(set graph.Set) bool {
	switch set := set.(type) {
	case graph.Linked:
		return set.Depth > 1 || mayBeUnsupported(set.Far)
	case graph.Holders:
		return mayBeUnsupported(set.Of)
	case graph.Intersection:
		return slices.ContainsFunc(set, mayBeUnsupported)
	case graph.Union:
		return slices.ContainsFunc(set, mayBeUnsupported)
	case graph.Complement:
		return mayBeUnsupported(set.Of)
	default:
		return false
	}
}

func checkLargeSets(t *testing.T, s graph.Store) {
	w := writeMeadow(t, s)
	hub, numbers, types := w.writeHub(t, s, 10_000)
	number, all := w.Concepts[numbers[0]].Type, slices.Sorted(slices.Values(append([]graph.ID{hub}, numbers...)))
	w.wantIDs(t, "many ids", graph.IDs(all), all...)
	w.wantIDs(t, "many ids in an intersection", graph.Intersection{graph.Instances{Type: number}, graph.IDs(all)}, numbers...)
	w.wantIDs(t, "all instances but many ids", graph.Intersection{graph.Instances{Type: number}, graph.Complement{Of: graph.IDs(numbers[1:])}}, numbers[0])
	w.wantIDs(t, "many ids at the far end", graph.Linked{Types: types, Far: graph.IDs(all), Direction: graph.In}, hub)
	w.wantIDs(t, "compositions that contain one of many ids", graph.Holders{Of: graph.IDs(all)})
	w.wantIDs(t, "a hub", graph.Linked{Types: types, Far: graph.IDs{hub}}, numbers...)
	manyTypes := graph.Linked{Types: append(types, numbers...), Direction: graph.In}
	want(t, "many types", w.selectIDs(t, graph.Selection{Set: manyTypes}), []graph.ID{hub})
}

// checkNestedSets selects from the largest number of sets, and from the deepest nesting, that queries can have.
func checkNestedSets(t *testing.T, s graph.Store) {
	w := writeMeadow(t, s)
	const n = 100
	hub, numbers, types := w.writeHub(t, s, n)
	instances := graph.Instances{Type: w.Concepts[numbers[0]].Type}
	union, intersection, nested := graph.Union{}, graph.Intersection{instances}, graph.Set(graph.IDs(numbers))
	for i := range 1_000 {
		even := instances
		even.Where = &graph.Predicate{Op: graph.Equal, Text: fmt.Sprint(2 * i)}
		union, intersection = append(union, even), append(intersection, graph.Complement{Of: even})
	}
	for range 50 {
		nested = graph.Intersection{instances, graph.Union{graph.IDs{}, nested}}
	}
	want(t, "size of a union of a thousand sets", len(w.selectIDs(t, graph.Selection{Set: union})), n/2)
	want(t, "size of an intersection with a thousand complements", len(w.selectIDs(t, graph.Selection{Set: intersection})), n/2)
	w.wantIDs(t, "nested sets", nested, numbers...)
	w.checkNestedLinks(t, hub, numbers[0], types)
}

// checkNestedLinks selects from up to 32 nested Linked, which alternate between following the connections of types from a hub to a number
// and back. A selector need not support more levels than the constants above.
func (w meadowStore) checkNestedLinks(t *testing.T, hub, number graph.ID, types []graph.ID) {
	t.Helper()
	deep := graph.Set(graph.IDs{hub})
	for i := range 32 {
		deep = graph.Linked{Types: types, Far: graph.Intersection{deep, graph.Complement{Of: graph.IDs{graph.The}}}, Direction: graph.Direction(i % 2)}
		for _, viewer := range []graph.ID{0, alice.User} {
			for steps, set := range map[int]graph.Set{supportedSteps: deep, supportedChecked: graph.Intersection{graph.IDs{hub, number}, deep}} {
				found, err := w.selector.Select(t.Context(), graph.Selection{Set: set, Viewer: viewer, Page: graph.Page{Limit: 1}})
				expected := []graph.ID{number, hub}[i%2]
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

func checkSelectionsDuringWrites(t *testing.T, s graph.Store) {
	w := writeMeadow(t, s)
	star := writeConcepts(t, s, alice, composition(-1, "the_star"), typ(-2, "the_star_s_ray"))
	lit := graph.Selection{Set: graph.Intersection{
		graph.Linked{Types: star[1:], Direction: graph.In, Far: graph.IDs(star[:1])},
		graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: "lit"}},
	}}
	ray := func(batch int, localID graph.ID) graph.ConceptDraft {
		return value(localID, "the_ray", fmt.Sprint("lit ", batch, localID))
	}
	countWhileWriting(t, s, star[0], ray, func() (int, error) {
		found, err := w.selector.Select(t.Context(), lit)
		return len(found), err
	})
}
