package query

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Roots are one page of the roots that pass.
type roots struct {
	page    []graph.ID
	total   int
	atLeast bool
	all     []graph.ID // if an aggregate needs them
}

func (r *run) findRoots(ctx context.Context) (roots, error) {
	expected := len(r.root().ConceptIDs)
	if expected == 0 {
		expected = r.estimate(r.sizes.of(r.root().typ).Instances)
	}
	step := r.plan.add(0, r.root().label(), expected, -1)
	found, err := r.rootsAnyWay(ctx)
	r.plan.Steps[step].Actual = len(found.page)
	ways := r.plan.Steps[step+1:]
	for i := range ways {
		ways[i].Way = true
	}
	return found, err
}

// estimate is what a plan says is expected: nothing if nothing is known.
func (r *run) estimate(n int) int {
	if r.sizes == nil {
		return -1
	}
	return n
}

func (r *run) rootsAnyWay(ctx context.Context) (roots, error) {
	named := len(r.root().ConceptIDs) > 0
	if !named && !r.root().known {
		return roots{}, nil
	}
	if err := r.findValues(ctx); err != nil {
		return roots{}, err
	}
	all := slices.ContainsFunc(r.nodes, (*node).overall)
	switch {
	case named:
		return r.rootsNamed(ctx)
	case r.where == nil && !all:
		return r.rootsOfType(ctx)
	default:
		return r.search(all || r.root().CountAll).find(ctx)
	}
}

// rootsNamed are those of the concepts asked for that are there and pass.
func (r *run) rootsNamed(ctx context.Context) (roots, error) {
	root := r.root()
	found, err := r.Concepts(ctx, root.ConceptIDs)
	if err != nil {
		return roots{}, err
	}
	ids := idsOf(found)
	if r.where != nil {
		if ids, err = r.check(ctx, ids, r.where.set(root, r.sizes)); err != nil {
			return roots{}, err
		}
	}
	return root.roots(ids), nil
}

// rootsOfType are a page of all instances.
func (r *run) rootsOfType(ctx context.Context) (roots, error) {
	root := r.root()
	total, err := r.CountByType(ctx, root.typ, 0)
	if err != nil {
		return roots{}, err
	}
	page := root.page()
	page.After = root.After
	found, err := r.ConceptsByType(ctx, root.typ, page)
	return roots{page: idsOf(found), total: total}, err
}

// roots are a page of all that pass.
func (n *node) roots(all []graph.ID) roots {
	return roots{page: n.cut(all), total: len(all), all: all}
}

// cut is the page that a node asks for, of all ids that there are. They come in any order, unless they shall keep it.
func (n *node) cut(all []graph.ID) []graph.ID {
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

func idsOf(concepts []graph.Concept) []graph.ID {
	ids := make([]graph.ID, len(concepts))
	for i, c := range concepts {
		ids[i] = c.ID
	}
	return ids
}
