package storetest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
)

// DrawSet draws a set of what is there and, seldom, of what is not: unknown ids are mixed with the known ones. Half of the sets
// are checked on ids.
func DrawSet(t *rapid.T, w Whole, unknown []graph.ID) graph.Set {
	d := drawn{
		T: t, ids: append([]graph.ID{77, graph.The}, unknown...), types: []graph.ID{77}, kinds: []graph.ID{77},
		owners: []graph.ID{graph.Anonymous}, times: []time.Time{noon}, texts: []string{"x"},
	}
	for _, id := range slices.Sorted(maps.Keys(w.Concepts)) {
		c := w.Concepts[id]
		if id < graph.FirstFree {
			continue
		}
		d.ids, d.types, d.texts = append(d.ids, id), append(d.types, c.Type), append(d.texts, c.Value)
		d.owners, d.times = append(d.owners, c.Owner), append(d.times, c.Created)
	}
	for _, c := range w.Connections {
		d.kinds = append(d.kinds, c.Type)
	}
	if rapid.Bool().Draw(t, "checked") {
		return graph.Both{graph.These(d.ids), d.set(3)}
	}
	return d.set(3)
}

// DrawPage draws a page of ids, often that of all.
func DrawPage(t *rapid.T, ids []graph.ID) graph.Page {
	if rapid.Bool().Draw(t, "everything") {
		return graph.Page{}
	}
	page := graph.Page{
		Descending: rapid.Bool().Draw(t, "descending"),
		Skip:       rapid.IntRange(0, 3).Draw(t, "skip"), Limit: rapid.IntRange(0, 4).Draw(t, "limit"),
	}
	if len(ids) > 0 && rapid.Bool().Draw(t, "after one") {
		page.After = draw(t, "after", ids)
	}
	return page
}

func draw[T any](t *rapid.T, what string, from []T) T { return rapid.SampledFrom(from).Draw(t, what) }

// A drawn set is one under way. What is there more than once is drawn more often.
type drawn struct {
	*rapid.T
	ids, owners  []graph.ID
	types, kinds []graph.ID // of concepts and of connections
	times        []time.Time
	texts        []string
}

// set draws one that holds others up to so deep.
func (d drawn) set(deep int) graph.Set {
	most := 6
	if deep == 0 {
		most = 2
	}
	switch rapid.IntRange(0, most).Draw(d.T, "set") {
	case 0:
		return graph.These(rapid.SliceOfN(rapid.SampledFrom(d.ids), 0, 6).Draw(d.T, "ids"))
	case 1, 2:
		i := graph.Instances{Where: d.where()}
		if rapid.IntRange(0, 2).Draw(d.T, "any type") > 0 {
			i.Type = draw(d.T, "of type", d.types)
		}
		return i
	case 3, 4:
		return graph.Linked{
			Types:     rapid.SliceOfN(rapid.SampledFrom(d.kinds), 0, 4).Draw(d.T, "of types"),
			Direction: draw(d.T, "direction", []graph.Direction{graph.Out, graph.In}),
			Far:       d.far(deep), Depth: draw(d.T, "depth", []int{0, 0, 0, 1, 2, 3}),
		}
	case 5:
		return graph.Holders{Of: d.far(deep)}
	default:
		return d.several(deep)
	}
}

func (d drawn) far(deep int) graph.Set {
	if rapid.IntRange(0, 4).Draw(d.T, "anything") == 0 {
		return nil
	}
	return d.set(deep - 1)
}

func (d drawn) several(deep int) graph.Set {
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

func (d drawn) where() *graph.Predicate {
	if rapid.IntRange(0, 2).Draw(d.T, "everything") == 0 {
		return nil
	}
	p := graph.Predicate{Op: draw(d.T, "op", ops)}
	switch p.Field = draw(d.T, "field", []graph.Field{0, 0, 0, graph.FieldID, graph.FieldType, graph.FieldOwner, graph.FieldCreated}); p.Field {
	case graph.FieldValue:
		p.Text = draw(d.T, "text", d.texts)
		if rapid.IntRange(0, 3).Draw(d.T, "other text") == 0 {
			p.Text = draw(d.T, "text", graphTexts)
		}
		if p.Op == graph.Like {
			p.Text = d.pattern(p.Text)
		}
	case graph.FieldID, graph.FieldType:
		p.Number = int64(draw(d.T, "id", d.ids))
	case graph.FieldOwner:
		p.Number = int64(draw(d.T, "owner", d.owners))
	case graph.FieldCreated:
		p.Number = draw(d.T, "created", d.times).UnixMilli()
	}
	return &p
}

// pattern cuts a piece out of a text.
func (d drawn) pattern(text string) string {
	runes := []rune(text)
	from := rapid.IntRange(0, len(runes)).Draw(d.T, "from")
	piece := string(runes[from:min(len(runes), from+rapid.IntRange(0, 4).Draw(d.T, "length"))])
	return draw(d.T, "pattern", []string{text, piece, "%" + piece + "%", strings.ToUpper(piece) + "%", draw(d.T, "half", someValues) + "%" + piece})
}
