package querytest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
)

// whole brings everything that leads on from one concept of a node.
func (o *obvious) whole(node *query.Query, id graph.ID) {
	o.selectors(node, id)
	for i := range node.Hops {
		hop := &node.Hops[i]
		if hop.Aggregate != "" {
			o.aggregate(hop, id)
			continue
		}
		for _, far := range o.follow(hop, id) {
			o.whole(hop, far)
		}
	}
}

func (o *obvious) selectors(node *query.Query, id graph.ID) {
	for _, name := range node.Selectors {
		o.follow(&query.Query{Connection: name}, id)
	}
}

// aggregate counts; the other aggregates are not about one concept.
func (o *obvious) aggregate(hop *query.Query, id graph.ID) {
	if hop.Aggregate == query.Count {
		o.count(o.next(hop, id, id), id)
	}
}

func (o *obvious) count(links []graph.Connection, id graph.ID) {
	if len(links) > 0 {
		key := countOf{id, links[0].Type}
		o.counts[key] = max(o.counts[key], len(links))
	}
}

// follow brings what a hop finds from one concept.
func (o *obvious) follow(hop *query.Query, id graph.ID) []graph.ID {
	return o.bring(hop, id, o.within(hop, id))
}

// bring takes links of a hop into the answer, a page of them if the hop has pages.
func (o *obvious) bring(hop *query.Query, id graph.ID, links []graph.Connection) []graph.ID {
	if hop.Limit {
		o.count(links, id)
		slices.SortFunc(links, func(a, b graph.Connection) int {
			if hop.Order == query.Ascending {
				return cmp.Compare(a.ID, b.ID)
			}
			return cmp.Compare(b.ID, a.ID)
		})
		links = cut(links, hop)
	}
	var found []graph.ID
	for _, l := range links {
		o.links[l.ID] = l
		if hop.Reverse {
			o.reverse[l.ID] = true
		}
		found = append(found, far(hop, l))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// A goal is what walks are kept for: a filter, or an EXAND with the goals under it.
type goal struct {
	node   *query.Query
	filter query.Filter
	exand  query.Logic
	under  []*goal
}

// goals are the filters of a logic outside of NOT.
func (o *obvious) goals(l query.Logic, inside bool) []*goal {
	var found []*goal
	if l.Op == query.Leaf && !inside {
		for _, f := range o.filters(l) {
			for _, node := range o.nodesOf(f) {
				found = append(found, &goal{node: node, filter: f})
			}
		}
	}
	if l.Op == query.Not {
		inside = !inside
	}
	for _, side := range l.Of {
		found = append(found, o.goals(side, inside)...)
	}
	if l.Op != query.ExAnd {
		return found
	}
	return []*goal{{node: o.ancestor(l), exand: l, under: found}}
}

// leads says whether a concept of a node leads to what a goal is about.
func (o *obvious) leads(node *query.Query, id graph.ID, g *goal) bool {
	return o.onOrBelow(g.node, node) && slices.ContainsFunc(o.walk(node, g.node, id), func(id graph.ID) bool {
		if g.exand.Op == 0 {
			return o.holds(g.filter, id)
		}
		return o.true(g.exand, g.node, id) && slices.ContainsFunc(g.under, func(under *goal) bool { return o.leads(g.node, id, under) })
	})
}

// A kept is what concepts of a node are kept for.
type kept map[graph.ID]map[*goal]bool

func (k kept) add(id graph.ID, g *goal) {
	if k[id] == nil {
		k[id] = map[*goal]bool{}
	}
	k[id][g] = true
}

func (o *obvious) keepRoots(l query.Logic, page []graph.ID) {
	k := kept{}
	goals := o.goals(l, false)
	for _, id := range page {
		k[id] = map[*goal]bool{}
		for _, g := range goals {
			k.add(id, g)
		}
	}
	o.keep(o.root, k, o.onTheWay(l))
}

// onTheWay are the nodes that a filter of a logic is on or below.
func (o *obvious) onTheWay(l query.Logic) map[*query.Query]bool {
	nodes := map[*query.Query]bool{}
	for _, side := range l.Of {
		maps.Copy(nodes, o.onTheWay(side))
	}
	if l.Op == query.Leaf {
		for _, f := range o.filters(l) {
			for _, node := range o.nodesOf(f) {
				for ; node != nil; node = o.above[node] {
					nodes[node] = true
				}
			}
		}
	}
	return nodes
}

// keep brings of a filtered query what leads on from the concepts of a node that are kept.
func (o *obvious) keep(node *query.Query, k kept, way map[*query.Query]bool) {
	o.open(node, k)
	for _, id := range slices.Sorted(maps.Keys(k)) {
		o.selectors(node, id)
	}
	for i := range node.Hops {
		hop := &node.Hops[i]
		below := kept{}
		for _, id := range slices.Sorted(maps.Keys(k)) {
			switch {
			case hop.Aggregate != "":
				o.aggregate(hop, id)
			case hop.Include:
				for _, far := range o.follow(hop, id) {
					o.whole(hop, far)
				}
			case way[hop]:
				o.keepHop(hop, id, k[id], below)
			}
		}
		o.keep(hop, below, way)
	}
}

// open puts in the place of an EXAND that is true of a concept what is looked for under it.
func (o *obvious) open(node *query.Query, k kept) {
	for id, goals := range k {
		for opened := true; opened; {
			opened = false
			for g := range goals {
				if g.node != node || g.exand.Op == 0 {
					continue
				}
				delete(goals, g)
				if !o.true(g.exand, node, id) {
					continue
				}
				for _, under := range g.under {
					goals[under] = true
				}
				opened = true
			}
		}
	}
}

// keepHop brings the links of a hop that the goals of one concept need.
func (o *obvious) keepHop(hop *query.Query, id graph.ID, goals map[*goal]bool, below kept) {
	needed := map[*goal]map[graph.ID]bool{}
	var links []graph.Connection
	for _, l := range o.within(hop, id) {
		need := false
		for g := range goals {
			if o.onOrBelow(g.node, hop) && o.onWalk(hop, id, l, g) {
				if needed[g] == nil {
					needed[g] = map[graph.ID]bool{}
				}
				needed[g][far(hop, l)] = true
				need = true
			}
		}
		if need {
			links = append(links, l)
		}
	}
	for _, to := range o.bring(hop, id, links) {
		for g, ends := range needed {
			if ends[to] {
				below.add(to, g)
			}
		}
	}
}

// onWalk says whether a link is on a walk along a hop, from a concept to one that leads to the goal, that is no
// longer than the hop reaches.
func (o *obvious) onWalk(hop *query.Query, start graph.ID, link graph.Connection, g *goal) bool {
	near := link.From
	if hop.Reverse {
		near = link.To
	}
	left := reach(hop) - o.distance(hop, start, start, near) - 1
	if left < 0 {
		return false
	}
	from := far(hop, link)
	ends := map[graph.ID]bool{from: true}
	for _, id := range o.steps(hop, start, from, left) {
		ends[id] = true
	}
	for id := range ends {
		if o.leads(hop, id, g) {
			return true
		}
	}
	return false
}

// distance is how many links lead from one concept to another that a hop is known to find.
func (o *obvious) distance(hop *query.Query, start, from, to graph.ID) int {
	if from == to {
		return 0
	}
	for n := 1; ; n++ {
		if slices.Contains(o.steps(hop, start, from, n), to) {
			return n
		}
	}
}

// steps are the concepts that up to n links of a hop lead to.
func (o *obvious) steps(hop *query.Query, start, from graph.ID, n int) []graph.ID {
	seen := map[graph.ID]bool{}
	near := []graph.ID{from}
	for range n {
		var next []graph.ID
		for _, at := range near {
			for _, l := range o.next(hop, start, at) {
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
