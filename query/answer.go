package query

import "github.com/weft-graph/weft/graph"

// An Answer is the result of a query.
type Answer struct {
	// Roots is the requested page of the roots that pass, in order. Total is the number of all roots that pass, or a
	// lower bound if AtLeast is true.
	Roots   []graph.ID
	Total   int
	AtLeast bool
	// Next is the Cursor of the next page, if there is an OrderBy and the page is full.
	Next string
	// Links lists the connections of the results, in order of id. Reverse lists the connections among them that were
	// followed from target to source.
	Links   []graph.ID
	Reverse []graph.ID
	// Counts holds the numbers of connections of paged and counted hops, per concept and type. Zeros are left out. If
	// a type is counted in both directions at one concept, the larger number is returned.
	Counts []graph.LinkCount
	// Groups holds the results of the hops with Distinct or Group, in the order of the query.
	Groups []Groups
	// Concepts lists the roots and both ends of every connection, in order of id.
	Concepts []graph.ID
	Order    Order

	// Connections are the records of Links, read while the query ran. Answers of a client.Client do not contain them.
	Connections []graph.Connection
	// Plan describes how the answer was found. It is always recorded, because slow queries are only known afterwards.
	Plan *Plan
}

// Groups is the result of a hop with Distinct or Group.
type Groups struct {
	Name       string // name of the hop, or its connection if the hop has no name
	Connection string
	Distinct   int          // number of different concepts
	Top        []GroupCount // one page, largest count first, equal counts in order of id; empty for Distinct
}

// A GroupCount is a concept and the number of connections that lead to it.
type GroupCount struct {
	Concept graph.ID
	N       int
}
