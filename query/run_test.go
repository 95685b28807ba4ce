package query_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/store/memory"
)

// A counted reader counts the questions it is asked.
type counted struct {
	graph.Reader
	links, counts int
}

func (c *counted) Links(ctx context.Context, l graph.Links) ([]graph.Connection, error) {
	c.links++
	return c.Reader.Links(ctx, l)
}

func (c *counted) CountLinks(ctx context.Context, l graph.Links) ([]graph.LinkCount, error) {
	c.counts++
	return c.Reader.CountLinks(ctx, l)
}

func TestQuestions(t *testing.T) {
	store, ids := woven(t, 300, func(i int) [][3]int {
		return [][3]int{{i, (i * 7) % 300, 0}, {i, (i * 11) % 300, 1}, {i, (i * 13) % 300, 2}}
	})
	for _, c := range []struct {
		what          string
		query         query.Query
		links, counts int
	}{
		{"selectors and siblings are one question", query.Query{
			Type: "the_n", PageSize: 300, Selectors: []string{"the_n_a", "the_n_s_b"}, Hops: []query.Query{{Connection: "the_n_c"}},
		}, 1, 0},
		{"each level is one question", query.Query{
			ConceptIDs: ids[1:2], Hops: []query.Query{{Connection: "the_n_a", Hops: []query.Query{{Connection: "the_n_s_b", Hops: []query.Query{{Connection: "the_n_c"}}}}}},
		}, 3, 0},
		{"each direction is one question", query.Query{
			Type: "the_n", Hops: []query.Query{{Connection: "the_n_a"}, {Connection: "the_n_s_b", Reverse: true}, {Connection: "the_n_c", Reverse: true}},
		}, 2, 0},
		{"a paged hop is counted and asked for by itself", query.Query{
			Type: "the_n", Selectors: []string{"the_n_a"}, Hops: []query.Query{{Connection: "the_n_s_b", Limit: true}},
		}, 2, 1},
	} {
		t.Run(c.what, func(t *testing.T) {
			reader := &counted{Reader: store}
			if _, err := query.Run(t.Context(), reader, c.query); err != nil {
				t.Fatal(err)
			}
			if reader.links != c.links || reader.counts != c.counts {
				t.Errorf("%d questions for connections and %d for counts; want %d and %d",
					reader.links, reader.counts, c.links, c.counts)
			}
		})
	}
}

// relations are the names of the connections in a woven graph.
var relations = []string{"the_n_a", "the_n_s_b", "the_n_c"}

// woven is a graph of n compositions with connections given as source, target and relation.
func woven(t testing.TB, n int, links func(i int) [][3]int) (graph.Store, []graph.ID) {
	b := graph.Batch{Sender: graph.Sender{User: 7}}
	for i := range n {
		ghost := graph.ID(-1 - i)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: ghost, Kind: graph.DraftComposition, TypeName: "the_n"})
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

// TestDice compares with asking for every concept and hop by itself.
func TestDice(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "n")
		store, ids := woven(t, n, func(i int) [][3]int {
			row := rapid.Custom(func(r *rapid.T) [3]int {
				return [3]int{i, rapid.IntRange(0, n-1).Draw(r, "to"), rapid.IntRange(0, 2).Draw(r, "relation")}
			})
			return rapid.SliceOfN(row, 0, 5).Draw(r, "links")
		})
		q := queries(2).Draw(r, "query")
		q.ConceptIDs = rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, -1, rapid.ID).Draw(r, "roots")
		q.Page, q.PageSize = 1, 100
		got, err := query.Run(t.Context(), store, q)
		if err != nil {
			r.Fatal(err)
		}
		want := obvious{Reader: store, t: t, links: map[graph.ID]bool{}, reverse: map[graph.ID]bool{}, counts: map[string]int{}}
		want.follow(q, q.ConceptIDs)
		counts := map[string]int{}
		for _, c := range got.Counts {
			counts[fmt.Sprint(c.Of, c.Type)] = c.N
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want.links)), got.Links); diff != "" {
			r.Fatalf("links of %+v:\n%s", q, diff)
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want.reverse)), got.Reverse); diff != "" {
			r.Fatalf("reverse of %+v:\n%s", q, diff)
		}
		if diff := cmp.Diff(want.counts, counts); diff != "" {
			r.Fatalf("counts of %+v:\n%s", q, diff)
		}
	})
}

