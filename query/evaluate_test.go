package query

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A query must charge the ids that it gathers to its account: a set may have up to a million.
func TestGatheredIDsAreCharged(t *testing.T) {
	store := memory.New()
	batch := graph.Batch{Sender: graph.Sender{User: 70_001}}
	const texts = 20_000
	for i := range texts {
		batch.Concepts = append(batch.Concepts, graph.ConceptDraft{TypeName: "the_text", Value: fmt.Sprint("text ", i)})
	}
	written, err := store.Write(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	gather := func(bytes int64) (*evaluator, []graph.ID, error) {
		ctx := budget.In(t.Context(), budget.New(bytes).Open("a"))
		e := newEvaluator(ctx, store, defaultLimits)
		ids, _, err := e.gather(ctx, graph.Instances{Type: written.Concepts[0].Type}, MaxSetMembers)
		return e, ids, err
	}
	if _, _, err := gather(texts * bytesPerID); graph.KindOf(err) != graph.TooLarge {
		t.Errorf("with half of the memory of the ids: %v; want the kind tooLarge", err)
	}
	e, ids, err := gather(3 * texts * bytesPerID)
	if charged := e.account.Charged(); err != nil || len(ids) != texts || charged != texts*bytesPerID {
		t.Errorf("with enough memory: %d ids for %d bytes, %v; want %d for %d", len(ids), charged, err, texts, texts*bytesPerID)
	}
	e.dropIDs(ids)
	if charged := e.account.Charged(); charged != 0 {
		t.Errorf("after the ids were dropped, %d bytes are charged; want 0", charged)
	}
}
