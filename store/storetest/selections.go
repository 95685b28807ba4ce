package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
)

// randomSelections writes and removes at random and then selects at random, as several viewers.
func randomSelections(t *testing.T, open func(t *testing.T) graph.Store) {
	selectorOf(t, open(t))
	rapid.Check(t, func(rt *rapid.T) {
		d := &dice{T: rt, store: open(t)}
		for range rapid.IntRange(1, 3).Draw(rt, "batches") {
			d.write()
			d.look()
			d.compareSizes()
		}
		for range rapid.IntRange(1, 20).Draw(rt, "selections") {
			d.compare()
		}
		if err := d.store.Check(t.Context()); err != nil {
			rt.Errorf("the store's own check: %v", err)
		}
	})
}

// dice make a graph and ask about it.
type dice struct {
	*rapid.T
	store  graph.Store
	whole  whole
	ids    []graph.ID // of the concepts that were made, whether they are there or not
	ghosts graph.ID
}

var (
	graphNames  = []string{"the_a", "the_b", "the_a_s_b", "a"}
	graphOwners = []graph.ID{alice.User, bob.User, graph.Anonymous, graph.System}
	graphAccess = []graph.Access{graph.Private, graph.Public, graph.Admin}
	graphTimes  = []time.Time{noon, noon.Add(time.Millisecond), noon.Add(-time.Hour)}
	graphTexts  = append(slices.Clone(someValues), "x", "x", "y", "X", "1", "1.0", "2")
)

func pick[T any](d *dice, what string, from []T) T { return rapid.SampledFrom(from).Draw(d.T, what) }

