package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// An effort is how hard it is tried to find roots in one way before another is taken. All find the same.
type effort struct {
	values     int // how many concepts some filters by value may be true of for them to take the place of these
	gather     int // how many members of a set are gathered to see whether that is all of them
	tries      int // how many sets are
	window     int // how many roots are looked at together at first; each time it is four times as many
	lastWindow int
	countOn    int // how many instances a type may have for all to be looked at, so that the total is exact
	alike      int // how many sets that read the same are left to a selector
	rows       int // what may be looked at at all
	room       int // how many connections may be held at once
}

// usual was chosen by measuring.
var usual = effort{values: 1_000, gather: 500, tries: 3, window: 200, lastWindow: 51_200, countOn: 1_000, alike: 16, rows: MaxRows, room: MaxLinks}

// A search looks for the roots of a type that pass.
type search struct {
	*run
	whole *side   // all instances of the type
	sides []*side // of the topmost AND, the smallest first; all must hold
	all   bool    // not only a page
}

func (r *run) search(all bool) *search {
	instances := graph.Instances{Type: r.root().typ}
	s := &search{run: r, whole: &side{set: instances, expected: r.sizes.expect(instances)}, all: all}
	switch {
	case r.where == nil:
	case r.where.clause.op == And:
		s.sides = r.sizes.sides(r.where.of, r.root())
	default:
		s.sides = r.sizes.sides([]*expression{r.where}, r.root())
	}
	return s
}

// find gathers the smallest part if that is small. Otherwise it looks at roots in the order of the answer until the page is
// full, and if too few of them pass, gathers after all.
func (s *search) find(ctx context.Context) (roots, error) {
	w := s.windows()
	for gathers := s.gathers(); ; {
		for len(gathers) > 0 && w.looked >= gathers[0].after && !w.soon(gathers[0].limit/4) {
			found, whole, err := s.gathered(ctx, gathers[0].limit)
			if err != nil || whole {
				return s.root().roots(found), err
			}
			gathers = gathers[1:]
		}
		full, err := w.next(ctx)
		if err != nil {
			return roots{}, err
		}
		if full {
			return w.roots(), nil
		}
	}
}

// A gather of up to a limit is worth trying when a twentieth as many roots were looked at, unless the page fills soon.
type gather struct{ after, limit int }

// gathers are those to be tried, the larger ones later.
func (s *search) gathers() (all []gather) {
	if s.where == nil {
		return []gather{{0, MaxGather}}
	}
	for limit := s.effort.gather; limit < MaxGather; limit *= 8 {
		all = append(all, gather{limit / 20, limit})
	}
	all = append(all, gather{MaxGather / 20, MaxGather})
	if s.sizes == nil || s.candidates()[0].expected <= all[1].limit {
		all[0].after = 0
	}
	for i := range all {
		if s.all {
			all[i].after = 0
		}
	}
	return all
}

// gathered finds all roots that pass by gathering one part of the logic, or the whole type, and checking the rest. It
// is not whole if all parts have more than a limit.
func (s *search) gathered(ctx context.Context, limit int) (found []graph.ID, whole bool, err error) {
	tried, others := 0, 0
	for i, one := range s.candidates() {
		if s.hopeless(one, limit) || tried == s.effort.tries {
			if i < s.effort.tries {
				s.plan.add(1, "gather "+s.what(one), s.estimate(one.expected), -1)
			} else {
				others++
			}
			continue
		}
		tried++
		step := s.plan.add(1, "gather "+s.what(one), s.estimate(one.expected), 0)
		ids, whole, err := s.gatherSide(ctx, one, limit)
		s.plan.Steps[step].Actual = len(ids)
		if err != nil {
			return nil, false, err
		}
		if whole {
			found, err = s.passing(ctx, ids, one)
			return found, true, err
		}
	}
	if others > 0 {
		s.plan.add(1, fmt.Sprintf("gather %d others", others), -1, -1)
	}
	return nil, false, nil
}

func (s *search) gatherSide(ctx context.Context, one *side, limit int) (ids []graph.ID, whole bool, err error) {
	if one.under() {
		return s.gatherUnder(ctx, one.of, limit)
	}
	if of, ok := one.set.(graph.Instances); ok && of.Type == s.root().typ {
		return s.gather(ctx, of, limit)
	}
	return s.gather(ctx, graph.Both{one.set, s.whole.set}, limit)
}

func (s *side) under() bool { return s.of != nil && s.of.clause.op == ExAnd }

