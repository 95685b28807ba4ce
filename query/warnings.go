package query

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Warnings returns sentences about members of a query that have no effect, which is usually a mistake: types that do not
// exist, names in the logic that no filter has, and filters that the logic does not name. If the answer is empty and a
// named type also exists with the prefix "the_", which printed records leave out, Warnings suggests the prefixed name. This
// may be the case even if the type without the prefix exists, because bare words are types, too.
// It takes one request.
func Warnings(ctx context.Context, r graph.Reader, q Query, isEmpty bool) ([]string, error) {
	ofTypes, err := warnOfTypes(ctx, r, q, isEmpty)
	if err != nil {
		return nil, err
	}
	ofLogic, err := warnOfLogic(q)
	return append(ofTypes, ofLogic...), err
}

func warnOfTypes(ctx context.Context, r graph.Reader, q Query, isEmpty bool) (warnings []string, err error) {
	names := q.typesNamed()
	candidates := slices.Clone(names)
	for _, name := range names {
		candidates = append(candidates, graph.TypePrefix+name)
	}
	found, err := graph.TypesNamed(ctx, r, candidates...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		_, exists := found[name]
		_, existsWithPrefix := found[graph.TypePrefix+name]
		switch {
		case isEmpty && existsWithPrefix:
			warnings = append(warnings, fmt.Sprintf("the query names %s; did you mean the_%[1]s?", graph.Clip(name)))
		case !exists:
			warnings = append(warnings, fmt.Sprintf("the query names %s, an unknown type", graph.Clip(name)))
		}
	}
	return warnings, nil
}

func warnOfLogic(q Query) (warnings []string, err error) {
	logic, _, err := ParseLogic(q.Logic)
	if err != nil {
		return nil, err
	}
	mentioned := map[string]bool{}
	logic.collectFilterNames(mentioned)
	filters := map[string]bool{}
	for _, f := range q.Filters {
		filters[f.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(mentioned)) {
		if !filters[name] {
			warnings = append(warnings, fmt.Sprintf("the logic names %q, but there is no such filter", graph.Clip(name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		if !mentioned[name] {
			warnings = append(warnings, fmt.Sprintf("filter %q has no effect: the logic does not name it", graph.Clip(name)))
		}
	}
	return warnings, nil
}

// collectFilterNames adds the names of the filters in a logic to names.
func (l Logic) collectFilterNames(names map[string]bool) {
	if l.Op == Leaf && l.Filter != "" {
		names[l.Filter] = true
	}
	for _, operand := range l.Of {
		operand.collectFilterNames(names)
	}
}

// typesNamed returns the types that a query names, sorted and without duplicates.
func (q Query) typesNamed() []string {
	names := slices.Clone(q.Selectors)
	if len(q.ConceptIDs) == 0 {
		names = append(names, q.Type)
	}
	if !q.Legacy {
		names = append(names, q.Connection)
	}
	for _, hop := range q.Hops {
		names = append(names, hop.typesNamed()...)
	}
	for _, o := range q.OrderBy {
		names = append(names, o.names()...)
	}
	for _, f := range q.Filters {
		names = append(names, f.typeNames()...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" || name == Self })
}
