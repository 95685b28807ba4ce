// Package querytest checks query engines: Reference is a slow but simple evaluator of the complete query language,
// Graphs and Queries generate random inputs, and Diff compares answers. CaseAnswer converts an answer to the format
// of spec/query.
package querytest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// Reference runs a query that passes Query.Check, one root and one concept at a time. It does not support ConnectionID and Cursor, and does
// not set Answer.Next. The total is always exact, and the answer has no plan. The code favours simplicity over speed: it must not use the
// ideas of package query, because it verifies that package.
func Reference(ctx context.Context, r graph.Reader, q query.Query) (query.Answer, error) {
	logic, filtered, err := query.ParseLogic(q.Logic)
	if err != nil {
		return query.Answer{}, err
	}
	e := &evaluator{
		ctx: ctx, r: r, root: &q,
		links: map[graph.ID]graph.Connection{}, reverse: map[graph.ID]bool{}, counts: map[countKey]int{},
	}
	e.addNodes(&q, nil)
	if filtered {
		logic, filtered = e.withoutUnknown(logic)
	}
	passing := e.roots()
	if filtered {
		passing = slices.DeleteFunc(passing, func(id graph.ID) bool { return !e.isTrue(logic, e.root, id) })
	}
	if len(q.OrderBy) > 0 {
		passing = e.inOrder(passing)
	}
	page := e.page(passing)
	if filtered {
		e.keepRoots(logic, page)
	} else {
		for _, id := range page {
			e.addAll(e.root, id)
		}
	}
	a := e.answer(page, len(passing))
	a.Groups = e.groups(e.root, passing)
	return a, e.err
}

// An evaluator is the state of one Reference call.
type evaluator struct {
	ctx  context.Context //nolint:containedctx // valid for one call
	r    graph.Reader
	err  error // the first error of the reader; after an error, all lookups are empty
	root *query.Query

	parent map[*query.Query]*query.Query
	nodes  []*query.Query

	links   map[graph.ID]graph.Connection
	reverse map[graph.ID]bool
	counts  map[countKey]int
}

type countKey struct{ of, typ graph.ID }

// addNodes records a node and the nodes below it.
func (e *evaluator) addNodes(node, parent *query.Query) {
	if parent == nil {
		e.parent = map[*query.Query]*query.Query{}
	}
	e.parent[node] = parent
	e.nodes = append(e.nodes, node)
	for i := range node.Hops {
		e.addNodes(&node.Hops[i], node)
	}
}

// roots returns all roots in order, whether they pass or not.
func (e *evaluator) roots() []graph.ID {
	if len(e.root.ConceptIDs) == 0 {
		typ := e.typeNamed(e.root.Type)
		if typ == 0 {
			return nil
		}
		found, err := e.r.ConceptsByType(e.ctx, typ, graph.Page{Descending: e.root.Order != query.Ascending})
		return conceptIDs(found, e.failed(err))
	}
	found, err := e.r.Concepts(e.ctx, e.root.ConceptIDs)
	ids := conceptIDs(found, e.failed(err))
	switch e.root.Order {
	case query.Ascending:
		slices.Sort(ids)
	case query.Descending:
		slices.SortFunc(ids, func(a, b graph.ID) int { return cmp.Compare(b, a) })
	}
	return ids
}

// failed records an error and reports whether any occurred.
func (e *evaluator) failed(err error) bool {
	e.err = cmp.Or(e.err, err)
	return e.err != nil
}

// conceptIDs returns the ids of concepts, or none after a failure.
func conceptIDs(concepts []graph.Concept, failed bool) []graph.ID {
	var ids []graph.ID
	for _, c := range concepts {
		if !failed {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// page returns the requested page of the roots that pass.
func (e *evaluator) page(passing []graph.ID) []graph.ID {
	var rest []graph.ID
	for _, id := range passing {
		if after := e.root.After; after == 0 || e.root.Order == query.Ascending && id > after || e.root.Order != query.Ascending && id < after {
			rest = append(rest, id)
		}
	}
	return pageOf(rest, e.root)
}

func pageOf[T any](list []T, node *query.Query) []T {
	size := cmp.Or(node.PageSize, query.DefaultPageSize)
	for range max(node.Page, 1) - 1 {
		list = list[min(size, len(list)):]
	}
	return list[:min(size, len(list))]
}

// typeNamed returns the id of a type, or 0 if it does not exist.
func (e *evaluator) typeNamed(name string) graph.ID {
	found, err := graph.TypesNamed(e.ctx, e.r, name)
	if e.failed(err) {
		return 0
	}
	return found[name].ID
}

func (e *evaluator) concept(id graph.ID) graph.Concept {
	found, err := e.r.Concepts(e.ctx, []graph.ID{id})
	if e.failed(err) || len(found) == 0 {
		return graph.Concept{}
	}
	return found[0]
}

// answer assembles the answer from the collected connections and counts.
func (e *evaluator) answer(page []graph.ID, total int) query.Answer {
	a := query.Answer{
		Roots: page, Total: total, Links: slices.Sorted(maps.Keys(e.links)), Reverse: slices.Sorted(maps.Keys(e.reverse)),
		Order: cmp.Or(e.root.Order, query.Descending),
	}
	concepts := map[graph.ID]bool{}
	for _, id := range page {
		concepts[id] = true
	}
	for _, id := range a.Links {
		c := e.links[id]
		a.Connections = append(a.Connections, c)
		concepts[c.From], concepts[c.To] = true, true
	}
	a.Concepts = slices.Sorted(maps.Keys(concepts))
	for key, n := range e.counts {
		a.Counts = append(a.Counts, graph.LinkCount{Of: key.of, Type: key.typ, N: n})
	}
	slices.SortFunc(a.Counts, func(a, b graph.LinkCount) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Type, b.Type))
	})
	return a
}

// groups returns the groups of the aggregates at or below a node. The ids are all concepts of the node.
func (e *evaluator) groups(node *query.Query, ids []graph.ID) []query.Groups {
	var all []query.Groups
	for i := range node.Hops {
		hop := &node.Hops[i]
		switch hop.Aggregate {
		case "":
			found := map[graph.ID]bool{}
			for _, id := range ids {
				for _, far := range e.targetsOfHop(hop, id) {
					found[far] = true
				}
			}
			all = append(all, e.groups(hop, slices.Sorted(maps.Keys(found)))...)
		case query.Group, query.Distinct:
			all = append(all, e.group(hop, ids))
		case query.Count:
		}
	}
	return all
}

// group returns the result of one hop with Distinct or Group. A connection counts once.
func (e *evaluator) group(hop *query.Query, ids []graph.ID) query.Groups {
	links := map[graph.ID]graph.ID{}
	for _, id := range ids {
		for _, l := range e.linksAt(hop, id, id) {
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
	g.Top = pageOf(g.Top, hop)
	return g
}
