package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A rootSearch finds the roots of a type that pass a filter. It alternates between gathering the smallest operand and
// scanning roots in order; see the package comment.
type rootSearch struct {
	*execution
	wholeType *operand   // all instances of the root type
	operands  []*operand // operands of the topmost AND, smallest first; all must hold
	wantsAll  bool       // all roots are needed, not only a page
}

// newRootSearch returns a search. Its operands are the operands of the topmost AND, or the whole filter if it is
// not an AND.
func (r *execution) newRootSearch(wantsAll bool) *rootSearch {
	instances := graph.Instances{Type: r.root().typ}
	s := &rootSearch{execution: r, wholeType: &operand{set: instances, expected: r.sizes.estimate(instances)}, wantsAll: wantsAll}
	switch {
	case r.filter == nil:
	case r.filter.clause.op == And:
		s.operands = r.sizes.operandsOf(r.filter.operands, r.root())
	default:
		s.operands = r.sizes.operandsOf([]*expression{r.filter}, r.root())
	}
	return s
}

// find gathers the smallest operand if it is small. Otherwise it scans roots in the order of the answer until the
// page is full. If too few of the scanned roots pass, it tries again to gather, with a larger limit.
func (s *rootSearch) find(ctx context.Context) (rootsFound, error) {
	w := s.newWindowScan()
	for attempts := s.gatherSchedule(); ; {
		for len(attempts) > 0 && w.scanned >= attempts[0].minScanned && !w.pageFillsSoon(attempts[0].limit/4) {
			found, whole, err := s.gatherSmallest(ctx, attempts[0].limit)
			if err != nil || whole {
				return s.root().pageOfRoots(found), err
			}
			attempts = attempts[1:]
		}
		full, err := w.scanNext(ctx)
		if err != nil {
			return rootsFound{}, err
		}
		if full {
			return w.result(), nil
		}
	}
}

// A gatherAttempt is an attempt to gather a set of at most limit members. It follows after minScanned roots were
// scanned (a twentieth of limit), unless the page is about to be full.
type gatherAttempt struct{ minScanned, limit int }

// gatherSchedule returns the attempts in ascending order of their limits. The first attempt is made immediately if
// a small operand is expected. All attempts are made immediately if all roots are needed.
func (s *rootSearch) gatherSchedule() (all []gatherAttempt) {
	if s.filter == nil {
		return []gatherAttempt{{0, MaxSetMembers}}
	}
	for limit := s.limits.firstGather; limit < MaxSetMembers; limit *= 8 {
		all = append(all, gatherAttempt{limit / 20, limit})
	}
	all = append(all, gatherAttempt{MaxSetMembers / 20, MaxSetMembers})
	if s.sizes == nil || s.gatherCandidates()[0].expected <= all[1].limit {
		all[0].minScanned = 0
	}
	for i := range all {
		if s.wantsAll {
			all[i].minScanned = 0
		}
	}
	return all
}

// gatherSmallest finds all roots that pass by gathering one operand, or the whole type, and checking the other
// operands. If every set that it tries has more members than limit, whole is false.
func (s *rootSearch) gatherSmallest(ctx context.Context, limit int) (found []graph.ID, whole bool, err error) {
	tried, unlisted := 0, 0 // candidates that were tried, and skipped candidates without a line of their own in the plan
	for i, o := range s.gatherCandidates() {
		if s.willExceed(o, limit) || tried == s.limits.gatherTries {
			if i < s.limits.gatherTries {
				s.plan.add(1, "gather "+s.describe(o), s.planEstimate(o.expected), -1)
			} else {
				unlisted++
			}
			continue
		}
		tried++
		step := s.plan.add(1, "gather "+s.describe(o), s.planEstimate(o.expected), 0)
		start := time.Now()
		ids, whole, err := s.gatherOperand(ctx, o, limit)
		s.plan.finish(step, len(ids), start)
		if err != nil {
			return nil, false, err
		}
		if whole {
			found, err = s.keepPassing(ctx, ids, o)
			return found, true, err
		}
	}
	if unlisted > 0 {
		s.plan.add(1, fmt.Sprintf("gather %d others", unlisted), -1, -1)
	}
	return nil, false, nil
}

