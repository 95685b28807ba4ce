package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
)

// TestASelectionEndsWithItsContext selects from two concepts. The first is found at once. Before the second is, each of so many ways
// over a hub is looked at from each of them, which takes minutes.
func TestASelectionEndsWithItsContext(t *testing.T) {
	const many = 20_000
	s := open(t, t.TempDir())
	b := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{
		{Ghost: -1, TypeName: "the_number", Value: "alone"}, {Ghost: -2, Kind: graph.DraftComposition, TypeName: "the_hub"},
	}}
	for i := range many {
		b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: graph.ID(-3 - i), TypeName: "the_number", Value: fmt.Sprint(i)})
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
			Set: graph.Both{graph.These{r.Concepts[0].ID, r.Concepts[1].ID}, graph.Except{Of: far}}, Unordered: unordered,
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("found %v (%v); want %v", found, err, context.DeadlineExceeded)
		}
		done()
	}
}

func TestASelectionOfTooMuch(t *testing.T) {
	s := open(t, t.TempDir())
	var either graph.Either
	for i := range 10_000 {
		either = append(either, graph.Instances{Type: 7, Where: &graph.Predicate{Op: graph.NotEqual, Text: fmt.Sprint(i)}})
	}
	found, err := s.Select(t.Context(), graph.Selection{Set: graph.Both{graph.These{8}, either, either}})
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("found %v (%v); want %v", found, err, errors.ErrUnsupported)
	}
}
