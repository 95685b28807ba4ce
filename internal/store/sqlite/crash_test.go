package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// TestMain makes the test binary usable as the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WEFT_WRITE_UNTIL_KILLED"); dir != "" {
		writeUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}

const writers = 4

// writeUntilKilled writes notes from several goroutines, each with a kv entry and a reserved id, and prints each note after
// the store has acknowledged it. Each goroutine starts with the last note that it may have written before the kill, so that
// this note is sent twice.
func writeUntilKilled(dir string) {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var stdout sync.Mutex
	for w := range writers {
		go func() {
			for n := max(notes(ctx, s, w)-1, 0); ; n++ {
				_, err := s.Write(ctx, note(w, n))
				ids, reserveErr := s.Reserve(ctx, sender(w).User, 1)
				if n%5 == w { // so that some processes are killed while they index
					err = errors.Join(err, s.Settle(ctx))
				}
				if err := errors.Join(err, reserveErr, s.KV().Commit(ctx, kv.Put(entry(w, n), nil))); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				stdout.Lock()
				fmt.Println(w, n, ids[0])
				stdout.Unlock()
			}
		}()
	}
	select {}
}

// note returns the n-th batch of a writer: two concepts and a connection.
func note(writer, n int) graph.Batch {
	head, text := graph.ID(-1-2*n), graph.ID(-2-2*n)
	return graph.Batch{
		Sender: sender(writer),
		Concepts: []graph.ConceptDraft{
			{LocalID: head, Kind: graph.DraftComposition, TypeName: fmt.Sprint("the_note_", writer)},
			{LocalID: text, TypeName: fmt.Sprint("the_text_", writer), Value: fmt.Sprint("note ", n)},
		},
		Connections: []graph.ConnectionDraft{{LocalID: head, From: head, To: text, TypeName: "the_note_text"}},
	}
}

func entry(writer, n int) string { return fmt.Sprintf("note/%d/%d", writer, n) }

func sender(writer int) graph.Sender { return graph.Sender{User: graph.ID(2000 + writer)} }

// notes counts the notes of a writer in the store.
func notes(ctx context.Context, s graph.Store, writer int) int {
	types, err := s.ConceptsByValue(ctx, []graph.ValueKey{{Value: fmt.Sprint("the_note_", writer)}})
	if err != nil || len(types) == 0 {
		return 0
	}
	n, _ := s.CountByType(ctx, types[0].ID, 0)
	return n
}

func TestAcknowledgedBatchesSurviveAKilledProcess(t *testing.T) {
	race.Skip(t, "another process writes")
	kills := 25
	if testing.Short() {
		kills = 3
	}
	dir := t.TempDir()
	acknowledged := [writers]int{-1, -1, -1, -1}
	reserved := map[graph.ID]int{}
	for range kills {
		runUntilKilled(t, dir, &acknowledged, reserved)
		s := open(t, dir)
		if err := s.Check(t.Context()); err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		for w, last := range acknowledged {
			checkNotes(t, s, w, last)
			checkEntries(t, s, w, last)
		}
		checkReservedIDs(t, s, reserved)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the last notes acknowledged before %d kills: %v", kills, acknowledged)
}

// runUntilKilled runs a writing process for a few milliseconds. It records the notes that were acknowledged and the ids that
// were reserved.
func runUntilKilled(t *testing.T, dir string, acknowledged *[writers]int, reserved map[graph.ID]int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "WEFT_WRITE_UNTIL_KILLED="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	started := false
	for lines.Scan() {
		if !started {
			time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { _ = child.Process.Kill() })
			started = true
		}
		var w, n int
		var id graph.ID
		if _, err := fmt.Sscan(lines.Text(), &w, &n, &id); err != nil {
			continue
		}
		acknowledged[w] = max(acknowledged[w], n)
		if other, exists := reserved[id]; exists {
			t.Errorf("id %d was reserved for writers %d and %d", id, other, w)
		}
		reserved[id] = w
	}
	_ = child.Wait()
	if !started {
		t.Fatal("the writing process died before it wrote")
	}
}

// checkNotes checks that the store has each note of a writer, up to the last acknowledged note, once and
// completely.
func checkNotes(t *testing.T, s *sqlite.Store, writer, last int) {
	t.Helper()
	n := notes(t.Context(), s, writer)
	if n <= last || n > last+2 {
		t.Fatalf("writer %d has %d notes; want %d or one more, as note %d was the last acknowledged", writer, n, last+1, last)
	}
	found, err := s.Select(t.Context(), graph.Selection{Set: graph.Intersection{
		graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: "NOTE %"}}, graph.Instances{Where: &graph.Predicate{Field: graph.FieldOwner, Op: graph.Equal, Number: int64(sender(writer).User)}},
	}})
	if err != nil || len(found) != n {
		t.Fatalf("writer %d has %d values, %v; want %d, one for each note", writer, len(found), err, n)
	}
	localIDs := []graph.ID{}
	for i := range n {
		localIDs = append(localIDs, note(writer, i).Concepts[0].LocalID)
	}
	ids, err := s.ResolveIDs(t.Context(), sender(writer), localIDs)
	if err != nil || len(ids) != n {
		t.Fatalf("writer %d has %d local ids, %v; want %d, one for each note", writer, len(ids), err, n)
	}
	heads := []graph.ID{}
	for _, id := range ids {
		heads = append(heads, id)
	}
	links, err := s.Links(t.Context(), graph.Links{Of: heads})
	if err != nil || len(links) != n {
		t.Fatalf("writer %d has %d links, %v; want %d, one for each note", writer, len(links), err, n)
	}
}

// checkEntries checks that the store has the entries of a writer up to the last acknowledged entry.
func checkEntries(t *testing.T, s *sqlite.Store, writer, last int) {
	t.Helper()
	for n := range last + 1 {
		if found, err := s.KV().Get(t.Context(), entry(writer, n)); err != nil || len(found) != 1 {
			t.Fatalf("entry %s = %v, %v; want one, as note %d was acknowledged", entry(writer, n), found, err, n)
		}
	}
}

// checkReservedIDs checks that every reserved id can still be used by its user.
func checkReservedIDs(t *testing.T, s *sqlite.Store, reserved map[graph.ID]int) {
	t.Helper()
	for id, w := range reserved {
		receipt, err := s.Write(t.Context(), graph.Batch{
			Sender: sender(w), Concepts: []graph.ConceptDraft{{ID: id, Kind: graph.DraftComposition, TypeName: "the_reserved"}},
		})
		if err != nil || receipt.Concepts[0].ID != id {
			t.Fatalf("id %d, reserved for writer %d, became %+v, %v", id, w, receipt, err)
		}
	}
}

func TestOpenRefusesASecondWriter(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := sqlite.Open(t.Context(), dir); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("opening twice: %v; want %s", err, graph.Unavailable)
	}
	if _, err := s.Write(t.Context(), note(0, 0)); err != nil {
		t.Errorf("writing after the refusal: %v", err)
	}
}
