package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/raw"
	"github.com/weft-graph/weft/store/sqlite"
)

// Clients write while a backup is made. What was acknowledged before it is in it; and when the server is lost and
// the backup restored elsewhere, the clients who send everything again find each batch there once.
func TestABackupOfAServerInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills a server")
	}
	t.Parallel() // it mostly waits
	binary, data, address := build(t), t.TempDir(), freeAddress(t)
	server := start(t, binary, data, address)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	const writers = 3
	var answered [writers]atomic.Int64
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			client := &http.Client{Timeout: 5 * time.Second}
			for n := 0; ctx.Err() == nil; n++ {
				if send(t, client, "http://"+address, w, n) {
					answered[w].Add(1)
				}
			}
		})
	}
	until(t, "the writers are at work", func() bool { return answered[0].Load() > 20 })
	var before [writers]int64
	for w := range writers {
		before[w] = answered[w].Load()
	}
	archive := filepath.Join(t.TempDir(), "backup.tar.zst")
	weft(t, binary, "backup", "--data", data, archive)
	stop()
	wait.Wait()
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // says that it was killed

	restored := t.TempDir()
	weft(t, binary, "restore", "--data", restored, archive)
	holds(t, restored, before[:])
	server = start(t, binary, restored, address)
	written := make([]int, writers)
	for w := range writers {
		for written[w] < int(answered[w].Load()) {
			if !send(t, http.DefaultClient, "http://"+address, w, written[w]) {
				t.Fatal("the server on the backup does not answer")
			}
			written[w]++
		}
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
	verify(t, restored, written)
	http.DefaultClient.CloseIdleConnections()
}

// holds checks that every batch up to the last acknowledged is there.
func holds(t *testing.T, data string, acknowledged []int64) {
	t.Helper()
	store, err := sqlite.OpenReader(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for w, batches := range acknowledged {
		for n := range int(batches) {
			found, err := store.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: key(w, n), Category: graph.CategoryInstance}})
			if err != nil || len(found) != 1 {
				t.Fatalf("batch %s of %d: %d keys, %v", key(w, n), batches, len(found), err)
			}
		}
	}
}

// A copy is killed again and again, and in the end it is the same.
func TestAKilledCopyGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a copy several times")
	}
	t.Parallel() // it mostly waits
	binary, from, to := build(t), t.TempDir(), filepath.Join(t.TempDir(), "copy")
	many(t, from)
	kills := 0
	for kills < 20 {
		copying := exec.Command(binary, "store", "copy", from, to)
		if err := copying.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(20+40*kills)*time.Millisecond, func() { _ = copying.Process.Kill() })
		err := copying.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		kills++
	}
	t.Logf("killed %d times", kills)
	if kills < 2 {
		t.Error("it was hardly ever killed; the test proves nothing")
	}
	if kills == 20 {
		weft(t, binary, "store", "copy", from, to)
	}
	weft(t, binary, "store", "check", "--data", to)
}

// From SQLite to PostgreSQL, killed on the way, and back: the sums that the two copies print are the same, and the
// destination is served only when it is whole.
func TestACopyToPostgresAndBack(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a PostgreSQL")
	}
	t.Parallel() // it mostly waits
	binary, from, back := build(t), t.TempDir(), filepath.Join(t.TempDir(), "back")
	database := pgtest.New(t).Database(t)
	many(t, from)
	for delay := 100 * time.Millisecond; !unfinished(t, database); delay += 50 * time.Millisecond {
		copying := exec.Command(binary, "store", "copy", from, database)
		if err := copying.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(delay, func() { _ = copying.Process.Kill() })
		err := copying.Wait()
		timer.Stop()
		if err == nil {
			t.Fatal("it was done before it could be killed")
		}
	}
	there := weft(t, binary, "store", "copy", from, database)
	again := weft(t, binary, "store", "copy", database, back)
	if diff := cmp.Diff(there, again); diff != "" {
		t.Errorf("there and back (-there +back):\n%s", diff)
	}
	weft(t, binary, "store", "check", "--store", database)
	weft(t, binary, "store", "check", "--data", back)
}

func unfinished(t *testing.T, database string) bool {
	t.Helper()
	store, err := postgres.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	return graph.KindOf(raw.Finished(t.Context(), store)) == graph.Unavailable
}

// many writes what takes a moment to copy.
func many(t *testing.T, data string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for w := range 10 {
		b := graph.Batch{Sender: graph.Sender{User: graph.ID(1001 + w)}}
		for n := range 5_000 {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{Ghost: graph.ID(-1 - n), TypeName: "the_key", Value: key(w, n)})
		}
		if _, err := store.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// The server makes the first archive at once, and says so.
func TestAServerBacksItselfUp(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a server")
	}
	t.Parallel() // it mostly waits
	binary, to := build(t), t.TempDir()
	server := exec.Command(binary, "serve", "--listen", freeAddress(t), "--data", t.TempDir(), "--backup-every", "1s", "--backup-to", to, "--backup-keep", "2")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	var first []string
	until(t, "there are two archives", func() bool {
		first, _ = filepath.Glob(filepath.Join(to, "weft-*.tar.zst"))
		return len(first) == 2
	})
	until(t, "there are others", func() bool {
		now, _ := filepath.Glob(filepath.Join(to, "weft-*.tar.zst"))
		return len(now) == 2 && now[1] > first[1]
	})
	restored := t.TempDir()
	now, _ := filepath.Glob(filepath.Join(to, "weft-*.tar.zst"))
	weft(t, binary, "restore", "--data", restored, now[len(now)-1])
	weft(t, binary, "store", "check", "--data", restored)
}

// weft runs the program and returns what it prints.
func weft(t *testing.T, binary string, args ...string) string {
	t.Helper()
	var said bytes.Buffer
	command := exec.Command(binary, args...)
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("weft %v: %v\n%s", args, err, said.Bytes())
	}
	return string(out)
}

func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for give := time.Now().Add(2 * time.Minute); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(give) {
			t.Fatalf("it never was so that %s", what)
		}
	}
}