func queries(depth int) *rapid.Generator[query.Query] {
	return rapid.Custom(func(t *rapid.T) query.Query {
		q := query.Query{Selectors: rapid.SliceOfN(rapid.SampledFrom(relations), 0, 2).Draw(t, "selectors")}
		if depth > 0 {
			q.Hops = rapid.SliceOfN(queries(depth-1), 0, 3).Draw(t, "hops")
		}
		q.Connection = rapid.SampledFrom(append(relations, "the_n_unknown")).Draw(t, "connection")
		q.Reverse = rapid.Bool().Draw(t, "reverse")
		if q.Limit = rapid.Bool().Draw(t, "limit"); q.Limit {
			q.PageSize = rapid.IntRange(1, 3).Draw(t, "size")
			q.Page = rapid.IntRange(0, 2).Draw(t, "page")
			q.Order = rapid.SampledFrom([]query.Order{"", query.Ascending, query.Descending}).Draw(t, "order")
		}
		return q
	})
}

// obvious runs a query one concept at a time.
type obvious struct {
	graph.Reader
	t              *testing.T
	links, reverse map[graph.ID]bool
	counts         map[string]int
}

func (o obvious) follow(q query.Query, ids []graph.ID) {
	for _, name := range q.Selectors {
		o.step(query.Query{Connection: name}, ids)
	}
	for _, hop := range q.Hops {
		o.follow(hop, o.step(hop, ids))
	}
}

func (o obvious) step(hop query.Query, ids []graph.ID) []graph.ID {
	types, err := graph.TypesNamed(o.t.Context(), o, hop.Connection)
	if err != nil {
		o.t.Fatal(err)
	}
	typ := types[hop.Connection].ID
	if typ == 0 {
		return nil
	}
	var found []graph.ID
	for _, id := range ids {
		l := graph.Links{Of: []graph.ID{id}, Types: []graph.ID{typ}}
		if hop.Reverse {
			l.Direction = graph.In
		}
		links, err := o.Links(o.t.Context(), l)
		if err != nil {
			o.t.Fatal(err)
		}
		if hop.Limit && len(links) > 0 {
			key := fmt.Sprint(id, typ)
			o.counts[key] = max(o.counts[key], len(links))
		}
		if hop.Limit {
			if hop.Order != query.Ascending {
				slices.Reverse(links)
			}
			skip := min(max(hop.Page-1, 0)*hop.PageSize, len(links))
			links = links[skip:min(skip+hop.PageSize, len(links))]
		}
		for _, c := range links {
			o.links[c.ID] = true
			far := c.To
			if hop.Reverse {
				o.reverse[c.ID] = true
				far = c.From
			}
			found = append(found, far)
		}
	}
	return found
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"the_item","selectors":["self"],"hops":[{"connection":"the_item_s_tag","reverse":true,"limit":true,"page":2,"pageSize":5,"order":"ASC"}]}`))
	f.Add([]byte(`{"conceptIds":[1,2,-3],"filters":[{}],"logic":"a AND b"}`))
	f.Add([]byte(`{"type":"x"} trailing`))
	f.Add([]byte(`{"hops":[{"hops":[{"hops":[{}]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := query.Parse(data)
		if kind := graph.KindOf(err); err != nil && kind != graph.Invalid && kind != graph.TooLarge {
			t.Fatalf("%q: %v is %q; want invalid or tooLarge", data, err, kind)
		}
		if err != nil {
			return
		}
		if _, err := query.Run(t.Context(), memory.New(), q); err != nil {
			t.Errorf("%q was parsed but cannot be run: %v", data, err)
		}
	})
}
