package main

import "github.com/weft-graph/weft/bench/versus/child"

// A contestant is a server that holds the dataset.
type contestant struct {
	name string
	// questions maps measurements to questions. Operations that the contestant does not support are missing.
	questions map[string]question
	// batchSizes maps batches to the number of records that one request writes.
	batchSizes map[string]int
	process    *child.Process
}

// Measurements, in the order of the table.
const (
	getByID   = "get by id"
	getByPair = "get by (type, value)"
	adjacency = "connections of a source with their targets"
	nested    = "two levels of nesting"
	bulk      = "1,000 by id"
	batch1k   = "write 1,000 records, durable"
	batch2k   = "write 2,000 records, durable"
)
