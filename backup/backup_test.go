package backup_test

import (
	"archive/tar"
	"bytes"
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

	"github.com/weft-graph/weft/backup"
	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is a data directory in use.
type house struct {
	dir   string
	store *sqlite.Store
	blobs *blob.Disk
}

func inUse(t *testing.T) house {
	t.Helper()
	dir := t.TempDir()
	h := house{dir: dir, store: open(t, dir)}
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

func (h house) write(t *testing.T, name string) {
	t.Helper()
	_, err := h.store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: 1001}, Concepts: []graph.ConceptDraft{{TypeName: "the_name", Value: name}},
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
		t.Fatalf("%s is %v, %v", name, found, err)
	}
	return found[0].ID
}

func (h house) upload(t *testing.T, name, text string) {
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

// archived is an archive of a house.
func (h house) archived(t *testing.T) []byte {
	t.Helper()
	to := t.TempDir()
	if err := backup.Make(t.Context(), h.store, h.blobs, h.dir, backup.Folder(to), "one.tar.zst"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(to, "one.tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestABackupBecomesTheSameStore(t *testing.T) {
	h := inUse(t)
	archive := h.archived(t)
	h.write(t, "Ben") // too late
	dir := filepath.Join(t.TempDir(), "new")
	aside, err := backup.Restore(t.Context(), bytes.NewReader(archive), dir, false)
	if err != nil || aside != "" {
		t.Fatalf("restoring: %q, %v", aside, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "restoring-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(h.dir, ".weft-backup-*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	s := open(t, dir)
	for name, there := range map[string]int{"Ann": 1, "Ben": 0} {
		found, err := s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: name}})
		if err != nil || len(found) != there {
			t.Errorf("%s: %v, %v; want %d", name, found, err, there)
		}
		entries, err := s.KV().Get(t.Context(), "name/"+name)
		if err != nil || len(entries) != there {
			t.Errorf("name/%s: %v, %v; want %d", name, entries, err, there)
		}
	}
	want, _ := h.store.Identity(t.Context())
	if got, err := s.Identity(t.Context()); got != want {
		t.Errorf("it is %s (%v); want %s", got, err, want)
	}
	lost := find(t, h.store, "Ben")
	house{store: s}.write(t, "Cem")
	if found, err := s.Concepts(t.Context(), []graph.ID{lost}); err != nil || len(found) != 0 {
		t.Errorf("the id of what was lost is now %v, %v", found, err)
	}
	seq, err := h.store.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found, err := s.Changes(t.Context(), seq, 0); graph.KindOf(err) != graph.NotFound {
		t.Errorf("whoever read change %d is told %v, %v; want %s", seq, found, err, graph.NotFound)
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

// A killed process leaves its folder, and the system takes its lock back.
func TestWhatAKilledBackupLeftIsSwept(t *testing.T) {
	h, drafts := inUse(t), t.TempDir()
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
	left, running, others := folder(".weft-backup-1"), folder(".weft-backup-2"), folder("backup-3")
	unlock, err := sqlite.Lock(t.Context(), running)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unlock() }()
	to := backup.Folder(t.TempDir())
	if err := backup.Make(t.Context(), h.store, nil, drafts, to, "one.tar.zst"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(drafts)
	if err != nil || len(entries) != 2 || entries[0].Name() != filepath.Base(running) || entries[1].Name() != filepath.Base(others) {
		t.Errorf("after %s was left there are %v, %v", left, entries, err)
	}
}

func TestAStoreThatIsThereIsMovedAsideOnlyByForce(t *testing.T) {
	h := inUse(t)
	archive := h.archived(t)
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
	for dir, there := range map[string]int{h.dir: 0, aside: 1} {
		found, err := open(t, dir).ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "Ben"}})
		if err != nil || len(found) != there {
			t.Errorf("Ben in %s: %v, %v; want %d", dir, found, err, there)
		}
		if _, err := os.Stat(filepath.Join(dir, "blobs", "ab", "abc123.txt")); err != nil {
			t.Error(err)
		}
	}
}

func TestABadArchiveChangesNothing(t *testing.T) {
	h := inUse(t)
	good := h.archived(t)
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, archive := range map[string][]byte{
		"nothing":           nil,
		"a text":            []byte("hello"),
		"half":              good[:len(good)/2],
		"all but the end":   good[:len(good)-1],
		"a changed bit":     flipped,
		"no database":       pack(t, tar.Header{Name: "blobs/abc123.txt", Typeflag: tar.TypeReg}),
		"a foreign file":    pack(t, tar.Header{Name: "../weft.db", Typeflag: tar.TypeReg}),
		"a foreign upload":  pack(t, tar.Header{Name: "blobs/../../x", Typeflag: tar.TypeReg}),
		"a link":            pack(t, tar.Header{Name: "weft.db", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}),
		"a broken database": pack(t, tar.Header{Name: "weft.db", Typeflag: tar.TypeReg, Size: 3}),
	} {
		if aside, err := backup.Restore(t.Context(), bytes.NewReader(archive), h.dir, true); err == nil || aside != "" {
			t.Errorf("%s: %q, %v", name, aside, err)
		}
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("in the directory there are %v (%v); want blobs, weft.db and weft.lock", entries, err)
	}
	found, err := open(t, h.dir).ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "Ann"}})
	if err != nil || len(found) != 1 {
		t.Errorf("Ann: %v, %v", found, err)
	}
}

