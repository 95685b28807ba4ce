package querytest_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

func TestReferencePassesTheCases(t *testing.T) {
	spec.RunCases(t, "query", func(t *testing.T, c spec.Case) {
		given := spec.Given[struct {
			Graph spec.Graph      `json:"graph"`
			Query json.RawMessage `json:"query"`
		}](t, c)
		store := spec.Seed(t, memory.New(), given.Graph)
		q, err := query.Parse(given.Query)
		if c.WantsError(t, err) {
			return
		}
		a, err := querytest.Reference(t.Context(), store, querytest.WithRealIDs(store, q))
		if err != nil {
			t.Fatal(err)
		}
		got, err := querytest.CaseAnswer(t.Context(), store, a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spec.Want[querytest.Answer](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestGeneratorsCoverTheLanguage checks that generated queries are valid, and that enough of the queries find
// records, filter and group.
func TestGeneratorsCoverTheLanguage(t *testing.T) {
	queries, found, filtered, rejecting, withLinks, grouped := 0, 0, 0, 0, 0, 0
	for seed := range 500 {
		g := querytest.Graphs().Example(seed)
		store := spec.Seed(t, memory.New(), g)
		q := querytest.WithRealIDs(store, querytest.Queries(g).Example(seed))
		if err := q.Check(); err != nil {
			t.Fatal(err)
		}
		a, err := querytest.Reference(t.Context(), store, q)
		if err != nil {
			t.Fatal(err)
		}
		queries++
		if len(a.Links) > 0 {
			found++
		}
		if _, ok, _ := q.Expression(); ok {
			filtered++
			if all, err := querytest.Reference(t.Context(), store, unfiltered(q)); err != nil || all.Total > a.Total {
				rejecting++
			}
			if len(a.Links) > 0 {
				withLinks++
			}
		}
		if len(a.Groups) > 0 {
			grouped++
		}
	}
	t.Logf("of %d queries %d found links and %d had groups; %d were filtered: %d of them rejected roots and %d found links", queries, found, grouped, filtered, rejecting, withLinks)
	for what, isEnough := range map[string]bool{
		"links": found*6 > queries, "groups": grouped*20 > queries, "filters": filtered*3 > queries,
		"filters that reject roots": rejecting*5 > filtered, "filters with links": withLinks*15 > filtered,
	} {
		if !isEnough {
			t.Errorf("too few generated queries with %s", what)
		}
	}
}

func unfiltered(q query.Query) query.Query {
	q.Logic = ""
	return q
}
