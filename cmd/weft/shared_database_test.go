package main

import (
	"bufio"
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/postgres"
)

// Two servers share a database, and clients sync with both. One server is killed repeatedly. At the end, the store must
// hold every acknowledged batch exactly once.
func TestAKilledServerLosesNoDataOfAnotherServer(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a server ten times")
	}
	const kills, writers = 10, 4
	url := pgtest.New(t).Database(t)
	binary := build(t)
	stableAddress, killedAddress := freeAddress(t), freeAddress(t)

	stable := startServerOn(t, binary, url, stableAddress)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wait sync.WaitGroup
	written := make([]int, writers)
	for w := range writers {
		address := []string{stableAddress, killedAddress}[w%2]
		wait.Go(func() { written[w] = syncUntil(ctx, t, "http://"+address, w) })
	}
	for range kills {
		server := startServerOn(t, binary, url, killedAddress)
		time.Sleep(time.Duration(rand.Int64N(int64(100 * time.Millisecond))))
		if err := server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = server.Wait() // returns an error, because the process was killed
	}
	last := startServerOn(t, binary, url, killedAddress)
	stop()
	wait.Wait()
	for _, server := range []*exec.Cmd{stable, last} {
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := server.Wait(); err != nil {
			t.Errorf("a server did not stop cleanly: %v", err)
		}
	}
	t.Logf("%d kills, batches per writer: %v", kills, written)
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	checkWrittenOnce(t, store, written)
}

// checkWrittenOnce checks that the store holds each batch of syncUntil exactly once.
func checkWrittenOnce(t *testing.T, store graph.Store, written []int) {
	t.Helper()
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	types, err := graph.TypesNamed(t.Context(), store, "the_crash", "the_crash_key")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for writer, batches := range written {
		if batches == 0 {
			t.Errorf("writer %d wrote nothing, so the test proves nothing", writer)
		}
		total += batches
		for n := range batches {
			found, err := store.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: key(writer, n), Type: types["the_crash_key"].ID}})
			if err != nil || len(found) != 1 {
				t.Errorf("batch %s: %d keys (%v); want 1", key(writer, n), len(found), err)
			}
		}
	}
	for name, typ := range types {
		if n, err := store.CountByType(t.Context(), typ.ID, 0); err != nil || n != total {
			t.Errorf("%d instances of %s (%v); want %d", n, name, err, total)
		}
	}
}

// startServerOn starts a server for a store and returns when it is ready.
func startServerOn(t *testing.T, binary, store, address string) *exec.Cmd {
	t.Helper()
	server := exec.Command(binary, "serve", "--listen", address, "--store", store, "--data", t.TempDir(), "--anonymous-writes")
	var log bytes.Buffer
	server.Stderr = &log
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		_ = server.Wait()
		t.Fatalf("the server did not start: %v\n%s", err, log.Bytes())
	}
	return server
}
