package query

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// An orderWalk finds the first roots in the order of OrderBy without reading all roots. It reads the values of the first key
// in order. For each group of equal values, it gathers the roots with these values:
//
//	walk(0)  values of key 0 in order ──▶ groups of equal values ──▶ roots with these values, checked and sorted
//	                                       └─ a group with too many roots ──▶ walk(1) within this group
//	         at last: the roots without a value ──────────────────────────▶ walk(1) within these
//	…
//	walk(n)  all keys are equal: the roots are scanned in order of id; those with one value, in the list of its containers
//
// The result does not depend on the limits: sets only narrow the search, and the position of every root is computed.
type orderWalk struct {
	*rootSearch
	wanted int           // roots to find
	budget int           // values and roots that may still be examined
	found  []orderedRoot // in order
}

// errWalkBudget is returned by a walk that has examined too many values and roots, or is not possible.
var errWalkBudget = errors.New("the walk exceeds its budget")

// walkRoots returns a page of the roots, or errWalkBudget.
func (r *execution) walkRoots(ctx context.Context, s *rootSearch, budget, total int) (rootsFound, error) {
	page := r.root().page()
	w := &orderWalk{rootSearch: s, wanted: page.Skip + page.Limit, budget: budget}
	step := s.plan.add(1, "walk the values of "+r.root().orderLabel(), -1, 0)
	start := time.Now()
	err := w.walk(ctx, walkPath{onCursor: r.cursor != nil})
	s.plan.finish(step, budget-max(w.budget, 0), start)
	if err != nil {
		return rootsFound{}, err
	}
	found := r.cutOrdered(w.found)
	found.total = total
	if r.filter != nil {
		found.total, found.atLeast = len(w.found), w.isFull() || r.cursor != nil
	}
	return found, nil
}

// A walkPath identifies a group of roots in a walk: the keys that the roots have at the levels above, and sets
// that contain the roots.
type walkPath struct {
	keys     []graph.SortKey
	within   []graph.Set
	onCursor bool // there is a cursor and its keys begin with these keys
}

// below returns the path to the group of roots whose next key is key. The roots are in set; nil means any.
func (p walkPath) below(key graph.SortKey, set graph.Set, cursor *orderedRoot) walkPath {
	next := walkPath{keys: append(slices.Clone(p.keys), key), within: slices.Clone(p.within)}
	if set != nil {
		next.within = append(next.within, set)
	}
	next.onCursor = p.onCursor && cursor.keys[len(p.keys)] == key
	return next
}

func (w *orderWalk) isFull() bool { return len(w.found) >= w.wanted }

// spend counts examined values and roots.
func (w *orderWalk) spend(rows int) error {
	if w.budget -= rows; w.budget < 0 {
		return errWalkBudget
	}
	return nil
}

// walk finds the roots of a path in order.
func (w *orderWalk) walk(ctx context.Context, p walkPath) error {
	level := len(p.keys)
	if level == len(w.order) {
		return w.scan(ctx, p, w.listInstances)
	}
	k := w.order[level]
	if k.known && (!p.onCursor || w.cursor.keys[level] != "") {
		if err := w.walkValues(ctx, k, p); err != nil || w.isFull() {
			return err
		}
	}
	return w.walkEmpty(ctx, k, p)
}

// walkValues finds the roots of a path that have a value for the key k, in order of that value.
func (w *orderWalk) walkValues(ctx context.Context, k orderKey, p walkPath) error {
	if w.keys == nil || k.typ == 0 {
		return errWalkBudget
	}
	r := k.keyRange()
	if p.onCursor {
		at := w.cursor.keys[len(p.keys)]
		if k.descending {
			r.Max = min(r.Max, at.Next())
		} else {
			r.Min = max(r.Min, at)
		}
	}
	r.Limit = w.limits.firstValues + min(w.wanted, w.limits.maxGroup)
	for !w.isFull() {
		values, err := w.keys.ValueKeys(ctx, r)
		if errors.Is(err, errors.ErrUnsupported) {
			w.keys = nil
			return errWalkBudget
		}
		if err == nil {
			err = errors.Join(w.spend(len(values)), w.spendRows(ctx, len(values)))
		}
		if err != nil {
			return err
		}
		isLast := len(values) < r.Limit
		groups := groupValues(values, isLast)
		if len(groups) > 0 {
			if err := w.walkGroups(ctx, k, p, groups); err != nil {
				return err
			}
			last := groups[len(groups)-1].key
			if k.descending {
				r.Max = last
			} else {
				r.Min = last.Next()
			}
		}
		if isLast {
			return nil
		}
		r.Limit = min(4*r.Limit, MaxSetMembers)
	}
	return nil
}

