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
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/sqlite"
)

// TestMain lets the test start itself again as the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WEFT_WRITE_UNTIL_KILLED"); dir != "" {
		writeUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}

const writers = 4

// writeUntilKilled writes notes from several goroutines, each with an entry beside the graph and a reserved id,
// and says which were acknowledged. Each begins with the last note it may have written before, so that one is
// sent twice.
func writeUntilKilled(dir string) {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var say sync.Mutex
	for w := range writers {
		go func() {
			for n := max(notes(ctx, s, w)-1, 0); ; n++ {
				_, err := s.Write(ctx, note(w, n))
				ids, reserveErr := s.Reserve(ctx, sender(w).User, 1)
				if n%5 == w { // some are killed while they index
					err = errors.Join(err, s.Settle(ctx))
				}
				if err := errors.Join(err, reserveErr, s.KV().Commit(ctx, kv.Put(entry(w, n), nil))); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				say.Lock()
				fmt.Println(w, n, ids[0])
				say.Unlock()
			}
		}()
	}
	select {}
}

// note is the n-th batch of a writer: two concepts and the link between them.
func note(writer, n int) graph.Batch {
	head, text := graph.ID(-1-2*n), graph.ID(-2-2*n)
	return graph.Batch{
		Sender: sender(writer),
		Concepts: []graph.ConceptDraft{
			{Ghost: head, Kind: graph.DraftComposition, TypeName: fmt.Sprint("the_note_", writer)},
			{Ghost: text, TypeName: fmt.Sprint("the_text_", writer), Value: fmt.Sprint("note ", n)},
		},
		Connections: []graph.ConnectionDraft{{Ghost: head, From: head, To: text, TypeName: "the_note_text"}},
	}
}

func entry(writer, n int) string { return fmt.Sprintf("note/%d/%d", writer, n) }

func sender(writer int) graph.Sender { return graph.Sender{User: graph.ID(2000 + writer)} }

// notes counts a writer's notes in the store.
func notes(ctx context.Context, s graph.Store, writer int) int {
	types, err := s.ConceptsByValue(ctx, []graph.ValueKey{{Value: fmt.Sprint("the_note_", writer)}})
	if err != nil || len(types) == 0 {
		return 0
	}
	n, _ := s.CountByType(ctx, types[0].ID, 0)
	return n
}

func TestEveryAcknowledgedBatchSurvivesAKilledProcess(t *testing.T) {
	kills := 25
	if testing.Short() {
		kills = 3
	}
	dir := t.TempDir()
	acknowledged := [writers]int{-1, -1, -1, -1}
	reserved := map[graph.ID]int{}
	for range kills {
		killed(t, dir, &acknowledged, reserved)
		s := open(t, dir)
		if err := s.Check(t.Context()); err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		for w, last := range acknowledged {
			present(t, s, w, last)
			entries(t, s, w, last)
		}
		usable(t, s, reserved)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("the last notes acknowledged before %d kills: %v", kills, acknowledged)
}

// killed runs a writing process for a moment and notes what it says was acknowledged, and which ids were
// reserved for whom.
func killed(t *testing.T, dir string, acknowledged *[writers]int, reserved map[graph.ID]int) {
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
		if other, twice := reserved[id]; twice {
			t.Errorf("id %d was reserved for writers %d and %d", id, other, w)
		}
		reserved[id] = w
	}
	_ = child.Wait()
	if !started {
		t.Fatal("the writing process died before it wrote")
	}
}

// present checks that a writer's notes are there, once each, whole, and up to the last acknowledged.
func present(t *testing.T, s *sqlite.Store, writer, last int) {
	t.Helper()
	n := notes(t.Context(), s, writer)
	if n <= last || n > last+2 {
		t.Fatalf("writer %d has %d notes; note %d was the last acknowledged", writer, n, last)
	}
	found, err := s.Select(t.Context(), graph.Selection{Set: graph.Both{
		graph.Instances{Where: &graph.Predicate{Op: graph.Like, Text: "NOTE %"}}, graph.Instances{Where: &graph.Predicate{Field: graph.FieldOwner, Op: graph.Equal, Number: int64(sender(writer).User)}},
	}})
	if err != nil || len(found) != n {
		t.Fatalf("writer %d has %d texts for %d notes: %v", writer, len(found), n, err)
	}
	ghosts := []graph.ID{}
	for i := range n {
		ghosts = append(ghosts, note(writer, i).Concepts[0].Ghost)
	}
	ids, err := s.Ghosts(t.Context(), sender(writer), ghosts)
	if err != nil || len(ids) != n {
		t.Fatalf("writer %d has %d ghosts for %d notes: %v", writer, len(ids), n, err)
	}
	heads := []graph.ID{}
	for _, id := range ids {
		heads = append(heads, id)
	}
	links, err := s.Links(t.Context(), graph.Links{Of: heads})
	if err != nil || len(links) != n {
		t.Fatalf("writer %d has %d links for %d notes: %v", writer, len(links), n, err)
	}
}

// entries checks that a writer's entries are there up to the last acknowledged.
func entries(t *testing.T, s *sqlite.Store, writer, last int) {
	t.Helper()
	for n := range last + 1 {
		if found, err := s.KV().Get(t.Context(), entry(writer, n)); err != nil || len(found) != 1 {
			t.Fatalf("entry %s is %v, %v; note %d was the last acknowledged", entry(writer, n), found, err, last)
		}
	}
}

// usable uses up the reserved ids: each becomes a record of whom it was reserved for.
func usable(t *testing.T, s *sqlite.Store, reserved map[graph.ID]int) {
	t.Helper()
	for id, w := range reserved {
		made, err := s.Write(t.Context(), graph.Batch{
			Sender: sender(w), Concepts: []graph.ConceptDraft{{ID: id, Kind: graph.DraftComposition, TypeName: "the_reserved"}},
		})
		if err != nil || made.Concepts[0].ID != id {
			t.Fatalf("id %d, reserved for writer %d, became %+v, %v", id, w, made, err)
		}
	}
}

func TestASecondWriterIsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := sqlite.Open(t.Context(), dir); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("opening twice: %v; want %s", err, graph.Unavailable)
	}
	if _, err := s.Write(t.Context(), note(0, 0)); err != nil {
		t.Errorf("writing beside the refused one: %v", err)
	}
}
