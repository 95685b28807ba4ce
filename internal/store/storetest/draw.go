package storetest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
)

// DrawSet draws a set over the records of w, with a few unknown ids among them. Half of the results are an intersection
// of ids with the drawn set, so that the store checks the set instead of gathering it.
func DrawSet(t *rapid.T, w Whole, unknown []graph.ID) graph.Set {
	d := setDrawer{
		T: t, ids: append([]graph.ID{77, graph.The}, unknown...), types: []graph.ID{77}, linkTypes: []graph.ID{77},
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
		d.linkTypes = append(d.linkTypes, c.Type)
	}
	if rapid.Bool().Draw(t, "checked") {
		return graph.Intersection{graph.IDs(d.ids), d.set(3)}
	}
	return d.set(3)
}

// DrawPage draws a page of ids; half of the pages are unlimited.
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

// A setDrawer draws sets from its ids, owners, types, times and values. An element that is listed twice is drawn more often.
type setDrawer struct {
	*rapid.T
	ids, owners      []graph.ID
	types, linkTypes []graph.ID // type ids of concepts and of connections
	times            []time.Time
	texts            []string
}

// set draws a set that nests others up to a depth.
func (d setDrawer) set(depth int) graph.Set {
	highest := 6
	if depth == 0 {
		highest = 2
	}
	switch rapid.IntRange(0, highest).Draw(d.T, "set") {
	case 0:
		return graph.IDs(rapid.SliceOfN(rapid.SampledFrom(d.ids), 0, 6).Draw(d.T, "ids"))
	case 1, 2:
		i := graph.Instances{Where: d.where()}
		if rapid.IntRange(0, 2).Draw(d.T, "any type") > 0 {
			i.Type = draw(d.T, "of type", d.types)
		}
		return i
	case 3, 4:
		return graph.Linked{
			Types:     rapid.SliceOfN(rapid.SampledFrom(d.linkTypes), 0, 4).Draw(d.T, "of types"),
			Direction: draw(d.T, "direction", []graph.Direction{graph.Out, graph.In}),
			Far:       d.far(depth), Depth: draw(d.T, "depth", []int{0, 0, 0, 1, 2, 3}),
		}
	case 5:
		return graph.Holders{Of: d.far(depth), Direct: rapid.Bool().Draw(d.T, "direct")}
	default:
		return d.combination(depth)
	}
}

func (d setDrawer) far(depth int) graph.Set {
	if rapid.IntRange(0, 4).Draw(d.T, "anything") == 0 {
		return nil
	}
	return d.set(depth - 1)
}

func (d setDrawer) combination(depth int) graph.Set {
	sets := []graph.Set{d.set(depth - 1)}
	isUnion := rapid.Bool().Draw(d.T, "either")
	for range rapid.IntRange(0, 2).Draw(d.T, "more") {
		set := d.set(depth - 1)
		if !isUnion && rapid.Bool().Draw(d.T, "except") {
			set = graph.Complement{Of: set}
		}
		sets = append(sets, set)
	}
	if isUnion {
		return graph.Union(sets)
	}
	return graph.Intersection(sets)
}

func (d setDrawer) where() *graph.Predicate {
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

// pattern draws a pattern that contains a piece of the text.
func (d setDrawer) pattern(text string) string {
	runes := []rune(text)
	from := rapid.IntRange(0, len(runes)).Draw(d.T, "from")
	piece := string(runes[from:min(len(runes), from+rapid.IntRange(0, 4).Draw(d.T, "length"))])
	return draw(d.T, "pattern", []string{text, piece, "%" + piece + "%", strings.ToUpper(piece) + "%", draw(d.T, "half", someValues) + "%" + piece})
}
