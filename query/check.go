package query

import "github.com/weft-graph/weft/graph"

// The limits on queries and on their answers.
const (
	DefaultPageSize = 10
	MaxPageSize     = 10_000
	MaxConceptIDs   = 10_000
	MaxLevels       = 32        // depth of the query tree
	MaxNodes        = 1_000     // hops and selectors together
	MaxLinks        = 1_000_000 // connections in an answer
	MaxFilters      = 1_000
	MaxSearchBytes  = 64 << 10 // size of the operand of a filter
	MaxFilterTests  = 10_000   // filters in the logic, one for each mention of a filter and each node with the name in Filter.On
	MaxLogicBytes   = 64 << 10
	MaxLogicDepth   = 100 // nested parentheses and NOTs
	MaxHopDepth     = 100 // Query.Depth
)

// Check returns an Invalid error for a query that is malformed or contradictory, and a TooLarge error for a query
// that exceeds a limit. Run calls it first.
func (q Query) Check() error {
	if n := len(q.ConceptIDs); n > MaxConceptIDs {
		return graph.Errorf(graph.TooLarge, "%d concept ids; the maximum is %d", n, MaxConceptIDs)
	}
	if len(q.ConceptIDs) == 0 && q.Type == "" {
		return graph.Errorf(graph.Invalid, "a query needs a type or concept ids to start from")
	}
	if err := q.checkOrderBy(); err != nil {
		return err
	}
	nodes := 0
	if err := q.check(1, &nodes); err != nil {
		return err
	}
	if n := len(q.Filters); n > MaxFilters {
		return graph.Errorf(graph.TooLarge, "%d filters; the maximum is %d", n, MaxFilters)
	}
	for _, f := range q.Filters {
		if n := len(f.Search); n > MaxSearchBytes {
			return graph.Errorf(graph.TooLarge, "filter %q: the search text has %d bytes; the maximum is %d", graph.Clip(f.Name), n, MaxSearchBytes)
		}
	}
	_, _, err := flatten(&q).bindLogic()
	return err
}

// check checks a node at the given depth and the nodes below it, and counts them.
func (q Query) check(depth int, nodes *int) error {
	if depth > MaxLevels {
		return graph.Errorf(graph.TooLarge, "the query has more than %d levels", MaxLevels)
	}
	if *nodes += 1 + len(q.Selectors); *nodes > MaxNodes {
		return graph.Errorf(graph.TooLarge, "the query has more than %d hops and selectors", MaxNodes)
	}
	if err := q.checkPage(); err != nil {
		return err
	}
	if err := q.checkPosition(depth); err != nil {
		return err
	}
	if err := q.checkHop(); err != nil {
		return err
	}
	for _, hop := range q.Hops {
		if err := hop.check(depth+1, nodes); err != nil {
			return err
		}
	}
	return nil
}

// checkPage checks the page, order and cursor of a node.
func (q Query) checkPage() error {
	switch {
	case q.Page < 0:
		return graph.Errorf(graph.Invalid, "page %d; the first is 1", q.Page)
	case q.PageSize < 0:
		return graph.Errorf(graph.Invalid, "a page of %d; the minimum is 1", q.PageSize)
	case q.PageSize > MaxPageSize:
		return graph.Errorf(graph.TooLarge, "a page of %d; the maximum is %d", q.PageSize, MaxPageSize)
	case q.Order != "" && q.Order != Ascending && q.Order != Descending:
		return graph.Errorf(graph.Invalid, "order %.20q is neither ASC nor DESC", q.Order)
	case q.After < 0:
		return graph.Errorf(graph.Invalid, "after %d; want an id", q.After)
	case q.After > 0 && q.Order == "" && len(q.ConceptIDs) > 0:
		return graph.Errorf(graph.Invalid, `concept ids that keep their order have no "after"; give an order`)
	}
	return nil
}

// checkPosition rejects members of hops at the root, and members of the root at hops.
func (q Query) checkPosition(depth int) error {
	if depth == 1 {
		switch {
		case q.Depth != 0:
			return graph.Errorf(graph.Invalid, `the root has no connection to follow again: "depth" is for hops`)
		case q.Aggregate != "":
			return graph.Errorf(graph.Invalid, `the root cannot be an aggregate: "aggregate" is for hops`)
		}
		return nil
	}
	for _, member := range []struct {
		name  string
		isSet bool
	}{
		{"filters", len(q.Filters) > 0},
		{"logic", q.Logic != ""},
		{"after", q.After != 0},
		{"after", q.Cursor != ""},
		{"orderBy", len(q.OrderBy) > 0},
		{"countAll", q.CountAll},
	} {
		if member.isSet {
			return graph.Errorf(graph.Invalid, "%q belongs to the root, not to a hop", member.name)
		}
	}
	if q.Connection == "" && q.ConnectionID == 0 {
		return graph.Errorf(graph.Invalid, "a hop needs a connection to follow")
	}
	return nil
}

// checkHop rejects members that contradict each other in a hop.
func (q Query) checkHop() error {
	switch {
	case q.Connection == Self && (q.Reverse || q.Limit):
		return graph.Errorf(graph.Invalid, `internal connections ("self") are neither followed in reverse nor paged`)
	case q.Direct && q.Connection != Self:
		return graph.Errorf(graph.Invalid, `"direct" is for hops over "self"`)
	case q.Depth < 0:
		return graph.Errorf(graph.Invalid, "a depth of %d; the minimum is 1", q.Depth)
	case q.Depth > MaxHopDepth:
		return graph.Errorf(graph.TooLarge, "a depth of %d; the maximum is %d", q.Depth, MaxHopDepth)
	case q.Depth > 0 && (q.Connection == Self || q.Limit):
		return graph.Errorf(graph.Invalid, `a hop with a depth is neither "self" nor paged`)
	case q.Aggregate == "":
		return nil
	case q.Aggregate != Count && q.Aggregate != Group && q.Aggregate != Distinct:
		return graph.Errorf(graph.Invalid, "unknown aggregate %.20q; want %s, %s or %s", q.Aggregate, Count, Distinct, Group)
	case q.Connection == Self || q.Depth > 0 || q.Limit:
		return graph.Errorf(graph.Invalid, `an aggregate cannot be on "self", be paged with "limit" or have a depth`)
	case len(q.Hops) > 0 || len(q.Selectors) > 0:
		return graph.Errorf(graph.Invalid, "an aggregate returns no records for hops or selectors to follow")
	}
	return nil
}
