package query

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// aggregate returns the groups of the hops with Distinct or Group. They count over all roots that pass, not only
// over the page.
func (r *execution) aggregate(ctx context.Context, roots []graph.ID) ([]Groups, error) {
	var all []Groups
	for _, n := range r.nodes {
		if !n.aggregatesRoots() {
			continue
		}
		start := time.Now()
		counts, err := r.countTargets(ctx, n, setOf(roots))
		if err != nil {
			return nil, err
		}
		g := Groups{Name: cmp.Or(n.Name, n.Connection), Connection: n.Connection, Distinct: len(counts)}
		if n.Aggregate == Group {
			g.Top = n.largestGroups(counts)
		}
		r.rowsOfNode[n], r.timeOfNode[n] = len(counts), time.Since(start)
		all = append(all, g)
	}
	return all, nil
}

// countTargets returns the number of connections of a hop to each concept. The hop starts at the concepts that the
// hops above reach from the roots. The cost is one request per level.
func (r *execution) countTargets(ctx context.Context, hop *node, roots idSet) (map[graph.ID]int, error) {
	defer r.releaseHeld(r.heldLinks)
	counts := map[graph.ID]int{}
	if !hop.isReachable() {
		return counts, nil
	}
	var path []*node
	for n := hop.parent; n.parent != nil; n = n.parent {
		path = append(path, n)
	}
	starts := roots
	for _, n := range slices.Backward(path) {
		steps := newSteps(starts, []*node{n})
		for _, s := range steps {
			s.ignoresPage = true
		}
		if err := r.followSteps(ctx, steps); err != nil {
			return nil, err
		}
		if starts = nil; len(steps) > 0 {
			starts = steps[0].found
		}
	}
	links := graph.Links{Of: starts.sorted(), Direction: hop.direction(), Types: []graph.ID{hop.typ}}
	err := fallback{r.evaluator, 0}.visitLinks(ctx, links, MaxPageSize, func(c graph.Connection) error {
		counts[farOf(c, links.Direction)]++
		return nil
	})
	return counts, err
}

// largestGroups returns the page of groups that a hop requests. The groups are sorted by size, the largest first.
func (n *node) largestGroups(counts map[graph.ID]int) []GroupCount {
	all := make([]GroupCount, 0, len(counts))
	for id, count := range counts {
		all = append(all, GroupCount{id, count})
	}
	slices.SortFunc(all, func(a, b GroupCount) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Concept, b.Concept))
	})
	page := n.page()
	from := min(page.Skip, len(all))
	return slices.Clone(all[from:min(from+page.Limit, len(all))])
}
