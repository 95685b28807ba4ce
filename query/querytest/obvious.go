// Package querytest has what query engines are compared with: a slow and obvious evaluator of the whole language, and
// random graphs with random queries over them.
package querytest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// Obvious answers a query that Check passes, one root and one concept at a time. Connections go by their names, not by
// ConnectionID. Total is always exact, and there is no plan.
func Obvious(ctx context.Context, r graph.Reader, q query.Query) (query.Answer, error) {
	logic, filtered, err := query.ParseLogic(q.Logic)
	if err != nil {
		return query.Answer{}, err
	}
	o := &obvious{
		ctx: ctx, r: r, root: &q,
		links: map[graph.ID]graph.Connection{}, reverse: map[graph.ID]bool{}, counts: map[countOf]int{},
	}
	o.layOut(&q, nil)
	if filtered {
		logic, filtered = o.mentioned(logic)
	}
	passing := o.roots()
	if filtered {
		passing = slices.DeleteFunc(passing, func(id graph.ID) bool { return !o.true(logic, o.root, id) })
	}
	page := o.page(passing)
	if filtered {
		o.keepRoots(logic, page)
	} else {
		for _, id := range page {
			o.whole(o.root, id)
		}
	}
	a := o.answer(page, len(passing))
	a.Groups = o.groups(o.root, passing)
	return a, o.err
}

type obvious struct {
	ctx  context.Context //nolint:containedctx // one answer, one context
	r    graph.Reader
	err  error // the first that a reader returned; after it, nothing is found
	root *query.Query

	above map[*query.Query]*query.Query // the node above each
	nodes []*query.Query

	links   map[graph.ID]graph.Connection
	reverse map[graph.ID]bool
	counts  map[countOf]int
}

type countOf struct{ of, typ graph.ID }

func (o *obvious) layOut(node, above *query.Query) {
	if above == nil {
		o.above = map[*query.Query]*query.Query{}
	}
	o.above[node] = above
	o.nodes = append(o.nodes, node)
	for i := range node.Hops {
		o.layOut(&node.Hops[i], node)
	}
}

func (o *obvious) roots() []graph.ID {
	if len(o.root.ConceptIDs) == 0 {
		typ := o.typeNamed(o.root.Type)
		if typ == 0 {
			return nil
		}
		found, err := o.r.ConceptsByType(o.ctx, typ, graph.Page{Descending: o.root.Order != query.Ascending})
		return idsOf(found, o.failed(err))
	}
	found, err := o.r.Concepts(o.ctx, o.root.ConceptIDs)
	ids := idsOf(found, o.failed(err))
	switch o.root.Order {
	case query.Ascending:
		slices.Sort(ids)
	case query.Descending:
		slices.SortFunc(ids, func(a, b graph.ID) int { return cmp.Compare(b, a) })
	}
	return ids
}

func (o *obvious) failed(err error) bool {
	o.err = cmp.Or(o.err, err)
	return o.err != nil
}

func idsOf(concepts []graph.Concept, failed bool) []graph.ID {
	var ids []graph.ID
	for _, c := range concepts {
		if !failed {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// page is the part of the passing roots that is asked for.
func (o *obvious) page(passing []graph.ID) []graph.ID {
	var beyond []graph.ID
	for _, id := range passing {
		if after := o.root.After; after == 0 || o.root.Order == query.Ascending && id > after || o.root.Order != query.Ascending && id < after {
			beyond = append(beyond, id)
		}
	}
	return cut(beyond, o.root)
}

func cut[T any](list []T, node *query.Query) []T {
	size := cmp.Or(node.PageSize, query.DefaultPageSize)
	for range max(node.Page, 1) - 1 {
		list = list[min(size, len(list)):]
	}
	return list[:min(size, len(list))]
}

// typeNamed is 0 for a type that nobody made.
func (o *obvious) typeNamed(name string) graph.ID {
	found, err := graph.TypesNamed(o.ctx, o.r, name)
	if o.failed(err) {
		return 0
	}
	return found[name].ID
}

func (o *obvious) concept(id graph.ID) graph.Concept {
	found, err := o.r.Concepts(o.ctx, []graph.ID{id})
	if o.failed(err) || len(found) == 0 {
		return graph.Concept{}
	}
	return found[0]
}

func (o *obvious) answer(page []graph.ID, total int) query.Answer {
	a := query.Answer{
		Roots: page, Total: total, Links: slices.Sorted(maps.Keys(o.links)), Reverse: slices.Sorted(maps.Keys(o.reverse)),
		Order: cmp.Or(o.root.Order, query.Descending),
	}
	concepts := map[graph.ID]bool{}
	for _, id := range page {
		concepts[id] = true
	}
	for _, id := range a.Links {
		c := o.links[id]
		a.Connections = append(a.Connections, c)
		concepts[c.From], concepts[c.To] = true, true
	}
	a.Concepts = slices.Sorted(maps.Keys(concepts))
	for key, n := range o.counts {
		a.Counts = append(a.Counts, graph.LinkCount{Of: key.of, Type: key.typ, N: n})
	}
	slices.SortFunc(a.Counts, func(a, b graph.LinkCount) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Type, b.Type))
	})
	return a
}

// groups are those of the aggregates on or below a node, of which ids are all that it found.
func (o *obvious) groups(node *query.Query, ids []graph.ID) []query.Groups {
	var all []query.Groups
	for i := range node.Hops {
		hop := &node.Hops[i]
		switch hop.Aggregate {
		case "":
			found := map[graph.ID]bool{}
			for _, id := range ids {
				for _, far := range o.reached(hop, id) {
					found[far] = true
				}
			}
			all = append(all, o.groups(hop, slices.Sorted(maps.Keys(found)))...)
		case query.Group, query.Distinct:
			all = append(all, o.group(hop, ids))
		case query.Count:
		}
	}
	return all
}

func (o *obvious) group(hop *query.Query, ids []graph.ID) query.Groups {
	links := map[graph.ID]graph.ID{}
	for _, id := range ids {
		for _, l := range o.next(hop, id, id) {
			links[l.ID] = far(hop, l)
		}
	}
	sizes := map[graph.ID]int{}
	for _, id := range links {
		sizes[id]++
	}
	g := query.Groups{Name: cmp.Or(hop.Name, hop.Connection), Connection: hop.Connection, Distinct: len(sizes)}
	if hop.Aggregate == query.Distinct {
		return g
	}
	for id, n := range sizes {
		g.Top = append(g.Top, query.GroupCount{Concept: id, N: n})
	}
	slices.SortFunc(g.Top, func(a, b query.GroupCount) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Concept, b.Concept))
	})
	g.Top = cut(g.Top, hop)
	return g
}
