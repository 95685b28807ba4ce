package query_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/querytest"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

// A plain reader hides all optional capabilities of the reader that it embeds.
type plain struct{ graph.Reader }

// An unsized reader is a Selector but not a Sizer.
type unsized struct {
	graph.Reader
	graph.Selector
}

// A limited reader only selects from simple sets: without deep hops, unions, or intersections of more than two operands.
type limited struct {
	graph.Reader
	graph.Selector
}

func (l limited) Select(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if isComplex(s.Set) {
		return nil, errors.ErrUnsupported
	}
	return l.Selector.Select(ctx, s)
}

// isComplex reports whether a limited reader does not support a set.
func isComplex(set graph.Set) bool {
	switch set := set.(type) {
	case graph.Linked:
		return set.Depth > 1 || isComplex(set.Far)
	case graph.Intersection:
		return len(set) > 2 || slices.ContainsFunc(set, isComplex)
	case graph.Complement:
		return isComplex(set.Of)
	case graph.Union, graph.Holders:
		return true
	default:
		return false
	}
}

// TestRandomQueries compares all strategies with the reference evaluator. Low thresholds make the strategies switch
// early, because generated graphs are small.
func TestRandomQueries(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		g := querytest.Graphs().Draw(r, "graph")
		store, err := spec.Write(t.Context(), memory.New(), g)
		if err != nil {
			r.Fatal(err)
		}
		q := querytest.WithRealIDs(store, querytest.Queries(g).Draw(r, "query"))
		want, err := querytest.Reference(t.Context(), store, q)
		if err != nil {
			r.Fatal(err)
		}
		selector, _ := store.Store.(graph.Selector)
		thresholds := drawThresholds(r)
		// The readers have a fixed order, so that a failure can be repeated from its seed.
		for _, reader := range []graph.Reader{store.Store, plain{store}, unsized{store, selector}, limited{store, selector}} {
			name := fmt.Sprintf("%T", reader)
			got, err := query.RunWithThresholds(t.Context(), reader, q, thresholds)
			if err != nil {
				r.Fatalf("%s: %v", name, err)
			}
			if q.CountAll && got.AtLeast {
				r.Fatalf("%s: total %d is only a lower bound", name, got.Total)
			}
			if diff := querytest.Diff(want, got); diff != "" {
				text, _ := json.Marshal(q)
				r.Fatalf("%s: a wrong answer to\n%s\n%s\n%s", name, text, got.Plan, diff)
			}
			if len(q.OrderBy) > 0 {
				all := q
				all.Page, all.PageSize = 0, query.MaxPageSize
				want, err := querytest.Reference(t.Context(), store, all)
				if err != nil {
					r.Fatal(err)
				}
				requirePages(r, reader, q, thresholds, want.Roots)
			}
		}
	})
}

// requirePages reads the pages of a query in sequence, and compares their roots with those in want.
func requirePages(r *rapid.T, reader graph.Reader, q query.Query, thresholds query.Thresholds, want []graph.ID) {
	var got []graph.ID
	q.Page, q.PageSize = 0, rapid.IntRange(1, 3).Draw(r, "pageSize")
	for {
		a, err := query.RunWithThresholds(r.Context(), reader, q, thresholds)
		if err != nil {
			r.Fatal(err)
		}
		got = append(got, a.Roots...)
		if a.Next == "" || len(got) > len(want) {
			break
		}
		q.Cursor = a.Next
	}
	if !slices.Equal(got, want) {
		text, _ := json.Marshal(q) //nolint:errchkjson // a query can be encoded
		r.Fatalf("%T: the pages of\n%s\nhave the roots %v; want %v", reader, text, got, want)
	}
}

func drawThresholds(r *rapid.T) query.Thresholds {
	return query.Thresholds{
		Gather:     rapid.IntRange(1, 6).Draw(r, "gather"),
		Window:     rapid.IntRange(1, 3).Draw(r, "window"),
		ExactCount: rapid.IntRange(0, 4).Draw(r, "exactCount"),
	}
}
