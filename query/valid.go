package query

import "github.com/weft-graph/weft/graph"

// What a query may ask for. What it may find is bounded by MaxLinks.
const (
	DefaultPageSize = 10
	MaxPageSize     = 10_000
	MaxConceptIDs   = 10_000
	MaxDepth        = 32
	MaxNodes        = 1_000 // hops and selectors together
	MaxLinks        = 1_000_000
	MaxFilters      = 1_000
	MaxSearch       = 64 << 10 // bytes that a filter searches for
	MaxTests        = 10_000   // filters in the logic, each as often as it is mentioned and once for every node of that name
	MaxLogic        = 64 << 10 // bytes
	MaxLogicDepth   = 100      // of parentheses and NOT in each other
	MaxRepeat       = 100      // Depth of a hop
)

// Check returns an Invalid or TooLarge error for a query that nobody can run.
func (q Query) Check() error {
	if n := len(q.ConceptIDs); n > MaxConceptIDs {
		return graph.Errorf(graph.TooLarge, "%d concept ids; the most is %d", n, MaxConceptIDs)
	}
	if len(q.ConceptIDs) == 0 && q.Type == "" {
		return graph.Errorf(graph.Invalid, "a query needs a type or concept ids to start from")
	}
	nodes := 0
	if err := q.check(1, &nodes); err != nil {
		return err
	}
	if n := len(q.Filters); n > MaxFilters {
		return graph.Errorf(graph.TooLarge, "%d filters; the most is %d", n, MaxFilters)
	}
	for _, f := range q.Filters {
		if n := len(f.Search); n > MaxSearch {
			return graph.Errorf(graph.TooLarge, "filter %q searches for %d bytes; the most is %d", graph.Clip(f.Name), n, MaxSearch)
		}
	}
	_, _, err := layOut(&q).clause()
	return err
}

func (q Query) check(depth int, nodes *int) error {
	if depth > MaxDepth {
		return graph.Errorf(graph.TooLarge, "a query of more than %d levels", MaxDepth)
	}
	if *nodes += 1 + len(q.Selectors); *nodes > MaxNodes {
		return graph.Errorf(graph.TooLarge, "a query of more than %d hops and selectors", MaxNodes)
	}
	if err := q.checkPage(); err != nil {
		return err
	}
	if err := q.checkPlace(depth); err != nil {
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

func (q Query) checkPage() error {
	switch {
	case q.Page < 0:
		return graph.Errorf(graph.Invalid, "page %d; the first is 1", q.Page)
	case q.PageSize < 0:
		return graph.Errorf(graph.Invalid, "a page of %d; the least is 1", q.PageSize)
	case q.PageSize > MaxPageSize:
		return graph.Errorf(graph.TooLarge, "a page of %d; the most is %d", q.PageSize, MaxPageSize)
	case q.Order != "" && q.Order != Ascending && q.Order != Descending:
		return graph.Errorf(graph.Invalid, "order %.20q is neither ASC nor DESC", q.Order)
	case q.After < 0:
		return graph.Errorf(graph.Invalid, "nothing comes after %d", q.After)
	case q.After > 0 && q.Order == "" && len(q.ConceptIDs) > 0:
		return graph.Errorf(graph.Invalid, `concept ids that keep their order have no "after"; give an order`)
	}
	return nil
}

// checkPlace refuses what belongs to the root, or to a hop, and stands elsewhere.
func (q Query) checkPlace(depth int) error {
	if depth == 1 {
		switch {
		case q.Depth != 0:
			return graph.Errorf(graph.Invalid, `the root has no connection to repeat: "depth" is for hops`)
		case q.Aggregate != "":
			return graph.Errorf(graph.Invalid, `the root is no aggregate: "aggregate" is for hops`)
		}
		return nil
	}
	for _, member := range []struct {
		name  string
		there bool
	}{
		{"filters", len(q.Filters) > 0},
		{"logic", q.Logic != ""},
		{"after", q.After != 0},
		{"countAll", q.CountAll},
	} {
		if member.there {
			return graph.Errorf(graph.Invalid, "%q stands at the root, not on a hop", member.name)
		}
	}
	if q.Connection == "" && q.ConnectionID == 0 {
		return graph.Errorf(graph.Invalid, "a hop needs a connection to follow")
	}
	return nil
}

// checkHop refuses what does not go together in a hop.
func (q Query) checkHop() error {
	switch {
	case q.Connection == Self && (q.Reverse || q.Limit):
		return graph.Errorf(graph.Invalid, `a record's own data ("self") is neither walked backwards nor paged`)
	case q.Depth < 0:
		return graph.Errorf(graph.Invalid, "a depth of %d; the least is 1", q.Depth)
	case q.Depth > MaxRepeat:
		return graph.Errorf(graph.TooLarge, "a depth of %d; the most is %d", q.Depth, MaxRepeat)
	case q.Depth > 0 && (q.Connection == Self || q.Limit):
		return graph.Errorf(graph.Invalid, `a hop with a depth is neither "self" nor paged`)
	case q.Aggregate == "":
		return nil
	case q.Aggregate != Count && q.Aggregate != Group && q.Aggregate != Distinct:
		return graph.Errorf(graph.Invalid, "there is no aggregate %.20q; there are %s, %s and %s", q.Aggregate, Count, Distinct, Group)
	case q.Connection == Self || q.Depth > 0 || q.Limit:
		return graph.Errorf(graph.Invalid, `an aggregate is neither "self" nor paged with "limit" nor of a depth`)
	case len(q.Hops) > 0 || len(q.Selectors) > 0:
		return graph.Errorf(graph.Invalid, "an aggregate brings no records for hops or selectors to follow")
	}
	return nil
}
