package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

// TestSelectEndsWithItsContext selects from two concepts. The first concept is found immediately. Testing the second takes
// minutes, because the test follows 20,000 connections over a hub from each of 20,000 concepts.
func TestSelectEndsWithItsContext(t *testing.T) {
	const numbers = 20_000
	s := open(t, t.TempDir())
	b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{
		{LocalID: -1, TypeName: "the_number", Value: "alone"}, {LocalID: -2, Kind: graph.DraftComposition, TypeName: "the_hub"},
	}}
	for i := range numbers {
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: graph.ID(-3 - i), TypeName: "the_number", Value: fmt.Sprint(i)})
		b.Connections = append(b.Connections, graph.ConnectionDraft{From: graph.ID(-3 - i), To: -2, TypeName: "the_number_hub"})
	}
	r, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	far := graph.Set(graph.Instances{Type: r.Concepts[0].Type, Where: &graph.Predicate{Op: graph.Equal, Text: "none"}})
	for _, d := range []graph.Direction{graph.In, graph.Out, graph.In} {
		far = graph.Linked{Types: []graph.ID{r.Connections[0].Type}, Far: far, Direction: d}
	}
	for _, unordered := range []bool{false, true} {
		ctx, done := context.WithTimeout(t.Context(), 100*time.Millisecond)
		found, err := s.Select(ctx, graph.Selection{
			Set: graph.Intersection{graph.IDs{r.Concepts[0].ID, r.Concepts[1].ID}, graph.Complement{Of: far}}, Unordered: unordered,
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("found %v (%v); want %v", found, err, context.DeadlineExceeded)
		}
		done()
	}
}

func TestSelectRefusesTooManyParameters(t *testing.T) {
	s := open(t, t.TempDir())
	var union graph.Union
	for i := range 10_000 {
		union = append(union, graph.Instances{Type: 7, Where: &graph.Predicate{Op: graph.NotEqual, Text: fmt.Sprint(i)}})
	}
	found, err := s.Select(t.Context(), graph.Selection{Set: graph.Intersection{graph.IDs{8}, union, union}})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("found %v (%v); want %v", found, err, errors.ErrUnsupported)
	}
}
