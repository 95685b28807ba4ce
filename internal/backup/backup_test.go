package backup_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/backup"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dataDirectory is a data directory in use.
type dataDirectory struct {
	dir   string
	store *sqlite.Store
	blobs *blob.Disk
}

func newDataDirectory(t *testing.T) dataDirectory {
	t.Helper()
	dir := t.TempDir()
	h := dataDirectory{dir: dir, store: open(t, dir)}
	var err error
	if h.blobs, err = blob.OpenDisk(filepath.Join(dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.blobs.Close() })
	h.write(t, "Ann")
	h.upload(t, "abc123.txt", "hello")
	h.upload(t, "bcd234.txt", "")
	return h
}

func (h dataDirectory) write(t *testing.T, name string) {
	t.Helper()
	_, err := h.store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: 1001}, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: name, Position: graph.Position{X: 12.5, Y: -3}}},
	})
	if err == nil {
		err = h.store.KV().Commit(t.Context(), kv.Put("name/"+name, []byte(name)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, s *sqlite.Store, name string) graph.ID {
	t.Helper()
	found, err := s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: name, Category: graph.CategoryInstance}})
	if err != nil || len(found) != 1 {
		t.Fatalf("the concepts with the value %s = %v, %v; want one", name, found, err)
	}
	return found[0].ID
}

func (h dataDirectory) upload(t *testing.T, name, text string) {
	t.Helper()
	if err := h.blobs.Put(t.Context(), name, strings.NewReader(text), int64(len(text)), "text/plain"); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// archive returns an archive of the directory.
func (h dataDirectory) archive(t *testing.T) []byte {
	t.Helper()
	to := t.TempDir()
	if err := (backup.Job{Store: h.store, Blobs: h.blobs, Drafts: h.dir, To: backup.Folder(to)}).Make(t.Context(), "one.tar.zst"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(to, "one.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestRestoreRestoresStoreAndUploads(t *testing.T) {
	h := newDataDirectory(t)
	archive := h.archive(t)
	h.write(t, "Ben") // after the backup
	dir := filepath.Join(t.TempDir(), "new")
	aside, err := backup.Restore(t.Context(), bytes.NewReader(archive), dir, false)
	if err != nil || aside != "" {
		t.Fatalf("Restore returned %q, %v", aside, err)
	}
	if leftovers, _ := filepath.Glob(filepath.Join(dir, "restoring-*")); leftovers != nil {
		t.Errorf("leftovers: %v", leftovers)
	}
	if leftovers, _ := filepath.Glob(filepath.Join(h.dir, ".weft-backup-*")); leftovers != nil {
		t.Errorf("leftovers: %v", leftovers)
	}
	s := open(t, dir)
	for name, want := range map[string]int{"Ann": 1, "Ben": 0} {
		found, err := s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: name}})
		if err != nil || len(found) != want {
			t.Errorf("%s: %v, %v; want %d", name, found, err, want)
		}
		for _, c := range found {
			if want := (graph.Position{X: 12.5, Y: -3}); c.Position != want {
				t.Errorf("%s is restored at %v; want %v", name, c.Position, want)
			}
		}
		entries, err := s.KV().Get(t.Context(), "name/"+name)
		if err != nil || len(entries) != want {
			t.Errorf("name/%s: %v, %v; want %d", name, entries, err, want)
		}
	}
	want, _ := h.store.Identity(t.Context())
	if got, err := s.Identity(t.Context()); got != want {
		t.Errorf("the identity is %s (%v); want %s", got, err, want)
	}
	lost := find(t, h.store, "Ben")
	dataDirectory{store: s}.write(t, "Cem")
	if found, err := s.Concepts(t.Context(), []graph.ID{lost}); err != nil || len(found) != 0 {
		t.Errorf("the id of a lost concept is assigned to %v, %v", found, err)
	}
	seq, err := h.store.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := s.Changes(t.Context(), seq, 0); graph.KindOf(err) != graph.NotFound {
		t.Errorf("a subscriber at change %d got %v, %v; want %s", seq, found, err, graph.NotFound)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	blobs, err := blob.OpenDisk(filepath.Join(dir, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	for name, text := range map[string]string{"abc123.txt": "hello", "bcd234.txt": ""} {
		r, _, err := blobs.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(r)
		_ = r.Close()
		if string(got) != text {
			t.Errorf("%s holds %q; want %q", name, got, text)
		}
	}
}

// A killed process leaves its folder behind, and the operating system releases its lock.
func TestMakeRemovesFoldersOfKilledBackups(t *testing.T) {
	h, drafts := newDataDirectory(t), t.TempDir()
	folder := func(name string) string {
		t.Helper()
		dir := filepath.Join(drafts, name)
		err := os.Mkdir(dir, 0o700)
		for _, file := range []string{"weft.lock", "weft.db"} {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, file), nil, 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	old := filepath.Join(drafts, ".weft-backup-0") // the process was killed before the folder had a lock
	young := filepath.Join(drafts, ".weft-backup-9")
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := errors.Join(os.Mkdir(old, 0o700), os.Mkdir(young, 0o700), os.Chtimes(old, yesterday, yesterday)); err != nil {
		t.Fatal(err)
	}
	abandoned, running, unrelated := folder(".weft-backup-1"), folder(".weft-backup-2"), folder("backup-3")
	unlock, err := sqlite.Lock(t.Context(), running)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unlock() }()
	to := backup.Folder(t.TempDir())
	if err := (backup.Job{Store: h.store, Drafts: drafts, To: to}).Make(t.Context(), "one.tar.zst"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(drafts)
	if err != nil || len(entries) != 3 || entries[0].Name() != filepath.Base(running) || entries[1].Name() != filepath.Base(young) || entries[2].Name() != filepath.Base(unrelated) {
		t.Errorf("the remaining folders are %v, %v; want all except %s and %s", entries, err, old, abandoned)
	}
}

func TestRestoreMovesAStoreAsideOnlyWithForce(t *testing.T) {
	h := newDataDirectory(t)
	archive := h.archive(t)
	if _, err := backup.Restore(t.Context(), bytes.NewReader(archive), h.dir, true); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("over a store in use: %v; want %s", err, graph.Unavailable)
	}
	h.write(t, "Ben")
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(t.Context(), bytes.NewReader(archive), h.dir, false); graph.KindOf(err) != graph.Conflict {
		t.Errorf("over a store: %v; want %s", err, graph.Conflict)
	}
	aside, err := backup.Restore(t.Context(), bytes.NewReader(archive), h.dir, true)
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{h.dir: 0, aside: 1} {
		found, err := open(t, dir).ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "Ben"}})
		if err != nil || len(found) != want {
			t.Errorf("Ben in %s: %v, %v; want %d", dir, found, err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "blobs", "ab", "abc123.txt")); err != nil {
			t.Error(err)
		}
	}
}

