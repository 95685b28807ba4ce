package query_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/query/querytest"
	"github.com/weft-graph/weft/store/memory"
)

// A plain reader can do nothing besides what every reader can.
type plain struct{ graph.Reader }

// An unsized reader selects, and does not tell how large anything is.
type unsized struct {
	graph.Reader
	graph.Selector
}

// A choosy reader selects from sets that are not deep, and of several ones, from none.
type choosy struct {
	graph.Reader
	graph.Selector
}

func (c choosy) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if deep(s.Set) {
		return nil, errors.ErrUnsupported
	}
	return c.Selector.Select(ctx, s)
}

func deep(set graph.Set) bool {
	switch set := set.(type) {
	case graph.Linked:
		return set.Depth > 1 || deep(set.Far)
	case graph.Both:
		return len(set) > 2 || slices.ContainsFunc(set, deep)
	case graph.Except:
		return deep(set.Of)
	case graph.Either, graph.Holders:
		return true
	default:
		return false
	}
}

// TestDice compares every way to answer with the slow and obvious one. No graph that is rolled is large, so every way is made to
// give up early.
func TestDice(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		store, err := vectors.Write(t.Context(), memory.New(), g)
		if err != nil {
			r.Fatal(err)
		}
		q := querytest.Real(store, querytest.Queries(g).Draw(r, "query"))
		want, err := querytest.Obvious(t.Context(), store, q)
		if err != nil {
			r.Fatal(err)
		}
		selector, _ := store.Store.(graph.Selector)
		gather, window := rapid.IntRange(1, 6).Draw(r, "gather"), rapid.IntRange(1, 3).Draw(r, "window")
		countOn := rapid.IntRange(0, 4).Draw(r, "countOn")
		for what, reader := range map[string]graph.Reader{
			"a reader that selects": store.Store, "a plain reader": plain{store}, "an unsized reader": unsized{store, selector},
			"a choosy reader": choosy{store, selector},
		} {
			got, err := query.RunWith(t.Context(), reader, q, gather, window, countOn)
			if err != nil {
				r.Fatalf("%s: %v", what, err)
			}
			if q.CountAll && got.AtLeast {
				r.Fatalf("%s counts only at least %d", what, got.Total)
			}
			if diff := querytest.Same(want, got); diff != "" {
				asked, _ := json.Marshal(q)
				r.Fatalf("%s answers\n%s\n%s\n%s", what, asked, got.Plan, diff)
			}
		}
	})
}
