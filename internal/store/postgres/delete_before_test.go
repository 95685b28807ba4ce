package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
)

// Change 1201 is recent although later changes are old, as if a clock had been set back. The old changes after it must
// therefore be kept.
func TestCommitDeletesAThousandOldChangesWithoutAGap(t *testing.T) {
	url := pgtest.Database(t)
	s := open(t, url)
	execute(t, url, fmt.Sprintf(`insert into change select n, case n when 1201 then %d else 0 end, '\x0200' from generate_series(1, 2500) n;
		update sequence set next = 2501 where name = 'change'`, time.Now().UnixMilli()))
	for i, want := range []graph.Seq{1_001, 1_201, 1_201} {
		receipt, err := s.Write(t.Context(), graph.Batch{
			Sender:   graph.Sender{User: graph.Anonymous},
			Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_note"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		changes, err := s.Changes(t.Context(), want-1, 0)
		if n := receipt.Seq - want + 1; err != nil || graph.Seq(len(changes)) != n || changes[0].Seq != want {
			t.Errorf("after commit %d there are %d changes, %v; want %d from %d", i+1, len(changes), err, n, want)
		}
		if _, err := s.Changes(t.Context(), want-2, 0); graph.KindOf(err) != graph.NotFound {
			t.Errorf("after commit %d the changes after %d: %v", i+1, want-2, err)
		}
	}
}

func TestDeleteBeforeDeletesAllOldChanges(t *testing.T) {
	url := pgtest.Database(t)
	s := open(t, url)
	execute(t, url, `insert into change select n, 0, '\x0200' from generate_series(1, 2500) n; update sequence set next = 2501 where name = 'change'`)
	if err := s.DeleteBefore(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if changes, err := s.Changes(t.Context(), 2_500, 0); err != nil || len(changes) != 0 {
		t.Errorf("%d changes after the last, %v; want none", len(changes), err)
	}
	if _, err := s.Changes(t.Context(), 2_499, 0); graph.KindOf(err) != graph.NotFound {
		t.Errorf("the last of the old changes: %v; want a NotFound error", err)
	}
}
