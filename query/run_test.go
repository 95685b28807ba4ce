package query_test

import (
	"context"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// A linkCounting reader counts the requests for connections and for their numbers.
type linkCounting struct {
	graph.Reader
	links, counts int
}

func (c *linkCounting) Links(ctx context.Context, l graph.Links) ([]graph.Connection, error) {
	c.links++
	return c.Reader.Links(ctx, l)
}

func (c *linkCounting) CountLinks(ctx context.Context, l graph.Links) ([]graph.LinkCount, error) {
	c.counts++
	return c.Reader.CountLinks(ctx, l)
}

func TestRequestsPerLevel(t *testing.T) {
	store, ids := buildGraph(t, 300, func(i int) [][3]int {
		return [][3]int{{i, (i * 7) % 300, 0}, {i, (i * 11) % 300, 1}, {i, (i * 13) % 300, 2}}
	})
	for _, c := range []struct {
		what          string
		query         query.Query
		links, counts int
	}{
		{"a selector and sibling hops share a request", query.Query{
			Type: "the_n", PageSize: 300, Selectors: []string{"the_n_a", "the_n_s_b"}, Hops: []query.Query{{Connection: "the_n_c"}},
		}, 1, 0},
		{"each level is one request", query.Query{
			ConceptIDs: ids[1:2], Hops: []query.Query{{Connection: "the_n_a", Hops: []query.Query{{Connection: "the_n_s_b", Hops: []query.Query{{Connection: "the_n_c"}}}}}},
		}, 3, 0},
		{"each direction is one request", query.Query{
			Type: "the_n", Hops: []query.Query{{Connection: "the_n_a"}, {Connection: "the_n_s_b", Reverse: true}, {Connection: "the_n_c", Reverse: true}},
		}, 2, 0},
		{"a paged hop takes two separate requests", query.Query{
			Type: "the_n", Selectors: []string{"the_n_a"}, Hops: []query.Query{{Connection: "the_n_s_b", Limit: true}},
		}, 2, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			reader := &linkCounting{Reader: store}
			if _, err := query.Run(t.Context(), reader, c.query); err != nil {
				t.Fatal(err)
			}
			if reader.links != c.links || reader.counts != c.counts {
				t.Errorf("%d requests for connections and %d for counts; want %d and %d",
					reader.links, reader.counts, c.links, c.counts)
			}
		})
	}
}

// relations are the names of the connection types of buildGraph.
var relations = []string{"the_n_a", "the_n_s_b", "the_n_c"}

// buildGraph returns a store with n compositions and connections given as source, target and index of relations.
func buildGraph(t testing.TB, n int, links func(i int) [][3]int) (graph.Store, []graph.ID) {
	b := graph.Batch{Sender: graph.Sender{User: 7}}
	for i := range n {
		id := graph.ID(-1 - i)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, Kind: graph.DraftComposition, TypeName: "the_n"})
		for _, l := range links(i) {
			b.Connections = append(b.Connections, graph.ConnectionDraft{
				From: graph.ID(-1 - l[0]), To: graph.ID(-1 - l[1]), TypeName: relations[l[2]],
			})
		}
	}
	store := memory.New()
	receipt, err := store.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]graph.ID, n)
	for i, c := range receipt.Concepts {
		ids[i] = c.ID
	}
	return store, ids
}