// gatherOperand gathers the roots that satisfy one operand.
func (s *rootSearch) gatherOperand(ctx context.Context, o *operand, limit int) (ids []graph.ID, whole bool, err error) {
	if o.isExAnd() {
		return s.gatherExAnd(ctx, o.expr, limit)
	}
	if instances, ok := o.set.(graph.Instances); ok && instances.Type == s.root().typ {
		return s.gather(ctx, instances, limit)
	}
	return s.gather(ctx, graph.Intersection{o.set, s.wholeType.set}, limit)
}

// isExAnd reports whether the operand is an EXAND.
func (o *operand) isExAnd() bool { return o.expr != nil && o.expr.clause.op == ExAnd }

// gatherExAnd gathers the roots that satisfy an EXAND. It gathers a small operand of the EXAND at the shared
// ancestor, checks the other operands there, and walks back from the ancestors that pass to the roots.
func (s *rootSearch) gatherExAnd(ctx context.Context, e *expression, limit int) (ids []graph.ID, whole bool, err error) {
	operands, tried := s.sizes.operandsOf(e.operands, e.ancestor), 0
	for _, o := range operands {
		if o.expected == unbounded || s.willExceed(o, limit) || tried == s.limits.gatherTries {
			continue
		}
		tried++
		ids, whole, err = s.gather(ctx, o.set, limit)
		s.plan.add(2, "gather "+s.describe(o)+", to "+e.ancestor.label(), s.planEstimate(o.expected), len(ids))
		if err != nil {
			return nil, false, err
		}
		if !whole {
			continue
		}
		ids, err = s.check(ctx, ids, intersect(operands, o))
		s.plan.add(2, "check the other operands there", -1, len(ids))
		if err != nil {
			return nil, false, err
		}
		return s.rootsLeadingTo(ctx, ids, e.ancestor)
	}
	return nil, false, nil
}

// rootsLeadingTo returns the roots that lead to the given concepts of a node.
func (s *rootSearch) rootsLeadingTo(ctx context.Context, ids []graph.ID, from *node) (roots []graph.ID, whole bool, err error) {
	found := idSet{}
	for chunk := range slices.Chunk(ids, maxIDsPerCheck) {
		roots, whole, err := s.gather(ctx, graph.Intersection{walkBack(graph.IDs(chunk), from, s.root()), s.wholeType.set}, MaxSetMembers)
		if err != nil || !whole {
			return nil, false, err
		}
		before := len(found)
		for _, id := range roots {
			found[id] = true
		}
		s.dropIDs(roots[len(found)-before:]) // the ids that were already in found
	}
	return found.sorted(), true, nil
}

// willExceed reports whether an operand is expected to exceed the limit and an attempt to gather it would be
// expensive.
func (s *rootSearch) willExceed(o *operand, limit int) bool {
	return s.sizes != nil && o.expected > limit && (o == s.wholeType || !o.isExAnd() && !canStream(o.set))
}

// gatherCandidates returns the operands that may be gathered and the whole type, in order of their estimated size. At
// equal size the type comes last, because it leaves more operands to check.
func (s *rootSearch) gatherCandidates() []*operand {
	var candidates []*operand
	for _, o := range s.operands {
		if o.expected < unbounded {
			candidates = append(candidates, o)
		}
	}
	candidates = append(candidates, s.wholeType)
	slices.SortStableFunc(candidates, func(a, b *operand) int { return cmp.Compare(a.expected, b.expected) })
	return candidates
}

// keepPassing returns the given roots that pass all operands. It does not check the operand known, because all given
// roots satisfy it. If known is nil, it checks all operands.
func (s *rootSearch) keepPassing(ctx context.Context, ids []graph.ID, known *operand) ([]graph.ID, error) {
	var labels []string
	for _, o := range s.operands {
		if o != known {
			labels = append(labels, s.describe(o))
		}
	}
	if len(labels) == 0 || len(ids) == 0 {
		return ids, nil
	}
	start := time.Now()
	found, err := s.check(ctx, ids, intersect(s.operands, known))
	s.plan.finish(s.plan.add(2, "check "+graph.Clip(strings.Join(labels, ", ")), -1, 0), len(found), start)
	return found, err
}
