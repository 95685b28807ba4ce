package main

import (
	"math/rand/v2"
	"strconv"
)

// A dataset is what every contestant holds: values of twenty types, the first ten times as common as the
// last, each with three connections of one type to others; every tenth connection leads to one of few hubs. Half of the
// records may be read by everybody, half by their owner only, who is also the one that asks.
type dataset struct{ concepts int }

const (
	linksOfEach = 3
	types       = 20
	relation    = "the_kind_s_relation"
)

func (dataset) typeOf(i int) string {
	r := rand.New(rand.NewPCG(1, uint64(i)))
	return "the_kind" + strconv.Itoa(min(r.IntN(types), r.IntN(types)))
}

func (dataset) valueOf(i int) string { return "value number " + strconv.Itoa(i) }

func (dataset) public(i int) bool { return i%2 == 0 }

// target is where the j-th connection of concept i leads.
func (d dataset) target(i, j int) int {
	r := rand.New(rand.NewPCG(2, uint64(i*linksOfEach+j)))
	target := r.IntN(d.concepts)
	if r.IntN(10) == 0 {
		target = r.IntN(max(1, d.concepts/1_000))
	}
	if target == i {
		target = (i + 1) % d.concepts
	}
	return target
}