// A process that is killed while it moves files leaves no database. The next process must not create an empty store
// in its place.
func TestAnInterruptedRestoreIsNotMistakenForAnEmptyStore(t *testing.T) {
	h := newDataDirectory(t)
	archive := h.archive(t)
	if err := errors.Join(h.store.Close(), h.blobs.Close()); err != nil {
		t.Fatal(err)
	}
	aside, draft := filepath.Join(h.dir, "before-1"), filepath.Join(h.dir, "restoring-1")
	if err := errors.Join(os.Mkdir(aside, 0o700), os.Mkdir(draft, 0o700), os.Rename(filepath.Join(h.dir, "weft.db"), filepath.Join(aside, "weft.db"))); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), h.dir); graph.KindOf(err) != graph.Conflict || !strings.Contains(err.Error(), "restoring-1") {
		t.Errorf("opening the store: %v; want %s", err, graph.Conflict)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "weft.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
	if _, err := backup.Restore(t.Context(), bytes.NewReader(archive), h.dir, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(draft); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the interrupted restore is left: %v", err)
	}
	find(t, open(t, h.dir), "Ann")
}

// A rename fails if the folder that it would replace is not empty.
func TestARestoreThatCannotMoveAllFilesMovesTheStoreBack(t *testing.T) {
	h := newDataDirectory(t)
	archive := h.archive(t)
	h.write(t, "Ben")
	if err := errors.Join(h.store.Close(), h.blobs.Close(), os.RemoveAll(filepath.Join(h.dir, "blobs"))); err != nil {
		t.Fatal(err)
	}
	// The folder is created once Restore has listed the files of the existing store.
	foreign := filepath.Join(h.dir, "blobs", "foreign")
	reader := io.MultiReader(bytes.NewReader(archive), readerFunc(func([]byte) (int, error) {
		return 0, cmp.Or(os.MkdirAll(foreign, 0o700), io.EOF)
	}))
	aside, err := backup.Restore(t.Context(), reader, h.dir, true)
	if err == nil || aside != "" {
		t.Errorf("restoring over a folder: moved to %q, %v; want an error", aside, err)
	}
	for _, pattern := range []string{"before-*", "restoring-*"} {
		if left, err := filepath.Glob(filepath.Join(h.dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("the restore leaves %v, %v", left, err)
		}
	}
	find(t, open(t, h.dir), "Ben")
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestRestoreOfABadArchiveChangesNothing(t *testing.T) {
	h := newDataDirectory(t)
	valid := h.archive(t)
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(valid)
	flipped[len(flipped)/2] ^= 1
	for name, archive := range map[string][]byte{
		"empty":             nil,
		"plain text":        []byte("hello"),
		"the first half":    valid[:len(valid)/2],
		"all but the end":   valid[:len(valid)-1],
		"a changed bit":     flipped,
		"no database":       packEntry(t, tar.Header{Name: "blobs/abc123.txt", Typeflag: tar.TypeReg}),
		"a foreign file":    packEntry(t, tar.Header{Name: "../weft.db", Typeflag: tar.TypeReg}),
		"a foreign upload":  packEntry(t, tar.Header{Name: "blobs/../../x", Typeflag: tar.TypeReg}),
		"a link":            packEntry(t, tar.Header{Name: "weft.db", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}),
		"a broken database": packEntry(t, tar.Header{Name: "weft.db", Typeflag: tar.TypeReg, Size: 3}),
	} {
		if aside, err := backup.Restore(t.Context(), bytes.NewReader(archive), h.dir, true); err == nil || aside != "" {
			t.Errorf("%s: %q, %v", name, aside, err)
		}
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("the directory has %v (%v); want blobs, weft.db and weft.lock", entries, err)
	}
	found, err := open(t, h.dir).ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "Ann"}})
	if err != nil || len(found) != 1 {
		t.Errorf("Ann: %v, %v", found, err)
	}
}

