package query

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// rootsFound is the result of the search for roots.
type rootsFound struct {
	page    []graph.ID // the requested page of the roots that pass, in order
	total   int        // number of roots that pass
	atLeast bool       // total is a lower bound
	all     []graph.ID // all roots that pass, if an aggregate needs them
	next    string     // see Answer.Next
}

// findRoots finds the roots and records the search in the plan.
func (r *execution) findRoots(ctx context.Context) (rootsFound, error) {
	expected := len(r.root().ConceptIDs)
	if expected == 0 {
		expected = r.planEstimate(r.sizes.ofType(r.root().typ).Instances)
	}
	step := r.plan.add(0, r.root().label(), expected, -1)
	start := time.Now()
	found, err := r.findRootsByStrategy(ctx)
	r.plan.finish(step, len(found.page), start)
	search := r.plan.Steps[step+1:]
	for i := range search {
		search[i].IsRootSearch = true
	}
	return found, err
}

// planEstimate returns an estimate for the plan, or -1 if the sizes of types are unknown.
func (r *execution) planEstimate(n int) int {
	if r.sizes == nil {
		return -1
	}
	return n
}

// findRootsByStrategy finds the roots in the order of OrderBy if there is one. Otherwise it reads the given ids if there are
// any; without filters and without an aggregate over all roots, it reads one page of the type; in all other cases it searches
// for the roots that pass.
func (r *execution) findRootsByStrategy(ctx context.Context) (rootsFound, error) {
	hasIDs := len(r.root().ConceptIDs) > 0
	if !hasIDs && !r.root().hasType {
		return rootsFound{}, nil
	}
	if err := r.resolveValueFilters(ctx); err != nil {
		return rootsFound{}, err
	}
	needsAll := slices.ContainsFunc(r.nodes, (*node).aggregatesRoots)
	switch {
	case len(r.order) > 0:
		return r.rootsInOrder(ctx, needsAll)
	case hasIDs:
		return r.rootsByID(ctx)
	case r.filter == nil && !needsAll:
		return r.rootsByType(ctx)
	default:
		return r.newRootSearch(needsAll || r.root().CountAll).find(ctx)
	}
}

// rootsByID returns the roots among the requested ids that exist and pass.
func (r *execution) rootsByID(ctx context.Context) (rootsFound, error) {
	root := r.root()
	found, err := r.Concepts(ctx, root.ConceptIDs)
	if err != nil {
		return rootsFound{}, err
	}
	ids := conceptIDs(found)
	if r.filter != nil {
		if ids, err = r.check(ctx, ids, r.filter.setAt(root, r.sizes)); err != nil {
			return rootsFound{}, err
		}
	}
	return root.pageOfRoots(ids), nil
}

// rootsByType returns a page of all instances of the root type.
func (r *execution) rootsByType(ctx context.Context) (rootsFound, error) {
	root := r.root()
	total, err := r.CountByType(ctx, root.typ, 0)
	if err != nil {
		return rootsFound{}, err
	}
	page := root.page()
	page.After = root.After
	found, err := r.ConceptsByType(ctx, root.typ, page)
	return rootsFound{page: conceptIDs(found), total: total}, err
}

// pageOfRoots returns the requested page of all roots that pass.
func (n *node) pageOfRoots(all []graph.ID) rootsFound {
	return rootsFound{page: n.cutPage(all), total: len(all), all: all}
}

// cutPage returns the page of ids that a node requests. It sorts the ids, unless the node keeps the order of
// ConceptIDs.
func (n *node) cutPage(all []graph.ID) []graph.ID {
	all = slices.Clone(all)
	page := n.page()
	if n.Order != "" || len(n.ConceptIDs) == 0 {
		slices.SortFunc(all, func(a, b graph.ID) int {
			if page.Descending {
				a, b = b, a
			}
			return cmp.Compare(a, b)
		})
	}
	if n.After != 0 {
		all = slices.DeleteFunc(all, func(id graph.ID) bool { return id == n.After || (id > n.After) == page.Descending })
	}
	from := min(page.Skip, len(all))
	return all[from:min(from+page.Limit, len(all))]
}

// conceptIDs returns the ids of concepts.
func conceptIDs(concepts []graph.Concept) []graph.ID {
	ids := make([]graph.ID, len(concepts))
	for i, c := range concepts {
		ids[i] = c.ID
	}
	return ids
}
