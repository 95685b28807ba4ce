package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/kv/kvtest"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) graph.Store { return open(t, t.TempDir()) })
}

func TestReopenedStore(t *testing.T) {
	storetest.RunReopened(t, func(t *testing.T) func() graph.Store {
		dir := t.TempDir()
		return func() graph.Store {
			s, err := sqlite.Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}

func TestKV(t *testing.T) {
	kvtest.Run(t, func(t *testing.T) kv.Store { return kv.In(open(t, t.TempDir())) })
}

func TestRaw(t *testing.T) {
	storetest.RunRaw(t, func(t *testing.T) raw.Store { return open(t, t.TempDir()) })
}

func TestReaderReadsWhileAnotherWrites(t *testing.T) {
	dir := t.TempDir()
	if _, err := sqlite.OpenReader(t.Context(), dir); graph.KindOf(err) != graph.NotFound {
		t.Errorf("opening an empty directory: %v; want %s", err, graph.NotFound)
	}
	s := open(t, dir)
	r, err := sqlite.OpenReader(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range 3 {
		receipt, err := s.Write(t.Context(), note(0, i))
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.Concepts(t.Context(), []graph.ID{receipt.Concepts[0].ID})
		if err != nil || len(found) != 1 {
			t.Errorf("the reader found %v (%v); want one concept", found, err)
		}
	}
}

func TestReopenedStoreHasEveryBatch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "an odd name", "#1 50%?a=b&c")
	s := open(t, dir)
	first, err := s.Write(t.Context(), note(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(t.Context(), note(0, 1)); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("writing to a closed store: %v; want %s", err, graph.Unavailable)
	}
	s = open(t, dir)
	repeated, err := s.Write(t.Context(), note(0, 0))
	first.Seq = 0
	if diff := cmp.Diff(first, repeated); err != nil || diff != "" {
		t.Errorf("sent again (%v, -first +again):\n%s", err, diff)
	}
	next, err := s.Write(t.Context(), note(0, 1))
	if err != nil || next.Seq != 2 || next.Concepts[0].ID <= first.Connections[0].ID {
		t.Errorf("the next batch became %+v (%v); want change 2 with ids above those of the first batch", next, err)
	}
}

func TestReservedIDsSurviveRestarts(t *testing.T) {
	dir := t.TempDir()
	seen := map[graph.ID]bool{}
	var first []graph.ID
	for range 3 {
		s := open(t, dir)
		ids, err := s.Reserve(t.Context(), 1001, 5)
		if err != nil {
			t.Fatal(err)
		}
		receipt, err := s.Write(t.Context(), graph.Batch{
			Sender: graph.Sender{User: 1001}, Concepts: []graph.ConceptDraft{{Kind: graph.DraftComposition, TypeName: "the_note"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range append(ids, receipt.Concepts[0].ID) {
			if seen[id] {
				t.Fatalf("id %d was given twice", id)
			}
			seen[id] = true
		}
		if first == nil {
			first = ids
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, dir)
	receipt, err := s.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: 1001}, Concepts: []graph.ConceptDraft{{ID: first[0], TypeName: "the_name", Value: "Ann"}},
	})
	if err != nil || receipt.Concepts[0].ID != first[0] {
		t.Errorf("id %d became %+v (%v); want a concept with this id", first[0], receipt, err)
	}
}

func TestOpenRefusesOtherVersions(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "weft.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "pragma user_version = 1000"); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "1000") {
		t.Errorf("a store of version 1000 opened as %v (%v); want an error that names the version", s, err)
	}
	if r, err := sqlite.OpenReader(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "1000") {
		t.Errorf("for reading, a store of version 1000 opened as %v (%v); want an error that names the version", r, err)
	}
	if _, err := db.ExecContext(t.Context(), "pragma user_version = 1"); err != nil {
		t.Fatal(err)
	}
	if r, err := sqlite.OpenReader(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "older Weft") {
		t.Errorf("for reading, a store of version 1 opened as %v (%v); want an error that names an older Weft", r, err)
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	for name, content := range map[string]string{
		"a text":          strings.Repeat("not a database ", 1000),
		"an empty file":   "",
		"a short text":    "hello",
		"a cut-off store": "SQLite format 3\x00",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "weft.db")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			want := path + " is not a Weft store"
			if r, err := sqlite.OpenReader(t.Context(), filepath.Dir(path)); err == nil || err.Error() != want {
				t.Errorf("OpenReader returned %v (%v); want the error %q", r, err, want)
			}
			if content == "" {
				return // an unfinished Open leaves an empty file
			}
			if s, err := sqlite.Open(t.Context(), filepath.Dir(path)); err == nil || err.Error() != want {
				t.Errorf("Open returned %v (%v); want the error %q", s, err, want)
			}
		})
	}
}

func TestOpenNamesAnUnwritableDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can write to every directory")
	}
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "weft.db"), filepath.Join(dir, "weft.lock")} {
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(dir, 0o700) }() // so that the test can remove the directory
	for _, path := range []string{dir, filepath.Join(dir, "new")} {
		s, err := sqlite.Open(t.Context(), path)
		if err == nil || !strings.HasPrefix(err.Error(), path+" cannot be written to: ") {
			t.Errorf("Open returned %v (%v); want an error that the directory cannot be written to", s, err)
		}
	}
	if r, err := sqlite.OpenReader(t.Context(), dir); err == nil || !strings.HasPrefix(err.Error(), dir+" cannot be written to: ") {
		t.Errorf("OpenReader returned %v (%v); want an error that the directory cannot be written to", r, err)
	}
}

func TestOpenRefusesAStoreInUse(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	want := "the store in " + dir + " is in use by another process, such as weft serve; stop it first"
	if s, err := sqlite.Open(t.Context(), dir); graph.KindOf(err) != graph.Unavailable || err.Error() != want {
		t.Errorf("Open returned %v (%v); want an error", s, err)
	}
}

func BenchmarkStore(b *testing.B) {
	storetest.Bench(b, func(b *testing.B) graph.Store { return open(b, b.TempDir()) })
}

func open(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatalf("opening a store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	return s
}

func TestIdentityIsUniqueAndPermanent(t *testing.T) {
	identity := func(dir string) string {
		s, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		found, err := s.Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	first, second := t.TempDir(), t.TempDir()
	want := identity(first)
	if repeated := identity(first); repeated != want {
		t.Errorf("the identity after reopening is %s; want %s", repeated, want)
	}
	if other := identity(second); other == want {
		t.Errorf("two stores have the identity %s; want different identities", other)
	}
}

func TestFilesAreReadableByTheirOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // as another program might create the directory
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if info, err := file.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v; want no permissions for other users", file.Name(), info.Mode())
		}
	}
}
