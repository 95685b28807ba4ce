package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/longwork"
	"github.com/weft-graph/weft/internal/pgtest"
)

// A request for long values must read them in parts. In one statement, it would occupy a connection and a processor
// until all of them are read.
func TestLongTextsAreReadInParts(t *testing.T) {
	s := open(t, pgtest.Database(t))
	b := graph.Batch{Sender: graph.Sender{User: 3001}}
	for i := range 8 {
		b.Concepts = append(b.Concepts, graph.ConceptDraft{TypeName: "the_text", Value: fmt.Sprint(i, strings.Repeat("long ", 120_000))})
	}
	receipt, err := s.Write(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	var ids []graph.ID
	for _, c := range slices.Backward(receipt.Concepts) {
		ids = append(ids, c.ID)
	}
	slots := longwork.NewSlots(2)
	holder, reader := slots.Start("holder"), slots.Start("reader")
	time.Sleep(60 * time.Millisecond) // from now on the reader's work is long
	if err := holder.Pause(t.Context(), 2<<20); err != nil {
		t.Fatal(err)
	}
	ctx := longwork.In(t.Context(), reader)
	if found, err := s.Concepts(ctx, ids[:2]); err != nil || len(found) != 2 {
		t.Errorf("one part: %d concepts, %v; want 2", len(found), err)
	}
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := s.Concepts(limited, ids); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("several parts while other work holds the slot: %v; want %v", err, context.DeadlineExceeded)
	}
	holder.Release()
	found, err := s.Concepts(ctx, append(ids, ids[0], 1<<40))
	if err != nil || len(found) != len(ids) {
		t.Fatalf("%d concepts, %v; want %d", len(found), err, len(ids))
	}
	for i, c := range found {
		if c.ID != ids[i] || c.Value != b.Concepts[len(ids)-1-i].Value {
			t.Errorf("concept %d is %d with %d bytes; want %d", i, c.ID, len(c.Value), ids[i])
		}
	}
	if err := holder.Pause(t.Context(), 0); err != nil {
		t.Errorf("the reader did not release the slot: %v", err)
	}
}
