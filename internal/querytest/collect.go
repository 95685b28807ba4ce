package querytest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// addAll adds everything below one concept of a node to the answer, without filters.
func (e *evaluator) addAll(node *query.Query, id graph.ID) {
	e.selectors(node, id)
	for i := range node.Hops {
		hop := &node.Hops[i]
		if hop.Aggregate != "" {
			e.aggregate(hop, id)
			continue
		}
		for _, far := range e.follow(hop, id) {
			e.addAll(hop, far)
		}
	}
}

// selectors adds the targets of the selectors of a node.
func (e *evaluator) selectors(node *query.Query, id graph.ID) {
	for _, name := range node.Selectors {
		e.follow(&query.Query{Connection: name}, id)
	}
}

// aggregate adds the count of a hop with Count. The other aggregates are computed over all roots.
func (e *evaluator) aggregate(hop *query.Query, id graph.ID) {
	if hop.Aggregate == query.Count {
		e.count(e.linksAt(hop, id, id), id)
	}
}

func (e *evaluator) count(links []graph.Connection, id graph.ID) {
	if len(links) > 0 {
		key := countKey{id, links[0].Type}
		e.counts[key] = max(e.counts[key], len(links))
	}
}

// follow adds the connections of a hop from one concept and returns the concepts to which they lead.
func (e *evaluator) follow(hop *query.Query, id graph.ID) []graph.ID {
	return e.addLinks(hop, id, e.linksOfHop(hop, id))
}

