package query

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Run answers a query. Where there are no filters that is one question to the reader for each level of the tree and
// direction, and two for each paged hop. A type or connection nobody knows has no instances and no connections.
//
// Errors: what Check says, and TooLarge when the results need more than MaxLinks connections or the query looks at more
// than MaxRows. With an error, the answer is as much of the plan as was carried out.
func Run(ctx context.Context, r graph.Reader, q Query) (Answer, error) { return usual.run(ctx, r, q) }

func (e effort) run(ctx context.Context, r graph.Reader, q Query) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	b, err := bind(ctx, r, &q)
	if err != nil {
		return Answer{}, err
	}
	run := run{
		asker: newAsker(r, e), bound: b, effort: e,
		links: map[graph.ID]graph.Connection{}, reverse: map[graph.ID]bool{}, counts: map[countOf]int{},
		rows: map[*node]int{},
	}
	if b.where != nil {
		if run.sizes, err = sizesOf(ctx, r, b); err != nil {
			return Answer{Plan: &run.plan}, err
		}
	}
	a, err := run.answer(ctx)
	run.outline(run.root(), 1)
	if err != nil {
		return Answer{Plan: &run.plan}, err
	}
	a.Plan = &run.plan
	return a, nil
}

// A run collects what the levels find.
type run struct {
	*asker
	*bound
	effort  effort
	sizes   sizes // if there are filters
	plan    Plan
	rows    map[*node]int // that hops and selectors came to
	links   map[graph.ID]graph.Connection
	reverse map[graph.ID]bool
	counts  map[countOf]int
}

type countOf struct{ of, typ graph.ID }

func (r *run) answer(ctx context.Context) (Answer, error) {
	roots, err := r.findRoots(ctx)
	if err != nil {
		return Answer{}, err
	}
	var steps []*step
	if r.where == nil {
		steps = stepsFrom(r.root(), setOf(roots.page))
	} else if steps, err = r.keep(ctx, roots.page); err != nil {
		return Answer{}, err
	}
	for len(steps) > 0 {
		if steps, err = r.level(ctx, steps); err != nil {
			return Answer{}, err
		}
	}
	groups, err := r.groups(ctx, roots.all)
	if err != nil {
		return Answer{}, err
	}
	a := r.collected(roots.page)
	a.Total, a.AtLeast, a.Order, a.Groups = roots.total, roots.atLeast, r.root().order(), groups
	return a, nil
}

// level takes steps, keeps what they find and returns those that lead on from there.
func (r *run) level(ctx context.Context, steps []*step) ([]*step, error) {
	defer r.letGo(r.held)
	if err := r.follow(ctx, steps); err != nil {
		return nil, err
	}
	var next []*step
	for _, s := range steps {
		r.took(s)
		if err := r.bring(s.node, s.links); err != nil {
			return nil, err
		}
		next = append(next, stepsFrom(s.node, s.found)...)
	}
	return next, nil
}

// bring makes connections a part of the answer.
func (r *run) bring(n *node, links []graph.Connection) error {
	for _, c := range links {
		r.links[c.ID] = c
		if n.Reverse {
			r.reverse[c.ID] = true
		}
	}
	if len(r.links) > MaxLinks {
		return graph.Errorf(graph.TooLarge, "the results need more than %d connections; ask for less", MaxLinks)
	}
	return nil
}

// count notes how many connections of a type a concept has. The same type may be paged out of it and into it.
func (r *run) count(of, typ graph.ID, n int) {
	key := countOf{of, typ}
	r.counts[key] = max(r.counts[key], n)
}

func (r *run) collected(roots []graph.ID) Answer {
	a := Answer{Roots: roots, Links: slices.Sorted(maps.Keys(r.links)), Reverse: slices.Sorted(maps.Keys(r.reverse))}
	concepts := make(idSet, len(roots)+len(a.Links))
	for _, id := range roots {
		concepts[id] = true
	}
	a.Connections = make([]graph.Connection, len(a.Links))
	for i, id := range a.Links {
		c := r.links[id]
		a.Connections[i] = c
		concepts[c.From], concepts[c.To] = true, true
	}
	a.Concepts = concepts.sorted()
	for key, n := range r.counts {
		a.Counts = append(a.Counts, graph.LinkCount{Of: key.of, Type: key.typ, N: n})
	}
	slices.SortFunc(a.Counts, func(a, b graph.LinkCount) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Type, b.Type))
	})
	return a
}
