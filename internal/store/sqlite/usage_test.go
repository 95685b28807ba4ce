package sqlite_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

func usageOf(t *testing.T, s *sqlite.Store, owner graph.ID) graph.Usage {
	t.Helper()
	u, err := s.Usage(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// linkedNotes returns a batch of n notes with the same text, each connected to the next.
func linkedNotes(user graph.ID, n int, text string) graph.Batch {
	b := graph.Batch{Sender: graph.Sender{User: user, Randomizer: int64(text[0])}}
	for i := range n {
		id := graph.ID(-i - 1)
		b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: id, TypeName: "the_note", Value: text + strconv.Itoa(i)})
		if i > 0 {
			b.Connections = append(b.Connections, graph.ConnectionDraft{LocalID: id, From: id, To: id + 1, TypeName: "the_next"})
		}
	}
	return b
}

func TestUsageIsCountedInTheTransactionOfABatch(t *testing.T) {
	dir := t.TempDir()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	const user = graph.ID(123_456)
	long := strings.Repeat("long ", 1_000)
	receipt, err := s.Write(t.Context(), linkedNotes(user, 3, long))
	if err != nil {
		t.Fatal(err)
	}
	full := usageOf(t, s, user)
	if full.Records < 5 || full.Bytes < 3*int64(len(long)+1) {
		t.Errorf("three notes and two connections count as %+v; want at least 5 records and the bytes of the texts", full)
	}
	if again, err := s.Write(t.Context(), linkedNotes(user, 3, long)); err != nil || usageOf(t, s, user) != full {
		t.Errorf("the same batch again changed the usage: %+v, %v; want the same usage", again, err)
	}
	s.SetQuotas(graph.Quotas{Users: graph.Usage{Records: full.Records + 1}})
	if _, err := s.Write(t.Context(), linkedNotes(user, 3, "x")); graph.KindOf(err) != graph.TooLarge {
		t.Errorf("beyond the quota of records: %v; want the kind tooLarge", err)
	}
	s.SetQuotas(graph.Quotas{Users: graph.Usage{Bytes: full.Bytes + 1}})
	if _, err := s.Write(t.Context(), linkedNotes(user, 3, "x")); graph.KindOf(err) != graph.TooLarge {
		t.Errorf("beyond the quota of bytes: %v; want the kind tooLarge", err)
	}
	if _, err := s.Write(t.Context(), linkedNotes(user+1, 1, "x")); err != nil {
		t.Errorf("another user: %v; want no error", err)
	}
	if got := usageOf(t, s, user); got != full {
		t.Errorf("refused batches count: %+v; want %+v", got, full)
	}
	if _, err := s.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: user}, RemoveConcepts: []graph.ID{receipt.Concepts[0].ID, receipt.Concepts[1].ID}}); err != nil {
		t.Fatal(err)
	}
	remaining := usageOf(t, s, user)
	if remaining.Records >= full.Records-3 || remaining.Bytes >= full.Bytes-2*int64(len(long)) {
		t.Errorf("after two of three notes were removed: %+v; want less than before: %+v", remaining, full)
	}
	if _, err := s.Write(t.Context(), linkedNotes(user, 2, "y")); err != nil {
		t.Errorf("after a removal: %v; want no error", err)
	}
	remaining = usageOf(t, s, user)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = sqlite.Open(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if got := usageOf(t, s, user); got != remaining {
		t.Errorf("after a restart: %+v; want %+v", got, remaining)
	}
	if err := s.RecountUsage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := usageOf(t, s, user); got != remaining {
		t.Errorf("counted anew: %+v; want %+v", got, remaining)
	}
}