// A valueGroup is the values with one sort key.
type valueGroup struct {
	key graph.SortKey
	ids []graph.ID
}

// groupValues groups values in order of their keys. Unless isComplete is true, more values of the last group may follow,
// so that group is left out.
func groupValues(values []graph.ValueSortKey, isComplete bool) []valueGroup {
	var groups []valueGroup
	for _, v := range values {
		if n := len(groups); n == 0 || groups[n-1].key != v.Key {
			groups = append(groups, valueGroup{key: v.Key})
		}
		last := &groups[len(groups)-1]
		last.ids = append(last.ids, v.ID)
	}
	if !isComplete && len(groups) > 0 {
		groups = groups[:len(groups)-1]
	}
	return groups
}

// walkGroups finds the roots of a path whose values are in one of the groups. If there are too many roots, it
// divides the groups; it walks a single group by its next key.
func (w *orderWalk) walkGroups(ctx context.Context, k orderKey, p walkPath, groups []valueGroup) error {
	var ids graph.IDs
	keys := map[graph.SortKey]bool{}
	for _, g := range groups {
		ids = append(ids, g.ids...)
		keys[g.key] = true
	}
	next := p.below(groups[0].key, k.hop.setLeadingTo(ids), w.cursor)
	if len(ids) == 1 && k.hop.self {
		return w.walkValue(ctx, p, next, ids[0])
	}
	if len(groups) > 1 && k.hop.self && w.hasLargeGroups(k) {
		return w.divideGroups(ctx, k, p, groups)
	}
	limit := w.limits.maxGroup
	if len(groups) > 1 {
		limit = min(limit, 4*max(w.wanted, len(ids)))
	}
	roots, whole, err := w.gather(ctx, graph.Intersection{k.hop.setLeadingTo(ids), w.wholeType.set}, limit)
	if err != nil {
		return err
	}
	if whole {
		return w.add(ctx, roots, p, p.within, keys)
	}
	if err := w.spend(len(roots)); err != nil {
		return err
	}
	if len(groups) == 1 {
		return w.walk(ctx, next)
	}
	return w.divideGroups(ctx, k, p, groups)
}

// hasLargeGroups reports whether many roots are expected to share a value of the key.
func (w *orderWalk) hasLargeGroups(k orderKey) bool {
	const large = 8
	return w.sizes != nil && w.sizes.ofType(w.root().typ).Instances > large*w.sizes.ofType(k.typ).Instances
}

// divideGroups finds the roots of the first groups, which probably fill the page, and then those of the others.
func (w *orderWalk) divideGroups(ctx context.Context, k orderKey, p walkPath, groups []valueGroup) error {
	first := max(1, min(len(groups)/4, w.wanted/8))
	if err := w.walkGroups(ctx, k, p, groups[:first]); err != nil || w.isFull() {
		return err
	}
	return w.walkGroups(ctx, k, p, groups[first:])
}

// walkValue finds the roots of a path that contain a value, in order. next is the path of the group of these roots. If no key
// is left, it scans the containers of the value. Otherwise it sorts them, or walks them by the next key if there are many.
func (w *orderWalk) walkValue(ctx context.Context, p, next walkPath, value graph.ID) error {
	within := append(slices.Clone(p.within), w.wholeType.set)
	if len(next.keys) == len(w.order) {
		next.within = within
		return w.scan(ctx, next, func(ctx context.Context, page graph.Page) ([]graph.ID, error) {
			return w.containersOf(ctx, value, page)
		})
	}
	ids, err := w.containersOf(ctx, value, graph.Page{Limit: w.limits.maxGroup + 1})
	if err != nil {
		return err
	}
	if len(ids) > w.limits.maxGroup {
		return w.walk(ctx, next)
	}
	last := next.keys[len(p.keys)]
	return w.add(ctx, slices.Compact(ids), p, within, map[graph.SortKey]bool{last: true})
}

