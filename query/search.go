package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// An effort is how hard it is tried to find roots in one way before another is taken. All find the same.
type effort struct {
	gather     int // how many members of a set are gathered to see whether that is all of them
	hopeless   int // a set that is expected to be so many times larger is not tried
	tries      int // how many sets are
	window     int // how many roots are looked at together at first; each time it is four times as many
	lastWindow int
	patience   int // how many roots are looked at before it is better to gather a set of up to MaxGather
	countOn    int // how many instances a type may have for all to be looked at, so that the total is exact
	rows       int // what may be looked at at all
}

// usual was chosen by measuring.
var usual = effort{gather: 4_000, hopeless: 4, tries: 3, window: 1_000, lastWindow: 64_000, patience: 50_000, countOn: 5_000, rows: MaxRows}

// A search looks for the roots of a type that pass.
type search struct {
	*run
	instances graph.Set
	factors   []*factor // the smallest first; all must hold
	all       bool      // not only a page
}

// A factor is a part of the topmost AND.
type factor struct {
	what     string    // for people
	set      graph.Set // what it is true of
	roots    graph.Set // and is of the type of the roots; nil if that is not to be gathered
	expected int
}

func (r *run) search(whole bool) *search {
	s := &search{run: r, instances: graph.Instances{Type: r.root().typ}, all: whole}
	if r.where == nil {
		return s
	}
	sides := []*expression{r.where}
	if r.where.clause.op == And {
		sides = r.where.of
	}
	for _, side := range sides {
		s.factors = append(s.factors, s.factor(side))
	}
	slices.SortStableFunc(s.factors, func(a, b *factor) int { return cmp.Compare(a.expected, b.expected) })
	return s
}

func (s *search) factor(e *expression) *factor {
	f := &factor{what: e.what(), expected: all}
	if e.clause.op == Not {
		f.set = graph.Except{Of: e.of[0].set(s.root(), s.sizes)}
		return f
	}
	f.set = e.set(s.root(), s.sizes)
	f.roots = graph.Both{f.set, s.instances}
	if of, ok := f.set.(graph.Instances); ok && (of.Type == 0 || of.Type == s.root().typ) {
		of.Type = s.root().typ
		f.roots = of
	}
	if f.expected = s.sizes.expect(f.roots); f.expected == all {
		f.roots = nil
	}
	return f
}

// find gathers the smallest part if that is small, and otherwise looks at roots in the order of the answer.
func (s *search) find(ctx context.Context) (roots, error) {
	found, whole, err := s.gathered(ctx, s.effort.gather)
	if err == nil && !whole && s.all {
		found, whole, err = s.gathered(ctx, MaxGather)
	}
	if err != nil || whole {
		return s.root().roots(found), err
	}
	return s.windows(ctx)
}

// gathered finds all roots that pass by gathering one part of the logic, or the whole type, and checking the rest. It
// is not whole if all parts have more than a limit.
func (s *search) gathered(ctx context.Context, limit int) (found []graph.ID, whole bool, err error) {
	for i, f := range s.candidates() {
		if s.sizes != nil && f.expected > s.effort.hopeless*limit || i >= s.effort.tries {
			s.plan.add(1, "gather "+f.what, s.estimate(f.expected), -1)
			continue
		}
		ids, whole, err := s.gather(ctx, f.roots, limit)
		s.plan.add(1, "gather "+f.what, s.estimate(f.expected), len(ids))
		if err != nil {
			return nil, false, err
		}
		if whole {
			found, err = s.passing(ctx, ids, f)
			return found, true, err
		}
	}
	return nil, false, nil
}

// candidates are the parts of the logic that may be small enough, and the type itself, the smallest first.
func (s *search) candidates() []*factor {
	candidates := []*factor{{what: "all " + s.root().label(), roots: s.instances, expected: s.sizes.expect(s.instances)}}
	for _, f := range s.factors {
		if f.roots != nil {
			candidates = append(candidates, f)
		}
	}
	slices.SortStableFunc(candidates, func(a, b *factor) int { return cmp.Compare(a.expected, b.expected) })
	return candidates
}

// passing keeps of some concepts the roots that pass, which are known to pass one factor.
func (s *search) passing(ctx context.Context, ids []graph.ID, known *factor) ([]graph.ID, error) {
	var both graph.Both
	var what []string
	for _, f := range s.factors {
		if f != known {
			both, what = append(both, f.set), append(what, f.what)
		}
	}
	if len(both) == 0 || len(ids) == 0 {
		return ids, nil
	}
	found, err := s.check(ctx, ids, both)
	s.plan.add(2, "check "+graph.Clip(strings.Join(what, ", ")), -1, len(found))
	return found, err
}

// windows looks at roots in the order of the answer until the page is full.
func (s *search) windows(ctx context.Context) (roots, error) {
	root := s.root()
	page := root.page()
	n, err := s.CountByType(ctx, root.typ, s.effort.countOn+1)
	if err != nil {
		return roots{}, err
	}
	enough := !s.all && n > s.effort.countOn
	window := graph.Page{Descending: page.Descending, After: root.After, Limit: s.effort.window}
	if s.all {
		window.After = 0
	}
	var passed []graph.ID
	for looked, patient := 0, true; ; {
		ids, err := s.listed(ctx, window)
		if err != nil {
			return roots{}, err
		}
		s.plan.add(1, "look through "+root.label()+" in order", -1, len(ids))
		some, err := s.passing(ctx, ids, nil)
		if err != nil {
			return roots{}, s.narrow(err)
		}
		passed = append(passed, some...)
		looked += len(ids)
		last := len(ids) < window.Limit
		if last || enough && len(passed)-page.Skip >= page.Limit {
			found := root.roots(passed)
			found.atLeast = !last || root.After != 0 && !s.all
			return found, nil
		}
		if looked > s.effort.patience && patient && !s.all {
			patient = false
			if found, whole, err := s.gathered(ctx, MaxGather); err != nil || whole {
				return root.roots(found), s.narrow(err)
			}
		}
		window.After, window.Limit = ids[len(ids)-1], min(4*window.Limit, s.effort.lastWindow)
	}
}

// listed is a page of the instances of the type.
func (s *search) listed(ctx context.Context, page graph.Page) ([]graph.ID, error) {
	if s.selector != nil {
		ids, err := s.selector.Select(ctx, graph.Selection{Set: s.instances, Page: page})
		if err == nil {
			return ids, s.spend(ctx, len(ids))
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, err
		}
	}
	found, err := s.ConceptsByType(ctx, s.root().typ, page)
	if err != nil {
		return nil, err
	}
	return idsOf(found), s.spend(ctx, len(found))
}

// narrow says of which filter there is too much.
func (s *search) narrow(err error) error {
	if graph.KindOf(err) != graph.TooLarge || len(s.factors) == 0 {
		return err
	}
	return graph.Errorf(graph.TooLarge, "%s; the rarest filter is %s", err, s.factors[0].what)
}
