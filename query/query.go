// Package query answers schema queries: a tree of hops over typed connections from a set of roots, run
// level by level over any graph.Reader, and shapes what was found.
package query

import (
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
	// ConnectionID takes the place of Connection for programs that know the id of what to follow. It may be one that
	// has no name, as a composition is to the connections inside it. Nothing is counted of
	// such a hop unless that is its aggregate.
	ConnectionID graph.ID `json:"-"`

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

	// After takes only roots beyond this one in their order, for pages that stay cheap however far down they are.
	After graph.ID `json:"after,omitempty"`
	// CountAll has the roots that pass counted to the last, at whatever cost.
	CountAll bool `json:"countAll,omitempty"`

	// Name is what filters call the results.
	Name string `json:"name,omitempty"`
	// Filters stand at the root. Logic says how they go together; without it they have no effect.
	Filters []Filter `json:"filters,omitempty"`
	Logic   string   `json:"logic,omitempty"`
	// Ancestor names the node that EXAND looks under for both its sides, for the filters on this node.
	Ancestor string `json:"ancestor,omitempty"`
	// Include brings what this hop finds although no filter is on it or below.
	Include bool `json:"include,omitempty"`

	// Depth lets a hop follow its connection from its own results again, up to so many times in a row. A concept come upon
	// before is not followed anew. 0 is once.
	Depth int `json:"depth,omitempty"`
	// Aggregate makes a hop one that brings numbers in place of records.
	Aggregate Aggregate `json:"aggregate,omitempty"`
}

// An Aggregate is a number that stands for what a hop finds.
type Aggregate string

// The aggregates.
const (
	// Count is how many connections each concept has; see Answer.Counts.
	Count Aggregate = "count"
	// Distinct is how many different concepts all roots that pass lead to, on whatever page they are; Group also says
	// which, and how many connections lead to each; see Answer.Groups. A page of a group is of its largest.
	Distinct Aggregate = "distinct"
	Group    Aggregate = "group"
)

// A Filter is true of a root when the node On, as reached from that root, holds a concept that it is true of.
type Filter struct {
	Name string `json:"name"`         // what Logic calls it
	On   string `json:"on,omitempty"` // the Name of a node; "" is the root
	// Type is the name of the type that the concept must have, or one of the special fields; "" is any type.
	Type string `json:"type,omitempty"`
	// Op is a graph.Op or Exists; "" is graph.Equal. A value is compared as graph.Predicate says.
	Op graph.Op `json:"op,omitempty"`
	// Search is what is compared with. Of the special fields, FieldID and FieldUser take an id; FieldTime takes a
	// time as graph.Key describes it, or milliseconds since 1970; FieldType takes an id or a name, and only whether it is or is not.
	Search string `json:"search,omitempty"`
}

// Exists is true of every concept of the filter's type.
const Exists graph.Op = "exists"

// The special fields, in the place of a filter's type.
const (
	FieldID   = "id"
	FieldTime = "entry_timestamp"
	FieldUser = "user_id"
	FieldType = "type_concept"
)

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
	// Roots are one page of the roots that pass, in order. Total is how many there are in all, or, if AtLeast, how many
	// were seen before it was enough.
	Roots   []graph.ID
	Total   int
	AtLeast bool
	// Links are the connections the results need, oldest first; Reverse those of them that were walked
	// from target to source.
	Links   []graph.ID
	Reverse []graph.ID
	// Counts say how many connections there are in all where a hop was paged or only counted; zeros are left out. Where
	// the same type is counted in both directions at one concept the larger number stands.
	Counts []graph.LinkCount
	// Groups are those of the hops that aggregate over all roots, in the order of the query.
	Groups []Groups
	// Concepts are the roots and both ends of every connection, by id.
	Concepts []graph.ID
	Order    Order

	// Connections are what Links name, because they were read on the way.
	Connections []graph.Connection
	// Plan is how the answer was found. It is always kept, because nobody knows beforehand which query will be slow.
	Plan *Plan
}

// Groups are what the roots that pass lead to along a hop.
type Groups struct {
	Name       string // of the hop, or else its connection
	Connection string
	Distinct   int          // how many different concepts
	Top        []GroupCount // one page of them, the largest first and the oldest of the same size first
}

// A GroupCount is a concept and how many connections lead to it.
type GroupCount struct {
	Concept graph.ID
	N       int
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