func (d *dice) write() {
	b := graph.Batch{Sender: alice}
	for range rapid.IntRange(1, 8).Draw(d.T, "concepts") {
		d.ghosts--
		draft := graph.ConceptDraft{
			Ghost: d.ghosts, TypeName: pick(d, "type", graphNames), Owner: pick(d, "owner", graphOwners),
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
		ends = append(ends, c.Ghost)
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
	made, err := d.store.Write(d.Context(), b)
	if err != nil {
		return // an end was removed, or a type is in use
	}
	d.ids = append(d.ids, idsOf(made.Concepts)...)
}

func (d *dice) look() {
	var err error
	if d.whole, err = wholeOf(d.Context(), d.store); err != nil {
		d.Fatalf("reading everything: %v", err)
	}
}

func (d *dice) compareSizes() {
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
	same(d.T, "Sizes", got, d.whole.sizes(types))
}

func (d *dice) compare() {
	s := graph.Selection{
		Set: d.set(3), Viewer: pick(d, "viewer", []graph.ID{0, 0, alice.User, bob.User, graph.Anonymous, 4_242}),
		Page: graph.Page{
			Descending: rapid.Bool().Draw(d.T, "descending"),
			Skip:       rapid.IntRange(0, 3).Draw(d.T, "skip"), Limit: rapid.IntRange(0, 4).Draw(d.T, "limit"),
		},
		Unordered: rapid.IntRange(0, 3).Draw(d.T, "unordered") == 0,
	}
	if rapid.Bool().Draw(d.T, "from the start") {
		s.Page = graph.Page{}
	} else if rapid.Bool().Draw(d.T, "after one") {
		s.Page.After = d.someID()
	}
	got, err := d.store.(graph.Selector).Select(d.Context(), s)
	switch {
	case errors.Is(err, errors.ErrUnsupported) && mayNotSelect(s.Set):
	case err != nil:
		d.Fatalf("%+v: %v", s, err)
	case s.Unordered:
		d.unordered(s, got)
	default:
		same(d.T, "Select", got, d.whole.selected(s))
	}
}

// unordered says what is wrong with what was found in any order.
func (d *dice) unordered(s graph.Selection, got []graph.ID) {
	limit := s.Page.Limit
	s.Page = graph.Page{}
	all := d.whole.selected(s)
	n := len(all)
	if limit > 0 {
		n = min(limit, n)
	}
	strange := slices.ContainsFunc(got, func(id graph.ID) bool { return !slices.Contains(all, id) })
	if len(got) != n || unique(got) != n || strange {
		d.Fatalf("unordered, at most %d: %v of %v", limit, got, all)
	}
}

func (d *dice) someID() graph.ID {
	return pick(d, "id", append(append(slices.Clone(d.ids), d.whole.types()...), 77))
}

func (d *dice) someIDs() []graph.ID {
	return rapid.SliceOfN(rapid.Custom(func(*rapid.T) graph.ID { return d.someID() }), 0, 6).Draw(d.T, "ids")
}

// set draws one that holds others up to so deep.
func (d *dice) set(deep int) graph.Set {
	most := 6
	if deep == 0 {
		most = 2
	}
	switch rapid.IntRange(0, most).Draw(d.T, "set") {
	case 0:
		return graph.These(d.someIDs())
	case 1, 2:
		i := graph.Instances{Where: d.where()}
		if rapid.IntRange(0, 2).Draw(d.T, "any type") > 0 {
			i.Type = pick(d, "of type", d.named())
		}
		return i
	case 3, 4:
		l := graph.Linked{
			Direction: pick(d, "direction", []graph.Direction{graph.Out, graph.In}),
			Depth:     pick(d, "depth", []int{0, 0, 0, 1, 2, 3}), Far: d.farther(deep),
		}
		for range rapid.IntRange(0, 3).Draw(d.T, "types") {
			l.Types = append(l.Types, pick(d, "of type", d.named()))
		}
		return l
	case 5:
		return graph.Holders{Of: d.farther(deep)}
	default:
		return d.several(deep)
	}
}

func (d *dice) farther(deep int) graph.Set {
	if rapid.IntRange(0, 4).Draw(d.T, "anything") == 0 {
		return nil
	}
	return d.set(deep - 1)
}

func (d *dice) several(deep int) graph.Set {
	sets := []graph.Set{d.set(deep - 1)}
	either := rapid.Bool().Draw(d.T, "either")
	for range rapid.IntRange(0, 2).Draw(d.T, "more") {
		one := d.set(deep - 1)
		if !either && rapid.Bool().Draw(d.T, "except") {
			one = graph.Except{Of: one}
		}
		sets = append(sets, one)
	}
	if either {
		return graph.Either(sets)
	}
	return graph.Both(sets)
}

// named are the types that the dice name, and an id that is none.
func (d *dice) named() []graph.ID {
	ids := []graph.ID{77}
	for id, c := range d.whole.concepts {
		if c.Composition || c.IsType() && slices.Contains(graphNames, c.Value) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (d *dice) where() *graph.Predicate {
	if rapid.IntRange(0, 2).Draw(d.T, "everything") == 0 {
		return nil
	}
	p := graph.Predicate{Op: pick(d, "op", ops)}
	switch p.Field = pick(d, "field", []graph.Field{0, 0, 0, graph.FieldID, graph.FieldType, graph.FieldOwner, graph.FieldCreated}); p.Field {
	case graph.FieldValue:
		p.Text = pick(d, "text", graphTexts)
		if p.Op == graph.Like {
			p.Text = d.pattern(p.Text)
		}
	case graph.FieldID, graph.FieldType:
		p.Number = int64(d.someID())
	case graph.FieldOwner:
		p.Number = int64(pick(d, "number", graphOwners))
	case graph.FieldCreated:
		p.Number = pick(d, "number", graphTimes).UnixMilli()
	}
	return &p
}

// pattern cuts a text into pieces.
func (d *dice) pattern(text string) string {
	runes := []rune(text)
	from := rapid.IntRange(0, len(runes)).Draw(d.T, "from")
	piece := string(runes[from:min(len(runes), from+rapid.IntRange(0, 4).Draw(d.T, "length"))])
	return pick(d, "pattern", []string{text, piece, "%" + piece + "%", strings.ToUpper(piece) + "%", pick(d, "half", someValues) + "%" + piece})
}
