package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/longwork"
)

// Run runs a query and returns its answer. The package comment describes its cost. An unknown type has no instances
// and no connections.
//
// Errors are those of Query.Check and of the reader, and TooLarge if the answer has more than MaxLinks connections, the
// query reads more than MaxRows rows, or a set that it must gather has more than MaxSetMembers members. With an error, the
// answer holds only the Plan, with the steps executed so far; an error before the first step leaves the Plan nil.
func Run(ctx context.Context, r graph.Reader, q Query) (Answer, error) {
	return defaultLimits.run(ctx, r, q)
}

// run runs a query within limits.
func (l limits) run(ctx context.Context, r graph.Reader, q Query) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	b, err := bind(ctx, r, &q)
	if err != nil {
		return Answer{}, err
	}
	run := execution{
		evaluator: newEvaluator(ctx, r, l), boundQuery: b, limits: l,
		links: map[graph.ID]graph.Connection{}, reverse: map[graph.ID]bool{}, counts: map[countKey]int{},
		rowsOfNode: map[*node]int{}, timeOfNode: map[*node]time.Duration{},
	}
	if b.filter != nil || len(b.order) > 0 {
		if run.sizes, err = loadSizes(ctx, r, b); err != nil {
			return Answer{Plan: &run.plan}, err
		}
	}
	defer longwork.Of(ctx).Release()
	a, err := run.answer(ctx)
	run.addOutline(run.root(), 1)
	if err != nil {
		return Answer{Plan: &run.plan}, err
	}
	a.Plan = &run.plan
	return a, nil
}

// An execution is the state of a running query. It collects the connections and counts that the levels find.
type execution struct {
	*evaluator
	*boundQuery
	limits     limits
	sizes      typeSizes // nil without filters and OrderBy
	plan       Plan
	rowsOfNode map[*node]int // connections found by hops and selectors, for the plan
	timeOfNode map[*node]time.Duration
	links      map[graph.ID]graph.Connection
	reverse    map[graph.ID]bool // connections followed from target to source
	counts     map[countKey]int
}

type countKey struct{ of, typ graph.ID }

// answer finds the roots, follows the hops from the requested page, and aggregates over all roots.
func (r *execution) answer(ctx context.Context) (Answer, error) {
	roots, err := r.findRoots(ctx)
	if err != nil {
		return Answer{}, err
	}
	var steps []*step
	if r.filter == nil {
		steps = stepsFrom(r.root(), setOf(roots.page))
	} else if steps, err = r.prune(ctx, roots.page); err != nil {
		return Answer{}, err
	}
	for len(steps) > 0 {
		if steps, err = r.followLevel(ctx, steps); err != nil {
			return Answer{}, err
		}
	}
	groups, err := r.aggregate(ctx, roots.all)
	if err != nil {
		return Answer{}, err
	}
	a := r.assemble(roots.page)
	a.Total, a.AtLeast, a.Order, a.Groups, a.Next = roots.total, roots.atLeast, r.root().order(), groups, roots.next
	return a, nil
}

// followLevel follows steps, adds their connections to the answer, and returns the steps of the next level.
func (r *execution) followLevel(ctx context.Context, steps []*step) ([]*step, error) {
	defer r.releaseHeld(r.heldLinks)
	start := time.Now()
	if err := r.followSteps(ctx, steps); err != nil {
		return nil, err
	}
	took := time.Since(start)
	var next []*step
	for _, s := range steps {
		r.record(s, took)
		if err := r.addLinks(s.node, s.links); err != nil {
			return nil, err
		}
		next = append(next, stepsFrom(s.node, s.found)...)
	}
	return next, nil
}

// addLinks adds connections to the answer.
func (r *execution) addLinks(n *node, links []graph.Connection) error {
	before := len(r.links)
	for _, c := range links {
		r.links[c.ID] = c
		if n.Reverse {
			r.reverse[c.ID] = true
		}
	}
	if len(r.links) > MaxLinks {
		return graph.Errorf(graph.TooLarge, "the results need more than %d connections; request fewer roots or fewer hops", MaxLinks)
	}
	return r.account.Grow(int64(len(r.links)-before) * BytesPerLink)
}

// addCount adds the number of connections of a type at a concept. The larger number wins if the type is counted in both
// directions.
func (r *execution) addCount(of, typ graph.ID, n int) {
	key := countKey{of, typ}
	r.counts[key] = max(r.counts[key], n)
}

// assemble returns the answer from the collected connections and counts.
func (r *execution) assemble(roots []graph.ID) Answer {
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
