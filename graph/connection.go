package graph

import "time"

// A Connection is a directed, typed link between two concepts.
type Connection struct {
	ID       ID
	From, To ID
	// Type is a type concept ("the_person_name") or the main concept of a composition. The connection is
	// internal to the composition in the second case.
	Type ID
	// Order is stored for clients that send it: OrderInternal inside a composition, OrderLink elsewhere.
	Order   int
	Owner   ID
	Access  Access
	Created time.Time // whole milliseconds, UTC
}

// The values of Connection.Order that clients use.
const (
	OrderInternal = 1
	OrderLink     = 1000
)

// A Direction is the direction in which connections are followed.
type Direction int

// Out follows connections from source to target, In from target to source.
const (
	Out Direction = iota
	In
)
