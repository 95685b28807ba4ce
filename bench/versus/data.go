package main

import (
	"math/rand/v2"
	"strconv"
)

// A dataset is the data of every contestant: values of twenty types, the first 39 times as frequent as the last. Each
// value has three connections of one type to other values; every tenth connection leads to one of few hubs. Half of the
// records are public, half are private to the user who makes the requests.
type dataset struct{ concepts int }

const (
	linksPerConcept = 3
	typeCount       = 20
	relation        = "the_kind_s_relation"
)

func (dataset) typeOf(i int) string {
	r := rand.New(rand.NewPCG(1, uint64(i)))
	return "the_kind" + strconv.Itoa(min(r.IntN(typeCount), r.IntN(typeCount)))
}

func (dataset) valueOf(i int) string { return "value number " + strconv.Itoa(i) }

func (dataset) isPublic(i int) bool { return i%2 == 0 }

// target returns the concept to which the j-th connection of concept i leads.
func (d dataset) target(i, j int) int {
	r := rand.New(rand.NewPCG(2, uint64(i*linksPerConcept+j)))
	target := r.IntN(d.concepts)
	if r.IntN(10) == 0 {
		target = r.IntN(max(1, d.concepts/1_000))
	}
	if target == i {
		target = (i + 1) % d.concepts
	}
	return target
}
