package postgres_test

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
)

func TestCountVisible(t *testing.T) {
	const ann, ben = 3001, 3002
	s := open(t, pgtest.Database(t))
	b := graph.Batch{Sender: graph.Sender{User: ann}}
	for i, d := range []graph.ConceptDraft{
		{}, {}, {Access: graph.Admin}, {Access: graph.Public}, {Owner: ben}, {Owner: graph.Anonymous},
	} {
		d.TypeName, d.Value = "the_word", fmt.Sprint(i)
		b.Concepts = append(b.Concepts, d)
	}
	receipt, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for viewer, want := range map[graph.ID]int{ann: 4, ben: 3, graph.Anonymous: 2} {
		if n, err := s.CountVisible(t.Context(), receipt.Concepts[0].Type, viewer); err != nil || n != want {
			t.Errorf("%d instances are visible to user %d (%v); want %d", n, viewer, err, want)
		}
	}
}
