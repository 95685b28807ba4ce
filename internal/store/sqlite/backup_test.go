package sqlite_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A backup must have every batch that was acknowledged before the backup began, and each batch completely or not
// at all.
func TestBackupIsConsistentWhileOthersWrite(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 50 {
		mustWrite(t, s, note(0, i))
	}
	r, err := sqlite.OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()

	stop := make(chan struct{})
	var writing sync.WaitGroup
	var began sync.Once
	started := make(chan struct{})
	for w := range 3 {
		writing.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := s.Write(t.Context(), note(w+1, i)); err != nil {
					t.Errorf("writing during the backup: %v", err)
					return
				}
				began.Do(func() { close(started) })
			}
		})
	}
	<-started
	for range 5 {
		seq, err := s.LastSeq(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		if err := r.Backup(t.Context(), to); err != nil {
			t.Fatal(err)
		}
		b := open(t, to)
		last, err := b.LastSeq(t.Context())
		if err != nil || last < seq {
			t.Errorf("the backup ends at change %d (%v); want %d or later, which was acknowledged", last, err, seq)
		}
		if err := b.Check(t.Context()); err != nil {
			t.Error(err)
		}
		for w := range 4 {
			n := notes(t.Context(), b, w)
			checkNotes(t, b, w, n-1)
		}
		identity, _ := b.Identity(t.Context())
		if want, _ := s.Identity(t.Context()); identity != want {
			t.Errorf("the backup is of %s, not of %s", identity, want)
		}
	}
	close(stop)
	writing.Wait()
}

func TestBackupHasEveryRow(t *testing.T) {
	s := open(t, t.TempDir())
	for i := range 20 {
		mustWrite(t, s, note(0, i))
	}
	to := t.TempDir()
	if err := s.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	b := open(t, to)
	for _, table := range raw.Tables {
		want, err := raw.SumOf(t.Context(), s, table)
		if err != nil {
			t.Fatal(err)
		}
		got, err := raw.SumOf(t.Context(), b, table)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s (%v, -want +got):\n%s", table.Name, err, diff)
		}
	}
	if err := s.Backup(t.Context(), to); graph.KindOf(err) != graph.Conflict {
		t.Errorf("into a directory with a backup: %v; want %s", err, graph.Conflict)
	}
	if err := s.Backup(t.Context(), to+"/nowhere"); err == nil {
		t.Error("a backup into a missing directory succeeded")
	}
	if files, _ := filepath.Glob(filepath.Join(to, "weft.db*")); len(files) > 3 { // the file and the two files of its log, because the store is open
		t.Errorf("files in the directory: %v; want at most weft.db and the two files of its log", files)
	}
	mustWrite(t, s, note(0, 20))
}

func mustWrite(t *testing.T, s graph.Store, b graph.Batch) {
	t.Helper()
	if _, err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}
