package query

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
)

const (
	// maxValueRequests is the largest number of requests for resolving value filters.
	maxValueRequests = 32
	// maxLikeFilters is the largest number of patterns that are resolved. A store may have to read every value for a
	// pattern.
	maxLikeFilters = 32
	// initialValueGroups is the number of groups into which filters other than Equal are divided at first.
	initialValueGroups = 8
)

// A valueResolver finds the concepts that satisfy the value filters of a query. If few concepts satisfy a filter,
// their ids replace the filter in the expression. Otherwise the value of every candidate is compared.
type valueResolver struct {
	*execution
	targets      []*valueTarget
	byFilter     map[valueFilter]*valueTarget
	requestsLeft int // see maxValueRequests
}

// A valueFilter is a type and a predicate on the values of its instances.
type valueFilter struct {
	typ   graph.ID
	where graph.Predicate
}

// A valueTarget is a value filter to resolve, with all its occurrences in the expression.
type valueTarget struct {
	valueFilter
	name    string // name of one of the filters, for the plan
	matches []*match
}

// resolveValueFilters resolves the value filters below the root, if the reader is a graph.Selector. Filters on the root
// itself are left to the search for roots.
func (r *execution) resolveValueFilters(ctx context.Context) error {
	if r.selector == nil || r.filter == nil {
		return nil
	}
	v := valueResolver{execution: r, byFilter: map[valueFilter]*valueTarget{}, requestsLeft: maxValueRequests}
	v.collect(r.filter)
	if err := v.resolveAll(ctx); !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// collect collects the value filters of an expression.
func (v *valueResolver) collect(e *expression) {
	for i := range e.matches {
		m := &e.matches[i]
		set, ok := m.set.(graph.Instances)
		if !ok || m.node == v.root() || set.Type == 0 || set.Where == nil || set.Where.Field != graph.FieldValue || set.Where.Op == graph.NotEqual {
			continue
		}
		key := valueFilter{set.Type, *set.Where}
		target := v.byFilter[key]
		if target == nil {
			target = &valueTarget{valueFilter: key, name: e.clause.tests[0].filter.Name}
			v.targets, v.byFilter[key] = append(v.targets, target), target
		}
		target.matches = append(target.matches, m)
	}
	for _, operand := range e.operands {
		v.collect(operand)
	}
}

// resolveAll resolves Equal filters together, and the others in groups.
func (v *valueResolver) resolveAll(ctx context.Context) error {
	var equal, others []*valueTarget
	likes := 0
	for _, target := range v.targets {
		switch {
		case target.where.Op == graph.Equal:
			equal = append(equal, target)
		case target.where.Op.ComparesKeys():
			others = append(others, target)
		case likes < maxLikeFilters:
			others = append(others, target)
			likes++
		}
	}
	if err := v.resolve(ctx, equal); err != nil {
		return err
	}
	for group := range slices.Chunk(others, max(1, (len(others)+initialValueGroups-1)/initialValueGroups)) {
		if err := v.resolve(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// resolve resolves filters with one request. If they match too many concepts together, it resolves each half of them with
// further requests.
func (v *valueResolver) resolve(ctx context.Context, targets []*valueTarget) error {
	if len(targets) == 0 || v.requestsLeft == 0 {
		return nil
	}
	v.requestsLeft--
	ids, err := v.request(ctx, targets)
	switch half := len(targets) / 2; {
	case err != nil:
		return err
	case len(ids) <= v.limits.maxValueMatches:
		return v.assign(ctx, targets, ids)
	case half == 0:
		return nil
	default:
		if err := v.resolve(ctx, targets[:half]); err != nil {
			return err
		}
		return v.resolve(ctx, targets[half:])
	}
}

// request returns the concepts that satisfy any of the filters. It stops at one more than maxValueMatches.
func (v *valueResolver) request(ctx context.Context, targets []*valueTarget) ([]graph.ID, error) {
	sets, names := make([]graph.Set, len(targets)), make([]string, len(targets))
	for i, target := range targets {
		sets[i], names[i] = graph.Instances{Type: target.typ, Where: &target.where}, target.name
	}
	step := v.plan.add(1, "resolve the values of "+graph.Clip(strings.Join(names, ", ")), -1, 0)
	start := time.Now()
	found, err := v.trySelect(ctx, graph.Selection{Set: union(sets...), Page: graph.Page{Limit: v.limits.maxValueMatches + 1}, Unordered: true})
	if err != nil {
		return nil, err
	}
	v.plan.finish(step, len(found), start)
	return found, v.spendRows(ctx, len(found))
}

// assign replaces each filter with the ids of the given concepts that satisfy it.
func (v *valueResolver) assign(ctx context.Context, targets []*valueTarget, ids []graph.ID) error {
	if len(targets) == 1 {
		v.replace(targets[0], ids)
		return nil
	}
	found, err := fallback{v.evaluator, v.limits.maxValueMatches}.readConcepts(ctx, ids)
	if err != nil {
		return err
	}
	keys := make([]graph.Key, len(found))
	for i, c := range found {
		keys[i] = graph.KeyOf(c.Value)
	}
	for _, target := range targets {
		var ids []graph.ID
		where, key := target.where, graph.KeyOf(target.where.Text)
		for i, c := range found {
			holds := where.Op.Holds(keys[i], key)
			if !where.Op.ComparesKeys() {
				holds = where.Holds(c)
			}
			if c.Type == target.typ && holds {
				ids = append(ids, c.ID)
			}
		}
		v.replace(target, ids)
	}
	return nil
}

// replace replaces all occurrences of a filter with ids.
func (v *valueResolver) replace(target *valueTarget, ids []graph.ID) {
	if v.sizes != nil && len(ids) > 0 {
		v.sizes[ids[0]] = v.sizes[target.typ] // see typeSizes
	}
	for _, m := range target.matches {
		m.set = graph.IDs(ids)
	}
}
