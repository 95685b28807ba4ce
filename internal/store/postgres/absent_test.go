package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/postgres"
)

func TestRefusesABatchWhileAnotherServerHoldsALock(t *testing.T) {
	url := pgtest.Database(t)
	one, other := open(t, url), open(t, url)
	b := graph.Batch{
		Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{TypeName: "the_word", Value: "x"}},
		Absent: &graph.Absent{Locks: []int32{3, 5}},
	}
	unlock, err := one.LockValues(t.Context(), []int32{5, 9})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Write(t.Context(), b); !errors.Is(err, graph.ErrPresent) {
		t.Errorf("while the lock is held: %v; want %v", err, graph.ErrPresent)
	}
	unlock()
	if _, err := other.Write(t.Context(), b); err != nil {
		t.Errorf("after the lock was released: %v; want no error", err)
	}
	unlock, err = one.LockValues(t.Context(), []int32{3, 5}) // a write holds its locks only until it is committed
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// Writers of one server may be in the same group, those of another are in other transactions.
func TestOneOfManyBatchesWithAConditionIsWritten(t *testing.T) {
	url := pgtest.Database(t)
	stores := []*postgres.Store{open(t, url), open(t, url)}
	first := graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{{Kind: graph.DraftType, TypeName: "the_word"}}}
	receipt, err := stores[0].Write(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 20 {
		value := string(rune('a' + round))
		var group sync.WaitGroup
		var written atomic.Int64
		for i := range 16 {
			b := graph.Batch{
				Sender:   graph.Sender{User: graph.ID(100 + i)},
				Concepts: []graph.ConceptDraft{{TypeName: "the_word", Value: value}},
				Absent:   &graph.Absent{Values: []graph.TypedValue{{Type: receipt.Concepts[0].ID, Value: value}}, Locks: []int32{int32(round)}},
			}
			group.Go(func() {
				switch _, err := stores[i%2].Write(context.Background(), b); {
				case err == nil:
					written.Add(1)
				case !errors.Is(err, graph.ErrPresent):
					t.Error(err)
				}
			})
		}
		group.Wait()
		if n := written.Load(); n > 1 {
			t.Fatalf("round %d: %d batches were written; want at most 1", round, n)
		}
	}
}

// The plans of a new database stay in use while its tables grow.
func TestLooksUpEachValueInANewDatabase(t *testing.T) {
	s := open(t, pgtest.Database(t))
	plans, err := s.ExplainValueLookups(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for statement, plan := range plans {
		for line := range strings.Lines(plan) {
			if strings.Contains(line, "Index Cond: ") && strings.Contains(line, "category") && !strings.Contains(line, "hash = ") {
				t.Errorf("reads more than the entries of a value:\n%s\n%s", statement, plan)
			}
		}
	}
}