// gatherUnder gathers for an EXAND one of its sides that is small, as far back as the concept that it shares with the others;
// those are checked there, and from what passes it walks back to the roots.
func (s *search) gatherUnder(ctx context.Context, e *expression, limit int) (ids []graph.ID, whole bool, err error) {
	sides, tried := s.sizes.sides(e.of, e.under), 0
	for _, one := range sides {
		if one.expected == all || s.hopeless(one, limit) || tried == s.effort.tries {
			continue
		}
		tried++
		ids, whole, err = s.gather(ctx, one.set, limit)
		s.plan.add(2, "gather "+s.what(one)+", to "+e.under.label(), s.estimate(one.expected), len(ids))
		if err != nil {
			return nil, false, err
		}
		if !whole {
			continue
		}
		ids, err = s.check(ctx, ids, both(sides, one))
		s.plan.add(2, "check the rest there", -1, len(ids))
		if err != nil {
			return nil, false, err
		}
		return s.walkBack(ctx, ids, e.under)
	}
	return nil, false, nil
}

// walkBack finds the roots that lead to concepts of a node.
func (s *search) walkBack(ctx context.Context, ids []graph.ID, from *node) (roots []graph.ID, whole bool, err error) {
	found := idSet{}
	for some := range slices.Chunk(ids, checked) {
		roots, whole, err := s.gather(ctx, graph.Both{walk(graph.These(some), from, s.root()), s.whole.set}, MaxGather)
		if err != nil || !whole {
			return nil, false, err
		}
		for _, id := range roots {
			found[id] = true
		}
	}
	return found.sorted(), true, nil
}

// hopeless says whether a limit will not be enough and it takes long to find that out.
func (s *search) hopeless(one *side, limit int) bool {
	return s.sizes != nil && one.expected > limit && (one == s.whole || !one.under() && !flows(one.set))
}

// candidates are the parts of the logic that may be small enough, and the type itself, the smallest first. Of the type, more is left to
// check.
func (s *search) candidates() []*side {
	var candidates []*side
	for _, one := range s.sides {
		if one.expected < all {
			candidates = append(candidates, one)
		}
	}
	candidates = append(candidates, s.whole)
	slices.SortStableFunc(candidates, func(a, b *side) int { return cmp.Compare(a.expected, b.expected) })
	return candidates
}

// passing keeps of some concepts the roots that pass, which are known to pass one side.
func (s *search) passing(ctx context.Context, ids []graph.ID, known *side) ([]graph.ID, error) {
	var what []string
	for _, one := range s.sides {
		if one != known {
			what = append(what, s.what(one))
		}
	}
	if len(what) == 0 || len(ids) == 0 {
		return ids, nil
	}
	found, err := s.check(ctx, ids, both(s.sides, known))
	s.plan.add(2, "check "+graph.Clip(strings.Join(what, ", ")), -1, len(found))
	return found, err
}

// Windows are roots in the order of the answer, so many at first and then more and more together.
type windows struct {
	*search
	page   graph.Page
	looked int
	passed []graph.ID
	last   bool // there are no more
}

func (s *search) windows() *windows {
	w := &windows{search: s, page: graph.Page{Descending: s.root().page().Descending, After: s.root().After, Limit: s.effort.window}}
	if s.all {
		w.page.After = 0
	}
	return w
}

// next looks at one window more and says whether that was enough.
func (w *windows) next(ctx context.Context) (full bool, err error) {
	ids, err := w.listed(ctx, w.page)
	if err != nil {
		return false, err
	}
	w.plan.add(1, "look through "+w.root().label()+" in order", -1, len(ids))
	passed, err := w.passing(ctx, ids, nil)
	if err != nil {
		return false, err
	}
	w.passed = append(w.passed, passed...)
	w.looked += len(ids)
	if w.last = len(ids) < w.page.Limit; !w.last {
		w.page.After, w.page.Limit = ids[len(ids)-1], min(4*w.page.Limit, w.effort.lastWindow)
	}
	wanted := w.root().page()
	if w.last || w.all || len(w.passed)-wanted.Skip < wanted.Limit {
		return w.last, nil
	}
	n, err := w.CountByType(ctx, w.root().typ, w.effort.countOn+1)
	return n > w.effort.countOn, err
}

// soon says whether the page will be full, if things go on as they went so far, before as many more roots are looked at.
func (w *windows) soon(many int) bool {
	wanted := w.root().page()
	return !w.all && len(w.passed) > 0 && (wanted.Skip+wanted.Limit-len(w.passed))*w.looked/len(w.passed) < many
}

func (w *windows) roots() roots {
	found := w.root().roots(w.passed)
	found.atLeast = !w.last || !w.all && w.root().After != 0
	return found
}

// listed is a page of the instances of the type.
func (s *search) listed(ctx context.Context, page graph.Page) ([]graph.ID, error) {
	if s.selector != nil {
		ids, err := s.selector.Select(ctx, graph.Selection{Set: s.whole.set, Page: page})
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
