// Package sample contains small data sets with which new users can try a store: a shop, and everyday words of WordNet.
//
// A sample is one batch. Every draft of the batch has a local id. Sending the batch twice therefore writes it once, and
// the sender can enumerate all written records by their local ids:
//
//	concepts     -1 … -Concepts
//	connections  -1 … -Connections
package sample

import (
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/wordnet"
	"github.com/weft-graph/weft/schema"
)

// A Sample is a data set.
type Sample struct {
	Name        string
	Title       string
	Description string
	Types       []string // names of the store types of its records, the most interesting type first
	// Schema returns the types of the records; nil means that the sample has no schema.
	Schema func() *schema.Schema
	// Batch returns the drafts of the sample, without sender, owners and access. Equal times produce equal batches.
	// Dates of the sample are before the given time.
	Batch func(now time.Time) (graph.Batch, error)
}

var samples = []Sample{
	{
		Name: "shop", Title: "A small shop", Description: "Customers, products in categories, and orders with lines",
		Types:  []string{"the_order", "the_customer", "the_product", "the_line", "the_category"},
		Schema: shopSchema, Batch: shopBatch,
	},
	{
		Name: "words", Title: "English words", Description: "About 5,000 everyday words of WordNet 3.0 with their meanings and relations",
		Types: []string{"the_word", "the_sense", "the_synset"},
		Batch: func(time.Time) (graph.Batch, error) { return wordnet.SampleBatch() },
	},
}

// All returns the samples.
func All() []Sample { return slices.Clone(samples) }

// Named returns the sample with a name, or an Invalid error that lists the names.
func Named(name string) (Sample, error) {
	i := slices.IndexFunc(samples, func(s Sample) bool { return s.Name == name })
	if i < 0 {
		return Sample{}, graph.Errorf(graph.Invalid, "unknown sample %q; want shop or words", graph.Clip(name))
	}
	return samples[i], nil
}