// walkEmpty finds the roots of a path without a value for the key k.
func (w *orderWalk) walkEmpty(ctx context.Context, k orderKey, p walkPath) error {
	var set graph.Set
	if k.known {
		if k.typ == 0 {
			return errWalkBudget
		}
		set = graph.Complement{Of: k.hop.setLeadingTo(k.values())}
	}
	next := p.below("", set, w.cursor)
	if len(next.keys) == len(w.order) {
		return w.walk(ctx, next)
	}
	roots, whole, err := w.gather(ctx, append(graph.Intersection{w.wholeType.set}, next.within...), w.limits.maxGroup)
	if err != nil {
		return err
	}
	if whole {
		return w.add(ctx, roots, p, nil, map[graph.SortKey]bool{"": true})
	}
	return w.walk(ctx, next)
}

// add adds those of the given roots that are in all sets of within, pass the filter, and have keys that begin with the
// keys of the path and continue with one of keys. It adds them in the order of the query.
func (w *orderWalk) add(ctx context.Context, roots []graph.ID, p walkPath, within []graph.Set, keys map[graph.SortKey]bool) error {
	sorted, err := w.examine(ctx, roots, within)
	if err != nil {
		return err
	}
	level := len(p.keys)
	sorted = slices.DeleteFunc(sorted, func(o orderedRoot) bool {
		return !keys[o.keys[level]] || !slices.Equal(o.keys[:level], p.keys)
	})
	slices.SortFunc(sorted, w.comparePositions)
	w.found = append(w.found, w.afterCursor(sorted)...)
	return nil
}

// examine returns the given roots that are in all sets and pass the filter, with their positions.
func (w *orderWalk) examine(ctx context.Context, roots []graph.ID, within []graph.Set) ([]orderedRoot, error) {
	err := w.spend(len(roots))
	if err == nil && len(within) > 0 {
		roots, err = w.check(ctx, roots, graph.Intersection(within))
	}
	if err == nil && len(w.operands) > 0 && len(roots) > 0 {
		roots, err = w.check(ctx, roots, intersect(w.operands))
	}
	if err != nil {
		return nil, err
	}
	return w.positionsOf(ctx, roots)
}

// containersOf returns the next compositions with a value as a direct part.
func (w *orderWalk) containersOf(ctx context.Context, value graph.ID, page graph.Page) ([]graph.ID, error) {
	found, err := w.keys.Containers(ctx, graph.Containers{Value: value, Page: page})
	return found, errors.Join(err, w.spendRows(ctx, len(found)))
}

// scan finds the roots whose keys all equal the keys of the path, in order of id. list returns pages of the concepts to
// examine, in that order.
func (w *orderWalk) scan(ctx context.Context, p walkPath, list func(context.Context, graph.Page) ([]graph.ID, error)) error {
	page := graph.Page{Descending: w.root().page().Descending, Limit: min(w.limits.firstWindow, 8*w.wanted)}
	if p.onCursor {
		page.After = w.cursor.id
	}
	for !w.isFull() {
		ids, err := list(ctx, page)
		if err != nil {
			return err
		}
		roots, err := w.examine(ctx, slices.Compact(slices.Clone(ids)), p.within)
		if err != nil {
			return err
		}
		for _, o := range roots {
			if slices.Equal(o.keys, p.keys) {
				w.found = append(w.found, o)
			}
		}
		if len(ids) < page.Limit {
			return nil
		}
		page.After, page.Limit = ids[len(ids)-1], min(4*page.Limit, w.limits.maxWindow)
	}
	return nil
}
