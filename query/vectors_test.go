package query_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/store/memory"
)

func TestRun(t *testing.T) {
	type given struct {
		Graph vectors.Graph   `json:"graph"`
		Query json.RawMessage `json:"query"`
	}
	vectors.Each(t, "query", func(t *testing.T, c vectors.Case) {
		g := vectors.Given[given](t, c)
		store := vectors.Seed(t, memory.New(), g.Graph)
		q, err := query.Parse(g.Query)
		var a query.Answer
		if err == nil {
			a, err = query.Run(t.Context(), store, querytest.Real(store, q))
		}
		if c.Refused(t, err) {
			return
		}
		got, err := querytest.Told(t.Context(), store, a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(vectors.Want[querytest.Answer](t, c), got); diff != "" {
			t.Error(diff)
		}
		if a.AtLeast {
			t.Errorf("total is not known to the end, though there is little")
		}
		checkFree(t, store, a)
	})
}

// checkFree compares what an answer brings along with what its ids name.
func checkFree(t *testing.T, r graph.Reader, a query.Answer) {
	t.Helper()
	links, err := r.Connections(t.Context(), a.Links)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(links, a.Connections); len(links)+len(a.Connections) > 0 && diff != "" {
		t.Errorf("the connections of the answer are not what its links name:\n%s", diff)
	}
	ends := map[graph.ID]bool{}
	for _, id := range a.Concepts {
		ends[id] = true
	}
	for _, c := range links {
		if !ends[c.From] || !ends[c.To] {
			t.Errorf("the concepts of the answer lack an end of connection %d", c.ID)
		}
	}
}

func TestShape(t *testing.T) {
	type given struct {
		Graph  vectors.Graph `json:"graph"`
		Answer struct {
			querytest.Answer
			Concepts []graph.ID `json:"concepts"`
		} `json:"answer"`
		Format string `json:"format"`
	}
	vectors.Each(t, "format", func(t *testing.T, c vectors.Case) {
		g := vectors.Given[given](t, c)
		store := vectors.Seed(t, memory.New(), g.Graph)
		format, err := query.ParseFormat(g.Format)
		if err != nil {
			t.Fatal(err)
		}
		a := query.Answer{
			Roots: store.RealIDs(g.Answer.Roots), Links: store.RealIDs(g.Answer.Links),
			Reverse: store.RealIDs(g.Answer.Reverse), Concepts: store.RealIDs(g.Answer.Concepts), Order: g.Answer.Order,
		}
		for _, n := range g.Answer.Counts {
			types, err := graph.TypesNamed(t.Context(), store, n.Type)
			if err != nil {
				t.Fatal(err)
			}
			a.Counts = append(a.Counts, graph.LinkCount{Of: store.Real(n.Of), Type: types[n.Type].ID, N: n.N})
		}
		got, err := query.Shape(t.Context(), store, a, format)
		if c.Refused(t, err) {
			return
		}
		want, err := composition.Parse(c.Want)
		if err != nil {
			t.Fatal(err)
		}
		if got := store.CaseJSON(got.String()); got != want.String() {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
