// Package query answers schema queries: a tree of hops over typed connections from a set of roots, run
// level by level over any graph.Reader, and shapes what was found.
package query

import (
	"encoding/json"

	"github.com/weft-graph/weft/graph"
)

// A Query is one node of the tree: the root, or a hop from the results of the node above.
type Query struct {
	// Type is where a root starts: every instance of it. ConceptIDs takes its place when it is not empty.
	Type       string     `json:"type,omitempty"`
	ConceptIDs []graph.ID `json:"conceptIds,omitempty"`

	// Connection is what a hop follows: the name of a connection type, or Self.
	Connection string `json:"connection,omitempty"`
	Reverse    bool   `json:"reverse,omitempty"` // from target to source
	Legacy     bool   `json:"legacy,omitempty"`  // Connection names a legacy linker, a value of "the_connection"

	// Selectors name connections, or Self, whose targets belong to every result of this node.
	Selectors []string `json:"selectors,omitempty"`
	Hops      []Query  `json:"hops,omitempty"`

	// Order sorts the roots, and what a paged hop finds, by age. Empty is Descending, except that
	// ConceptIDs then keep their order.
	Order Order `json:"order,omitempty"`
	// Page counts from 1, which 0 means too; PageSize 0 means DefaultPageSize. They page the roots, and
	// what a hop finds from each concept only if Limit is set.
	Page     int  `json:"page,omitempty"`
	PageSize int  `json:"pageSize,omitempty"`
	Limit    bool `json:"limit,omitempty"`

	// Name is what filters call the results.
	Name string `json:"name,omitempty"`
	// Filters and Logic are refused for now.
	Filters []json.RawMessage `json:"filters,omitempty"`
	Logic   string            `json:"logic,omitempty"`
}

// Self as the name of a connection means the connections inside a composition, at any depth.
const Self = "self"

// An Order is a direction in time, by id.
type Order string

// The orders.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

// An Answer is what a query found.
type Answer struct {
	// Roots are one page of the roots, in order. Total is how many there are in all.
	Roots []graph.ID
	Total int
	// Links are the connections the results need, oldest first; Reverse those of them that were walked
	// from target to source.
	Links   []graph.ID
	Reverse []graph.ID
	// Counts say how many connections there are in all where a hop was paged; zeros are left out.
	Counts []graph.LinkCount
	// Concepts are the roots and both ends of every connection, by id.
	Concepts []graph.ID
	Order    Order

	// Connections are what Links name, because they were read on the way.
	Connections []graph.Connection
}

// What a query may ask for. What it may find is bounded by MaxLinks.
const (
	DefaultPageSize = 10
	MaxPageSize     = 10_000
	MaxConceptIDs   = 10_000
	MaxDepth        = 32
	MaxNodes        = 1_000 // hops and selectors together
	MaxLinks        = 1_000_000
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
	return q.check(1, &nodes)
}

func (q Query) check(depth int, nodes *int) error {
	if depth > MaxDepth {
		return graph.Errorf(graph.TooLarge, "a query of more than %d levels", MaxDepth)
	}
	if *nodes += 1 + len(q.Selectors); *nodes > MaxNodes {
		return graph.Errorf(graph.TooLarge, "a query of more than %d hops and selectors", MaxNodes)
	}
	if err := q.checkNode(depth); err != nil {
		return err
	}
	for _, hop := range q.Hops {
		if err := hop.check(depth+1, nodes); err != nil {
			return err
		}
	}
	return nil
}

func (q Query) checkNode(depth int) error {
	switch {
	case len(q.Filters) > 0 || q.Logic != "":
		return graph.Errorf(graph.Invalid, "filters are not supported yet")
	case q.Page < 0:
		return graph.Errorf(graph.Invalid, "page %d is not one", q.Page)
	case q.PageSize < 0:
		return graph.Errorf(graph.Invalid, "a page of %d is none", q.PageSize)
	case q.PageSize > MaxPageSize:
		return graph.Errorf(graph.TooLarge, "a page of %d; the most is %d", q.PageSize, MaxPageSize)
	case q.Order != "" && q.Order != Ascending && q.Order != Descending:
		return graph.Errorf(graph.Invalid, "order %.20q is neither ASC nor DESC", q.Order)
	case depth > 1 && q.Connection == "":
		return graph.Errorf(graph.Invalid, "a hop needs a connection to follow")
	case q.Connection == Self && (q.Reverse || q.Limit):
		return graph.Errorf(graph.Invalid, `a record's own data ("self") is neither walked backwards nor paged`)
	}
	return nil
}

func (q Query) order() Order {
	if q.Order == "" {
		return Descending
	}
	return q.Order
}

// page is the part of an ordered list that the query asks for.
func (q Query) page() graph.Page {
	size := q.PageSize
	if size == 0 {
		size = DefaultPageSize
	}
	// More than MaxInt items are beyond any list, so the multiplication may not wrap around to its start.
	skip := min(max(q.Page, 1)-1, maxPage) * size
	return graph.Page{Descending: q.order() == Descending, Skip: skip, Limit: size}
}

const maxPage = 1 << 40
