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
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// Clients write during a backup. The archive must hold every batch that was acknowledged before the backup. The server is then
// lost, the archive is restored elsewhere, and clients send all batches again. The restored store must hold each batch exactly
// once.
func TestBackupOfAServerInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and kills a server")
	}
	t.Parallel() // this test mostly waits
	binary, data, address := build(t), t.TempDir(), freeAddress(t)
	server := startServer(t, binary, data, address)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	const writers = 3
	var acknowledged [writers]atomic.Int64
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			client := &http.Client{Timeout: 5 * time.Second}
			for n := 0; ctx.Err() == nil; n++ {
				if send(t, client, "http://"+address, w, n) {
					acknowledged[w].Add(1)
				}
			}
		})
	}
	waitFor(t, "the writers have sent batches", func() bool { return acknowledged[0].Load() > 20 })
	var before [writers]int64
	for w := range writers {
		before[w] = acknowledged[w].Load()
	}
	archive := filepath.Join(t.TempDir(), "backup.tar.zst")
	runWeft(t, binary, "backup", "--data", data, archive)
	stop()
	wait.Wait()
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // returns an error, because the process was killed

	restored := t.TempDir()
	runWeft(t, binary, "restore", "--data", restored, archive)
	checkAcknowledged(t, restored, before[:])
	server = startServer(t, binary, restored, address)
	written := make([]int, writers)
	for w := range writers {
		for written[w] < int(acknowledged[w].Load()) {
			if !send(t, http.DefaultClient, "http://"+address, w, written[w]) {
				t.Fatal("the restored server does not respond")
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
	checkBatches(t, restored, written)
	http.DefaultClient.CloseIdleConnections()
}

// checkAcknowledged checks that the store holds all acknowledged batches.
func checkAcknowledged(t *testing.T, data string, acknowledged []int64) {
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
				t.Fatalf("batch %s of %d has %d keys, %v; want 1", key(w, n), batches, len(found), err)
			}
		}
	}
}

// A copy is killed repeatedly and started again. In the end it must be complete.
func TestKilledCopiesContinue(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a copy several times")
	}
	t.Parallel() // this test mostly waits
	binary, from, to := build(t), t.TempDir(), filepath.Join(t.TempDir(), "copy")
	writeMany(t, from)
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
		t.Error("the copy was killed fewer than two times, so the test proves nothing")
	}
	if kills == 20 {
		runWeft(t, binary, "store", "copy", from, to)
	}
	runWeft(t, binary, "store", "check", "--data", to)
}

// A store is copied from SQLite to PostgreSQL, with interruptions by kills, and then back. Both copies print the same
// hashes, and the destination cannot be served before it is complete.
func TestCopyToPostgresAndBack(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a PostgreSQL")
	}
	t.Parallel() // this test mostly waits
	binary, from, backDir := build(t), t.TempDir(), filepath.Join(t.TempDir(), "back")
	database := pgtest.New(t).Database(t)
	writeMany(t, from)
	for delay := 100 * time.Millisecond; !isUnfinishedCopy(t, database); delay += 50 * time.Millisecond {
		copying := exec.Command(binary, "store", "copy", from, database)
		if err := copying.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(delay, func() { _ = copying.Process.Kill() })
		err := copying.Wait()
		timer.Stop()
		if err == nil {
			t.Fatal("the copy finished before it could be killed")
		}
	}
	copied := runWeft(t, binary, "store", "copy", from, database)
	copiedBack := runWeft(t, binary, "store", "copy", database, backDir)
	if diff := cmp.Diff(copied, copiedBack); diff != "" {
		t.Errorf("the tables differ (-PostgreSQL +SQLite):\n%s", diff)
	}
	runWeft(t, binary, "store", "check", "--store", database)
	runWeft(t, binary, "store", "check", "--data", backDir)
}

// isUnfinishedCopy reports whether the database holds a copy that was interrupted.
func isUnfinishedCopy(t *testing.T, database string) bool {
	t.Helper()
	store, err := postgres.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	return graph.KindOf(raw.CheckFinished(t.Context(), store)) == graph.Unavailable
}

// writeMany writes enough records that copying them takes a while.
func writeMany(t *testing.T, data string) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for w := range 10 {
		b := graph.Batch{Sender: graph.Sender{User: graph.ID(1001 + w)}}
		for n := range 5_000 {
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: graph.ID(-1 - n), TypeName: "the_key", Value: key(w, n)})
		}
		if _, err := store.Write(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// A server with scheduled backups creates the first one immediately, and removes old archives.
func TestServerCreatesBackups(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a server")
	}
	t.Parallel() // this test mostly waits
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
	waitFor(t, "there are two archives", func() bool {
		first, _ = filepath.Glob(filepath.Join(to, "weft-*.tar.zst"))
		return len(first) == 2
	})
	waitFor(t, "a newer archive has replaced the first", func() bool {
		now, _ := filepath.Glob(filepath.Join(to, "weft-*.tar.zst"))
		return len(now) == 2 && now[1] > first[1]
	})
	restored := t.TempDir()
	now, _ := filepath.Glob(filepath.Join(to, "weft-*.tar.zst"))
	runWeft(t, binary, "restore", "--data", restored, now[len(now)-1])
	runWeft(t, binary, "store", "check", "--data", restored)
}

// runWeft runs the program and returns its standard output.
func runWeft(t *testing.T, binary string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.Command(binary, args...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("weft %v: %v\n%s", args, err, stderr.Bytes())
	}
	return string(out)
}

// waitFor waits up to two minutes until a condition holds. The text what describes the condition.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting until %s", what)
		}
	}
}
