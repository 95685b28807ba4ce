package storetest

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
)

// compareKeys compares the results of a graph.KeyReader with a search through everything that the viewer sees.
func (d *selectionTest) compareKeys() {
	r, ok := graph.As[graph.KeyReader](d.store)
	if !ok {
		return
	}
	viewer := pick(d, "viewer of keys", []graph.ID{0, alice.User, bob.User, graph.Anonymous, 4_242})
	visible := d.whole
	if viewer != 0 {
		visible = d.whole.visibleTo(viewer)
	}
	for _, typ := range append(visible.types(), 4_242) {
		keys := graph.KeyRange{
			Type: typ, Viewer: viewer, Descending: rapid.Bool().Draw(d.T, "descending"), Limit: rapid.IntRange(0, 5).Draw(d.T, "limit"),
			Min: graph.SortKeyOf(pick(d, "from", graphTexts)), Max: max("t", graph.SortKeyOf(pick(d, "to", graphTexts)).Next()),
		}
		got, err := r.ValueKeys(d.Context(), keys)
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		d.requireNone(err)
		requireEqual(d.T, "ValueKeys", sortKeysOf(got), visible.valueKeys(keys))
		parts := graph.Parts{Of: d.ids, Type: typ, Viewer: viewer, Connection: pick(d, "connection", append(visible.types(), 0, 0))}
		if rapid.Bool().Draw(d.T, "any type") {
			parts.Type = 0
		}
		found, err := r.PartKeys(d.Context(), parts)
		d.requireNone(err)
		slices.SortFunc(found, func(a, b graph.PartSortKey) int { return cmp.Compare(a.Link, b.Link) })
		requireEqual(d.T, "PartKeys", append([]graph.PartSortKey{}, found...), visible.partKeys(parts))
	}
	for _, value := range d.ids {
		page := DrawPage(d.T, d.ids)
		page.Skip = 0
		got, err := r.Containers(d.Context(), graph.Containers{Value: value, Page: page, Viewer: viewer})
		d.requireNone(err)
		want := visible.containers(value)
		if page.Limit > 0 && len(want) < len(got) { // with repetitions a page ends earlier
			page.Limit = len(slices.Compact(slices.Clone(got)))
		}
		got = slices.Compact(slices.Clone(got))
		if want = pageOf(want, page); len(got) < len(want) && page.Limit > 0 {
			want = want[:len(got)]
		}
		requireEqual(d.T, "Containers", got, want)
	}
}

// comparePairs compares the connections of pairs with a search through everything that the viewer sees.
func (d *selectionTest) comparePairs() {
	r, ok := graph.As[graph.PairReader](d.store)
	if !ok {
		return
	}
	p := graph.LinkPairs{Viewer: pick(d, "viewer of pairs", []graph.ID{0, alice.User, bob.User, graph.Anonymous, 4_242})}
	wanted := map[graph.LinkPair]bool{{From: d.ids[0]}: true} // no connection has type 0
	for _, c := range d.whole.Connections {
		if rapid.Bool().Draw(d.T, "pair") {
			wanted[graph.LinkPair{From: c.From, Type: c.Type}] = true
			wanted[graph.LinkPair{From: c.To, Type: c.Type}] = true
		}
	}
	p.Pairs = slices.Collect(maps.Keys(wanted))
	got, err := r.PairLinks(d.Context(), p)
	if errors.Is(err, errors.ErrUnsupported) {
		return
	}
	d.requireNone(err)
	want := []graph.Connection{}
	for _, c := range d.whole.visibleTo(p.Viewer).Connections {
		if wanted[graph.LinkPair{From: c.From, Type: c.Type}] {
			want = append(want, c)
		}
	}
	for _, connections := range [][]graph.Connection{got, want} {
		slices.SortFunc(connections, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	}
	requireEqual(d.T, "PairLinks", got, want)
}

// sortKeysOf returns the keys alone, because values with equal keys are in any order.
func sortKeysOf(values []graph.ValueSortKey) []graph.SortKey {
	keys := []graph.SortKey{}
	for _, v := range values {
		keys = append(keys, v.Key)
	}
	return keys
}

// valueKeys returns the keys of the result of graph.KeyReader.ValueKeys.
func (w Whole) valueKeys(r graph.KeyRange) []graph.SortKey {
	keys := []graph.SortKey{}
	for _, c := range w.Concepts {
		key := graph.SortKeyOf(c.Value)
		if c.Type == r.Type && c.Category == graph.CategoryInstance && key != "" && key >= r.Min && key < r.Max {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	if r.Descending {
		slices.Reverse(keys)
	}
	if r.Limit > 0 {
		keys = keys[:min(r.Limit, len(keys))]
	}
	return keys
}

// partKeys returns the result of graph.KeyReader.PartKeys, in order of the connections.
func (w Whole) partKeys(p graph.Parts) []graph.PartSortKey {
	parts := []graph.PartSortKey{}
	for _, l := range w.Connections {
		c, exists := w.Concepts[l.To]
		isWanted := slices.Contains(p.Of, l.From) && l.Type == cmp.Or(p.Connection, l.From) && (p.Type == 0 || c.Type == p.Type)
		if exists && isWanted && c.Category == graph.CategoryInstance && c.Value != "" {
			parts = append(parts, graph.PartSortKey{Of: l.From, Link: l.ID, Key: graph.SortKeyOf(c.Value)})
		}
	}
	slices.SortFunc(parts, func(a, b graph.PartSortKey) int { return cmp.Compare(a.Link, b.Link) })
	return parts
}

// containers returns the concepts with a connection of their own id to a value.
func (w Whole) containers(value graph.ID) []graph.ID {
	ids := []graph.ID{}
	for _, l := range w.Connections {
		if l.To == value && l.From == l.Type {
			ids = append(ids, l.From)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
