package query_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

func TestRun(t *testing.T) {
	type given struct {
		Graph spec.Graph      `json:"graph"`
		Query json.RawMessage `json:"query"`
	}
	spec.RunCases(t, "query", func(t *testing.T, c spec.Case) {
		g := spec.Given[given](t, c)
		store := spec.Seed(t, memory.New(), g.Graph)
		q, err := query.Parse(g.Query)
		var a query.Answer
		if err == nil {
			a, err = query.Run(t.Context(), store, querytest.WithRealIDs(store, q))
		}
		if c.WantsError(t, err) {
			return
		}
		got, err := querytest.CaseAnswer(t.Context(), store, a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spec.Want[querytest.Answer](t, c), got); diff != "" {
			t.Error(diff)
		}
		if a.AtLeast {
			t.Errorf("the total is only a lower bound, although there are few roots")
		}
		checkConsistent(t, store, a)
	})
}

// checkConsistent compares the Connections and Concepts of an answer with its Links.
func checkConsistent(t *testing.T, r graph.Reader, a query.Answer) {
	t.Helper()
	links, err := r.Connections(t.Context(), a.Links)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(links, a.Connections); len(links)+len(a.Connections) > 0 && diff != "" {
		t.Errorf("the connections of the answer differ from its links:\n%s", diff)
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
		Graph  spec.Graph `json:"graph"`
		Answer struct {
			querytest.Answer
			Concepts []graph.ID `json:"concepts"`
		} `json:"answer"`
		Format string `json:"format"`
	}
	spec.RunCases(t, "format", func(t *testing.T, c spec.Case) {
		g := spec.Given[given](t, c)
		store := spec.Seed(t, memory.New(), g.Graph)
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
			a.Counts = append(a.Counts, graph.LinkCount{Of: store.RealID(n.Of), Type: types[n.Type].ID, N: n.N})
		}
		got, err := query.Shape(t.Context(), store, a, format)
		if c.WantsError(t, err) {
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