// packEntry returns an archive with one entry of zeros.
func packEntry(t *testing.T, header tar.Header) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(compressed)
	err = archive.WriteHeader(&header)
	if err == nil {
		_, err = archive.Write(make([]byte, header.Size))
	}
	if err := errors.Join(err, archive.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestScheduleKeepsTheNewestArchives(t *testing.T) {
	h, to := newDataDirectory(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(to, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &backup.Schedule{
		Job:   backup.Job{Store: h.store, Blobs: h.blobs, Drafts: h.dir, To: backup.Folder(to)},
		Every: time.Millisecond, Keep: 2, Log: slog.New(slog.DiscardHandler),
	}
	runUntil(t, s, func() bool { return len(archives(t, to)) == 2 })
	first := archives(t, to)
	runUntil(t, s, func() bool { now := archives(t, to); return len(now) == 2 && now[0] > first[1] })
	if s.Status().Succeeded.IsZero() || s.Status().Err != nil {
		t.Errorf("the status = %+v; want a time of success and no error", s.Status())
	}
	if _, err := os.Stat(filepath.Join(to, "mine.txt")); err != nil {
		t.Error(err)
	}
	s.Every = time.Hour // the newest archive is recent enough
	before := archives(t, to)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	s.Run(ctx)
	if now := archives(t, to); len(now) != 2 || now[1] != before[1] {
		t.Errorf("the archives are %v; want %v", now, before)
	}
}

func TestScheduleReportsFailuresAndContinues(t *testing.T) {
	h, to := newDataDirectory(t), filepath.Join(t.TempDir(), "not there yet")
	var log bytes.Buffer
	s := &backup.Schedule{
		Job:   backup.Job{Store: h.store, Drafts: h.dir, To: backup.Folder(to)},
		Every: time.Millisecond, Keep: 1, Log: slog.New(slog.NewJSONHandler(&log, nil)),
	}
	runUntil(t, s, func() bool { return s.Status().Err != nil })
	if !strings.Contains(log.String(), `"level":"ERROR"`) || !s.Status().Succeeded.IsZero() {
		t.Errorf("the status = %+v, the log:\n%s\nwant no success, and a line with the level ERROR", s.Status(), log.String())
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	runUntil(t, s, func() bool { return s.Status().Succeeded.After(s.Status().Failed) })
}

// noRemovals is a destination that refuses to remove archives.
type noRemovals struct{ backup.Destination }

func (noRemovals) Remove(context.Context, string) error { return errors.New("read-only") }

// A run that creates an archive must count as a success, even if an older archive could not be removed.
func TestScheduleReportsBothAnArchiveAndAFailureToRemoveOldOnes(t *testing.T) {
	h, to := newDataDirectory(t), t.TempDir()
	s := &backup.Schedule{
		Job:   backup.Job{Store: h.store, Drafts: h.dir, To: noRemovals{backup.Folder(to)}},
		Every: time.Millisecond, Keep: 1, Log: slog.New(slog.DiscardHandler),
	}
	runUntil(t, s, func() bool { return s.Status().Err != nil })
	if status := s.Status(); status.Succeeded.Before(status.Failed) || status.Failed.IsZero() {
		t.Errorf("the status = %+v; want a time of failure, and a time of success that is not earlier", status)
	}
}

// runUntil runs a schedule until a condition holds.
func runUntil(t *testing.T, s *backup.Schedule, until func() bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	defer func() {
		stop()
		<-ended
	}()
	for deadline := time.Now().Add(time.Minute); !until(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out with status %+v", s.Status())
		}
	}
}

func archives(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "weft-*.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
