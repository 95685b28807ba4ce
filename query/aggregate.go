package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// groups answers the hops that aggregate over all roots that pass.
func (r *run) groups(ctx context.Context, roots []graph.ID) ([]Groups, error) {
	var all []Groups
	for _, n := range r.nodes {
		if !n.overall() {
			continue
		}
		counts, err := r.leadTo(ctx, n, setOf(roots))
		if err != nil {
			return nil, err
		}
		g := Groups{Name: cmp.Or(n.Name, n.Connection), Connection: n.Connection, Distinct: len(counts)}
		if n.Aggregate == Group {
			g.Top = n.largest(counts)
		}
		r.rows[n] = len(counts)
		all = append(all, g)
	}
	return all, nil
}

// leadTo counts how many connections of a hop lead to each concept, from all that the hops above come upon.
func (r *run) leadTo(ctx context.Context, hop *node, roots idSet) (map[graph.ID]int, error) {
	defer r.letGo(r.held)
	counts := map[graph.ID]int{}
	if !hop.reachable() {
		return counts, nil
	}
	var way []*node
	for n := hop.above; n.above != nil; n = n.above {
		way = append(way, n)
	}
	at := roots
	for _, n := range slices.Backward(way) {
		s := newSteps(at, []*node{n})
		for _, s := range s {
			s.whole = true
		}
		if err := r.follow(ctx, s); err != nil {
			return nil, err
		}
		if at = nil; len(s) > 0 {
			at = s[0].found
		}
	}
	links := graph.Links{Direction: hop.direction(), Types: []graph.ID{hop.typ}}
	err := plain{r.asker, 0}.links(ctx, at.sorted(), links, MaxPageSize, func(c graph.Connection) error {
		counts[farOf(c, links.Direction)]++
		return nil
	})
	return counts, err
}

// largest is the page of a hop that aggregates.
func (n *node) largest(counts map[graph.ID]int) []GroupCount {
	all := make([]GroupCount, 0, len(counts))
	for id, n := range counts {
		all = append(all, GroupCount{id, n})
	}
	slices.SortFunc(all, func(a, b GroupCount) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Concept, b.Concept))
	})
	page := n.page()
	from := min(page.Skip, len(all))
	return slices.Clone(all[from:min(from+page.Limit, len(all))])
}
