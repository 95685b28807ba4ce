package postgres_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/postgres"
)

// PostgreSQL is killed and stopped while writers write. Each writer sends a note again until it is acknowledged. Until then,
// every error must be Unavailable. In the end, the store must have each note once.
func TestAcknowledgedBatchesSurviveDatabaseCrashes(t *testing.T) {
	t.Parallel()
	const writers = 4
	db := pgtest.New(t)
	s := open(t, db.Database(t))
	if err := s.KV().Commit(t.Context(), kv.Put("n", []byte("0"))); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var acknowledged, refused, counted atomic.Int64
	notes := make([]int, writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for ctx.Err() == nil {
				switch _, err := s.Write(t.Context(), note(w, notes[w])); { //nolint:contextcheck // a request in a group is finished
				case err == nil:
					notes[w]++
					acknowledged.Add(1)
				case graph.KindOf(err) != graph.Unavailable || !strings.Contains(err.Error(), "the database does not respond now"):
					t.Errorf("refused with %q: %v", graph.KindOf(err), err)
					return
				default:
					refused.Add(1)
				}
			}
		})
	}
	wait.Go(func() {
		for ctx.Err() == nil {
			if s.KV().Commit(t.Context(), kv.Add("n", 1)) == nil { //nolint:contextcheck // a request in a group is finished
				counted.Add(1)
			}
		}
	})
	woken := make(chan struct{}, 1)
	wait.Go(func() {
		s.Listen(ctx, func() {
			select {
			case woken <- struct{}{}:
			default:
			}
		})
	})
	waitForMore := func(n *atomic.Int64) {
		t.Helper()
		start := n.Load()
		waitUntil(t, func() bool { return n.Load() >= start+5 })
	}
	for range 3 {
		for _, end := range []func(){db.Kill, db.Stop} {
			waitForMore(&acknowledged)
			end()
			waitForMore(&refused)
			if _, err := s.LastSeq(t.Context()); graph.KindOf(err) != graph.Unavailable {
				t.Errorf("reading: %q (%v)", graph.KindOf(err), err)
			}
			db.Start(t)
		}
	}
	waitForMore(&acknowledged)
	for range 2 { // the first signal may be from before the last restart
		<-woken
	}
	stop()
	wait.Wait()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for w, n := range notes {
		checkNotes(t, s, w, n)
	}
	entries, err := s.KV().Get(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := strconv.ParseInt(string(entries[0].Value), 10, 64); err != nil || n < counted.Load() {
		t.Errorf("the counter = %s, %v; want at least %d, the acknowledged additions", entries[0].Value, err, counted.Load())
	}
	t.Logf("notes %v, refused %d, counted %d", notes, refused.Load(), counted.Load())
}

// waitUntil waits for a condition.
func waitUntil(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the condition does not become true")
		}
	}
}

// note returns the n-th batch of a writer: two concepts and a connection.
func note(writer, n int) graph.Batch {
	head, text := graph.ID(-1-2*n), graph.ID(-2-2*n)
	return graph.Batch{
		Sender: graph.Sender{User: graph.ID(2000 + writer)},
		Concepts: []graph.ConceptDraft{
			{LocalID: head, Kind: graph.DraftComposition, TypeName: fmt.Sprint("the_note_", writer)},
			{LocalID: text, TypeName: fmt.Sprint("the_text_", writer), Value: fmt.Sprint("note ", n)},
		},
		Connections: []graph.ConnectionDraft{{LocalID: head, From: head, To: text, TypeName: "the_note_text"}},
	}
}

// checkNotes checks that the store has each note of a writer once.
func checkNotes(t *testing.T, s *postgres.Store, writer, n int) {
	t.Helper()
	types, err := graph.TypesNamed(t.Context(), s, fmt.Sprint("the_note_", writer))
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range types {
		if found, err := s.CountByType(t.Context(), typ.ID, 0); err != nil || found < n || found > n+1 {
			t.Errorf("writer %d has %d notes, %v; want %d, the acknowledged ones, or one more", writer, found, err, n)
		}
	}
	for i := range n {
		r, err := s.Write(t.Context(), note(writer, i))
		if err != nil || r.Seq != 0 {
			t.Fatalf("note %d of writer %d, sent again, is change %d (%v)", i, writer, r.Seq, err)
		}
	}
}
