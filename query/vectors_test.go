package query_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/store/memory"
)

// A count is written as concept, type name, number.
type count struct {
	Of   graph.ID `json:"of"`
	Type string   `json:"type"`
	N    int      `json:"n"`
}

type answer struct {
	Roots   []graph.ID  `json:"roots"`
	Links   []graph.ID  `json:"links"`
	Reverse []graph.ID  `json:"reverse"`
	Counts  []count     `json:"counts"`
	Total   int         `json:"total"`
	Order   query.Order `json:"order"`
}

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
			q.ConceptIDs = store.RealIDs(q.ConceptIDs)
			a, err = query.Run(t.Context(), store, q)
		}
		if c.Refused(t, err) {
			return
		}
		got := answer{
			Roots: store.CaseIDs(a.Roots), Links: store.CaseIDs(a.Links), Reverse: store.CaseIDs(a.Reverse),
			Counts: []count{}, Total: a.Total, Order: a.Order,
		}
		for _, n := range a.Counts {
			got.Counts = append(got.Counts, count{store.Case(n.Of), typeName(t, store, n.Type), n.N})
		}
		if diff := cmp.Diff(vectors.Want[answer](t, c), got); diff != "" {
			t.Error(diff)
		}
		checkFree(t, store, a)
	})
}

func typeName(t *testing.T, r graph.Reader, id graph.ID) string {
	t.Helper()
	found, err := r.Concepts(t.Context(), []graph.ID{id})
	if err != nil || len(found) != 1 {
		t.Fatalf("type %d: %v, %v", id, found, err)
	}
	return found[0].Value
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
			answer
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