// addLinks adds connections of a hop to the answer, or a page of them if the hop is paged.
func (e *evaluator) addLinks(hop *query.Query, id graph.ID, links []graph.Connection) []graph.ID {
	if hop.Limit {
		e.count(links, id)
		slices.SortFunc(links, func(a, b graph.Connection) int {
			if hop.Order == query.Ascending {
				return cmp.Compare(a.ID, b.ID)
			}
			return cmp.Compare(b.ID, a.ID)
		})
		links = pageOf(links, hop)
	}
	var found []graph.ID
	for _, l := range links {
		e.links[l.ID] = l
		if hop.Reverse {
			e.reverse[l.ID] = true
		}
		found = append(found, far(hop, l))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// A goal is a reason to keep a path. It is a filter, or an EXAND with the goals under the ancestor of the EXAND.
type goal struct {
	node   *query.Query
	filter query.Filter
	exAnd  query.Logic // zero for a filter
	under  []*goal
}

// goalsOf returns the goals of a logic: the filters that are under an even number of NOTs. The goal of an EXAND contains the
// filters under that EXAND.
func (e *evaluator) goalsOf(l query.Logic, negated bool) []*goal {
	var found []*goal
	if l.Op == query.Leaf && !negated {
		for _, f := range e.filters(l) {
			for _, node := range e.nodesOf(f) {
				found = append(found, &goal{node: node, filter: f})
			}
		}
	}
	if l.Op == query.Not {
		negated = !negated
	}
	for _, operand := range l.Of {
		found = append(found, e.goalsOf(operand, negated)...)
	}
	if l.Op != query.ExAnd {
		return found
	}
	return []*goal{{node: e.ancestor(l), exAnd: l, under: found}}
}

// leadsTo reports whether a concept of a node leads to a concept that satisfies a goal.
func (e *evaluator) leadsTo(node *query.Query, id graph.ID, g *goal) bool {
	return e.isAtOrBelow(g.node, node) && slices.ContainsFunc(e.walk(node, g.node, id), func(id graph.ID) bool {
		if g.exAnd.Op == 0 {
			return e.holds(g.filter, id)
		}
		return e.isTrue(g.exAnd, g.node, id) && slices.ContainsFunc(g.under, func(under *goal) bool { return e.leadsTo(g.node, id, under) })
	})
}

// keptGoals holds the concepts of a node that are kept, with the goals for which they are kept.
type keptGoals map[graph.ID]map[*goal]bool

func (k keptGoals) add(id graph.ID, g *goal) {
	if k[id] == nil {
		k[id] = map[*goal]bool{}
	}
	k[id][g] = true
}

// keepRoots adds the connections of a filtered query from a page of roots.
func (e *evaluator) keepRoots(l query.Logic, page []graph.ID) {
	k := keptGoals{}
	goals := e.goalsOf(l, false)
	for _, id := range page {
		k[id] = map[*goal]bool{}
		for _, g := range goals {
			k.add(id, g)
		}
	}
	e.keep(e.root, k, e.nodesOnPaths(l))
}

// nodesOnPaths returns the nodes at or above the nodes of all filters in a logic.
func (e *evaluator) nodesOnPaths(l query.Logic) map[*query.Query]bool {
	nodes := map[*query.Query]bool{}
	for _, operand := range l.Of {
		maps.Copy(nodes, e.nodesOnPaths(operand))
	}
	if l.Op == query.Leaf {
		for _, f := range e.filters(l) {
			for _, node := range e.nodesOf(f) {
				for ; node != nil; node = e.parent[node] {
					nodes[node] = true
				}
			}
		}
	}
	return nodes
}

// keep adds the connections below the kept concepts of a node to the answer.
func (e *evaluator) keep(node *query.Query, k keptGoals, onPath map[*query.Query]bool) {
	e.expandExAnds(node, k)
	for _, id := range slices.Sorted(maps.Keys(k)) {
		e.selectors(node, id)
	}
	for i := range node.Hops {
		hop := &node.Hops[i]
		below := keptGoals{}
		for _, id := range slices.Sorted(maps.Keys(k)) {
			switch {
			case hop.Aggregate != "":
				e.aggregate(hop, id)
			case hop.Include:
				for _, far := range e.follow(hop, id) {
					e.addAll(hop, far)
				}
			case onPath[hop]:
				e.keepHop(hop, id, k[id], below)
			}
		}
		e.keep(hop, below, onPath)
	}
}

// expandExAnds replaces each EXAND that holds for a kept concept of its ancestor with the goals under it.
func (e *evaluator) expandExAnds(node *query.Query, k keptGoals) {
	for id, goals := range k {
		for expanded := true; expanded; {
			expanded = false
			for g := range goals {
				if g.node != node || g.exAnd.Op == 0 {
					continue
				}
				delete(goals, g)
				if !e.isTrue(g.exAnd, node, id) {
					continue
				}
				for _, under := range g.under {
					goals[under] = true
				}
				expanded = true
			}
		}
	}
}

// keepHop adds the connections of a hop that the goals of one concept need.
func (e *evaluator) keepHop(hop *query.Query, id graph.ID, goals map[*goal]bool, below keptGoals) {
	needed := map[*goal]map[graph.ID]bool{}
	var links []graph.Connection
	for _, l := range e.linksOfHop(hop, id) {
		isNeeded := false
		for g := range goals {
			if e.isAtOrBelow(g.node, hop) && e.isOnPath(hop, id, l, g) {
				if needed[g] == nil {
					needed[g] = map[graph.ID]bool{}
				}
				needed[g][far(hop, l)] = true
				isNeeded = true
			}
		}
		if isNeeded {
			links = append(links, l)
		}
	}
	for _, to := range e.addLinks(hop, id, links) {
		for g, ends := range needed {
			if ends[to] {
				below.add(to, g)
			}
		}
	}
}

// isOnPath reports whether a connection is on a path of a hop that leads from start to a concept that leads to the
// goal. The path must not exceed the depth of the hop.
func (e *evaluator) isOnPath(hop *query.Query, start graph.ID, link graph.Connection, g *goal) bool {
	near := link.From
	if hop.Reverse {
		near = link.To
	}
	remaining := maxPathLength(hop) - e.distance(hop, start, start, near) - 1
	if remaining < 0 {
		return false
	}
	from := far(hop, link)
	ends := map[graph.ID]bool{from: true}
	for _, id := range e.reachableWithin(hop, start, from, remaining) {
		ends[id] = true
	}
	for id := range ends {
		if e.leadsTo(hop, id, g) {
			return true
		}
	}
	return false
}

// distance returns the length of the shortest path of a hop between two concepts. There must be such a path.
func (e *evaluator) distance(hop *query.Query, start, from, to graph.ID) int {
	if from == to {
		return 0
	}
	for n := 1; ; n++ {
		if slices.Contains(e.reachableWithin(hop, start, from, n), to) {
			return n
		}
	}
}

// reachableWithin returns the concepts to which at most n connections of a hop lead.
func (e *evaluator) reachableWithin(hop *query.Query, start, from graph.ID, n int) []graph.ID {
	seen := map[graph.ID]bool{}
	near := []graph.ID{from}
	for range n {
		var next []graph.ID
		for _, at := range near {
			for _, l := range e.linksAt(hop, start, at) {
				if to := far(hop, l); !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		near = next
	}
	return slices.Sorted(maps.Keys(seen))
}
