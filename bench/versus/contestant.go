package main

import "github.com/weft-graph/weft/bench/versus/child"

// A contestant is a server that holds the dataset.
type contestant struct {
	name string
	// asks holds a question by the name of what it measures. What a contestant cannot do is not in it.
	asks map[string]question
	// rows is how many records one request of a batch writes.
	rows    map[string]int
	process *child.Process
}

// What is measured, in the order of the table.
const (
	getByID   = "get by id"
	getByPair = "get by (type, value)"
	adjacency = "connections of a source with their targets"
	nested    = "two levels of nesting"
	bulk      = "1,000 by id"
	batch1k   = "write 1,000 records, durable"
	batch2k   = "write 2,000 records, durable"
)
