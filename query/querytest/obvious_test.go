package querytest_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/store/memory"
)

func TestObviousAnswersTheCases(t *testing.T) {
	vectors.Each(t, "query", func(t *testing.T, c vectors.Case) {
		given := vectors.Given[struct {
			Graph vectors.Graph   `json:"graph"`
			Query json.RawMessage `json:"query"`
		}](t, c)
		store := vectors.Seed(t, memory.New(), given.Graph)
		q, err := query.Parse(given.Query)
		if c.Refused(t, err) {
			return
		}
		a, err := querytest.Obvious(t.Context(), store, querytest.Real(store, q))
		if err != nil {
			t.Fatal(err)
		}
		told, err := querytest.Told(t.Context(), store, a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(vectors.Want[querytest.Answer](t, c), told); diff != "" {
			t.Error(diff)
		}
	})
}

// TestDice looks at the dice: queries that Check refuses, or that never find anything, prove nothing.
func TestDice(t *testing.T) {
	queries, found, filtered, refused, kept, grouped := 0, 0, 0, 0, 0, 0
	for seed := range 500 {
		g := querytest.Graphs().Example(seed)
		store := vectors.Seed(t, memory.New(), g)
		q := querytest.Real(store, querytest.Queries(g).Example(seed))
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		a, err := querytest.Obvious(t.Context(), store, q)
		if err != nil {
			t.Fatal(err)
		}
		queries++
		if len(a.Links) > 0 {
			found++
		}
		if _, ok, _ := q.Expression(); ok {
			filtered++
			if all, err := querytest.Obvious(t.Context(), store, unfiltered(q)); err != nil || all.Total > a.Total {
				refused++
			}
			if len(a.Links) > 0 {
				kept++
			}
		}
		if len(a.Groups) > 0 {
			grouped++
		}
	}
	t.Logf("of %d queries %d found something and %d grouped it; %d were filtered, which left roots out of %d and links in %d", queries, found, grouped, filtered, refused, kept)
	for what, enough := range map[string]bool{
		"links": found*6 > queries, "groups": grouped*20 > queries, "filters": filtered*3 > queries,
		"filters that leave roots out": refused*5 > filtered, "filters that leave links in": kept*15 > filtered,
	} {
		if !enough {
			t.Errorf("the dice do not roll enough %s", what)
		}
	}
}

func unfiltered(q query.Query) query.Query {
	q.Logic = ""
	return q
}
