package storetest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
)

// compareVisible compares the lists and counts of a VisibleReader with a search through everything that the viewer sees.
func (d *selectionTest) compareVisible() {
	r, ok := graph.As[graph.VisibleReader](d.store)
	if !ok {
		return
	}
	viewer := pick(d, "viewer", []graph.ID{alice.User, bob.User, graph.Anonymous, 4_242})
	visible, page, types := d.whole.visibleTo(viewer), DrawPage(d.T, d.ids), d.whole.types()
	links := graph.Links{Of: []graph.ID{4_242}, Direction: graph.Direction(rapid.IntRange(0, 1).Draw(d.T, "direction")), Page: page}
	for range rapid.IntRange(1, 4).Draw(d.T, "concepts") {
		links.Of = append(links.Of, pick(d, "of", d.ids))
	}
	if rapid.Bool().Draw(d.T, "typed") {
		links.Types = append(slices.Clone(d.ids), types...)[rapid.IntRange(0, len(d.ids)).Draw(d.T, "first type"):]
	}
	for _, typ := range types {
		got, err := r.VisibleByType(d.Context(), typ, viewer, page)
		all := visible.Select(graph.Selection{Set: graph.Instances{Type: typ}})
		d.requireNone(err)
		requireEqual(d.T, "VisibleByType", idsOf(got), pageOf(all, page))
		n, err := r.CountVisible(d.Context(), typ, viewer)
		d.requireNone(err)
		requireEqual(d.T, "CountVisible", n, len(all))
	}
	found, err := r.VisibleLinks(d.Context(), viewer, links)
	d.requireNone(err)
	requireEqual(d.T, "VisibleLinks", found, visible.links(links))
	counts, err := r.CountVisibleLinks(d.Context(), viewer, links)
	d.requireNone(err)
	requireEqual(d.T, "CountVisibleLinks", sortCounts(counts), sortCounts(visible.counts(links)))
	sizes, err := r.VisibleSizes(d.Context(), viewer, types)
	d.requireNone(err)
	requireEqual(d.T, "VisibleSizes", sizes, visible.Sizes(types))
	for _, text := range someTexts {
		got, err := d.store.ConceptsByValue(d.Context(), []graph.ValueKey{{Value: text, Viewer: viewer}})
		d.requireNone(err)
		requireEqual(d.T, "ConceptsByValue", idsOf(got), visible.shared(text))
	}
}

func (d *selectionTest) requireNone(err error) {
	if err != nil {
		d.Fatalf("reading as a viewer: %v", err)
	}
}

// links returns the result of graph.Reader.Links.
func (w Whole) links(links graph.Links) (found []graph.Connection) {
	for i, of := range links.Of {
		if slices.Index(links.Of, of) < i {
			continue
		}
		at := map[graph.ID]graph.Connection{}
		var ids []graph.ID
		for _, c := range w.Connections {
			end := c.From
			if links.Direction == graph.In {
				end = c.To
			}
			if end == of && (links.Types == nil || slices.Contains(links.Types, c.Type)) {
				at[c.ID] = c
				ids = append(ids, c.ID)
			}
		}
		slices.Sort(ids)
		for _, id := range pageOf(ids, links.Page) {
			found = append(found, at[id])
		}
	}
	return found
}

// counts returns the result of graph.Reader.CountLinks, in any order.
func (w Whole) counts(links graph.Links) (counts []graph.LinkCount) {
	links.Page = graph.Page{}
	n := map[graph.LinkCount]int{}
	for _, c := range w.links(links) {
		of := c.From
		if links.Direction == graph.In {
			of = c.To
		}
		n[graph.LinkCount{Of: of, Type: c.Type}]++
	}
	for count, n := range n {
		count.N = n
		counts = append(counts, count)
	}
	return counts
}

// shared returns the ids of the types and shared values whose value is text.
func (w Whole) shared(text string) (ids []graph.ID) {
	for id, c := range w.Concepts {
		if c.Value == text && graph.IsShared(text) && !c.Composition {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