func pack(t *testing.T, header tar.Header) []byte {
	t.Helper()
	var text bytes.Buffer
	compressed, err := zstd.NewWriter(&text)
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
	return text.Bytes()
}

func TestAScheduleKeepsTheNewest(t *testing.T) {
	h, to := inUse(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(to, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &backup.Schedule{
		Store: h.store, Blobs: h.blobs, Drafts: h.dir, To: backup.Folder(to), Every: time.Millisecond, Keep: 2, Log: slog.New(slog.DiscardHandler),
	}
	run(t, s, func() bool { return len(archives(t, to)) == 2 })
	first := archives(t, to)
	run(t, s, func() bool { now := archives(t, to); return len(now) == 2 && now[0] > first[1] })
	if s.Status().Succeeded.IsZero() || s.Status().Err != nil {
		t.Errorf("the status is %+v", s.Status())
	}
	if _, err := os.Stat(filepath.Join(to, "mine.txt")); err != nil {
		t.Error(err)
	}
	s.Every = time.Hour // the newest is young enough
	before := archives(t, to)
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	s.Run(ctx)
	if now := archives(t, to); len(now) != 2 || now[1] != before[1] {
		t.Errorf("there are %v; there were %v", now, before)
	}
}

func TestAScheduleThatFailsSaysSoAndGoesOn(t *testing.T) {
	h, to := inUse(t), filepath.Join(t.TempDir(), "not there yet")
	var log bytes.Buffer
	s := &backup.Schedule{
		Store: h.store, Drafts: h.dir, To: backup.Folder(to), Every: time.Millisecond, Keep: 1, Log: slog.New(slog.NewJSONHandler(&log, nil)),
	}
	run(t, s, func() bool { return s.Status().Err != nil })
	if !strings.Contains(log.String(), `"level":"ERROR"`) || !s.Status().Succeeded.IsZero() {
		t.Errorf("the status is %+v; the log says %s", s.Status(), log.String())
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, s, func() bool { return s.Status().Succeeded.After(s.Status().Failed) })
}

// run lets a schedule run until something is so.
func run(t *testing.T, s *backup.Schedule, until func() bool) {
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
	for give := time.Now().Add(time.Minute); !until(); time.Sleep(time.Millisecond) {
		if time.Now().After(give) {
			t.Fatalf("it never was: %+v", s.Status())
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
