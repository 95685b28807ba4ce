package graph

import "time"

// A Connection says that one concept belongs to another, and in what way.
type Connection struct {
	ID       ID
	From, To ID
	// Type is a type concept ("the_person_name"), or the main concept of a composition: then the
	// connection is internal to that record.
	Type ID
	// Order is kept for clients that send it: OrderInternal inside a record, OrderLink elsewhere.
	Order   int
	Owner   ID
	Access  Access
	Created time.Time // whole milliseconds, UTC
}

// The order numbers clients use.
const (
	OrderInternal = 1
	OrderLink     = 1000
)

// A Direction is the way a connection is followed.
type Direction int

// Out follows connections from source to target, In from target to source.
const (
	Out Direction = iota
	In
)
