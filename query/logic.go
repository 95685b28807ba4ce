package query

// A Logic is a boolean expression over filters.
type Logic struct {
	Op     LogicOp
	Filter string  // of a Leaf
	Of     []Logic // one for Not, two or more for the others
	At     int     // where it begins: a byte of the text
}

// A LogicOp says what a Logic is.
type LogicOp int

// The operators, from the loosest to the tightest.
const (
	Or LogicOp = iota + 1
	And
	Not
	ExAnd // both sides under one and the same concept
	Leaf
)
