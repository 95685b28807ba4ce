package query

import "github.com/weft-graph/weft/graph"

// A Query is one node of the query tree: the root, or a hop from the results of its parent node.
type Query struct {
	// Type is the type of the roots. If ConceptIDs is not empty, the roots are those concepts instead.
	Type       string     `json:"type,omitempty"`
	ConceptIDs []graph.ID `json:"conceptIds,omitempty"`

	// Connection is the name of the connection type that a hop follows, or Self.
	Connection string `json:"connection,omitempty"`
	Reverse    bool   `json:"reverse,omitempty"` // from target to source
	Legacy     bool   `json:"legacy,omitempty"`  // Connection names a legacy linker, a value of "the_connection"
	// Direct limits a hop over Self to the parts whose connection starts at the main concept itself.
	Direct bool `json:"direct,omitempty"`
	// ConnectionID replaces Connection for programs that know the id of the connection type. It may be an id without
	// a name, such as a composition, which is the type of its internal connections. Pages of such a hop are not
	// counted, except by the aggregate Count.
	ConnectionID graph.ID `json:"-"`

	// Selectors are names of connection types, or Self, whose targets are added to every result of this node.
	Selectors []string `json:"selectors,omitempty"`
	Hops      []Query  `json:"hops,omitempty"`

	// Order sorts the roots and the results of a paged hop by id. Empty means Descending, but ConceptIDs then keep
	// their order.
	Order Order `json:"order,omitempty"`
	// OrderBy sorts the roots by values, in the order of the keys. Order then decides between equal roots.
	OrderBy []OrderBy `json:"orderBy,omitempty"`
	// Page starts at 1; 0 also means 1. PageSize 0 means DefaultPageSize. They apply to the roots and, if Limit is set,
	// to the connections that a hop finds at each concept.
	Page     int  `json:"page,omitempty"`
	PageSize int  `json:"pageSize,omitempty"`
	Limit    bool `json:"limit,omitempty"`

	// After is a cursor: only roots after this id in their order are returned. Unlike Page, its cost does not grow
	// with the position in the list.
	After graph.ID `json:"after,omitempty"`
	// Cursor replaces After if there is an OrderBy: it is the Next of the answer with the previous page.
	Cursor string `json:"cursor,omitempty"`
	// CountAll makes Answer.Total exact, which may require checking every root.
	CountAll bool `json:"countAll,omitempty"`

	// Name is the name under which filters refer to the node.
	Name string `json:"name,omitempty"`
	// Filters and Logic are only allowed at the root. Logic is an expression over the names of filters (see
	// ParseLogic). Without it the filters have no effect.
	Filters []Filter `json:"filters,omitempty"`
	Logic   string   `json:"logic,omitempty"`
	// Ancestor applies to the filters on this node in an EXAND: it names the node whose concepts the operands of the
	// EXAND must share. The default is the lowest common ancestor of all filtered nodes.
	Ancestor string `json:"ancestor,omitempty"`
	// Include adds the results of this hop to a filtered answer although no filter is on it or below.
	Include bool `json:"include,omitempty"`

	// Depth makes a hop recursive: it also follows its connection from its own results, up to Depth times in a row.
	// It follows the connection once from each concept. Depth 0 means 1.
	Depth int `json:"depth,omitempty"`
	// Aggregate makes a hop return numbers instead of records.
	Aggregate Aggregate `json:"aggregate,omitempty"`
}

// An Aggregate is a kind of number that a hop returns.
type Aggregate string

// The aggregates.
const (
	// Count counts the connections of each concept; see Answer.Counts.
	Count Aggregate = "count"
	// Distinct counts the different concepts that the hop reaches from all roots that pass, on any page. Group also
	// returns a page of these concepts with their numbers of connections, largest number first; see Answer.Groups.
	Distinct Aggregate = "distinct"
	Group    Aggregate = "group"
)

// Self is the name of the connections inside a composition, at any depth.
const Self = "self"

// An Order sorts by id, which is the order of creation.
type Order string

// The orders.
const (
	Ascending  Order = "ASC"
	Descending Order = "DESC"
)

func (q Query) order() Order {
	if q.Order == "" {
		return Descending
	}
	return q.Order
}

// page returns the requested page of an ordered list.
func (q Query) page() graph.Page {
	size := q.PageSize
	if size == 0 {
		size = DefaultPageSize
	}
	// maxPageNumber prevents an overflow of the multiplication.
	skip := min(max(q.Page, 1)-1, maxPageNumber) * size
	return graph.Page{Descending: q.order() == Descending, Skip: skip, Limit: size}
}

const maxPageNumber = 1 << 40
