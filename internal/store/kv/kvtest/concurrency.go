package kvtest

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

var concurrency = []behaviour{
	{"of concurrent commits that expect an absent entry, one succeeds", func(t *testing.T, s kv.Store) {
		var succeeded atomic.Int64
		together(32, func(i int) {
			switch err := s.Commit(t.Context(), put("a", strconv.Itoa(i)).If(kv.Absent)); graph.KindOf(err) {
			case "":
				succeeded.Add(1)
			case graph.Conflict:
			default:
				t.Errorf("goroutine %d: %v; want success or a conflict", i, err)
			}
		})
		want(t, "successful commits", succeeded.Load(), 1)
	}},
	{"concurrent additions do not conflict and lose nothing", func(t *testing.T, s kv.Store) {
		together(16, func(i int) {
			for range 20 {
				if err := s.Commit(t.Context(), kv.Add("n", 1), kv.Add("m", int64(i))); err != nil {
					t.Errorf("goroutine %d: %v; want no conflict between additions", i, err)
				}
			}
		})
		want(t, "n", string(entryOf(t, s, "n").Value), "320")
		want(t, "m", string(entryOf(t, s, "m").Value), "2400")
	}},
	{"concurrent read-modify-write commits that expect the version read lose nothing", func(t *testing.T, s kv.Store) {
		commit(t, s, put("n", "0"))
		together(8, func(i int) {
			for done := 0; done < 10; {
				found, err := s.Get(t.Context(), "n")
				if err != nil || len(found) != 1 {
					t.Errorf("goroutine %d read %v (%v); want one entry", i, found, err)
					return
				}
				n, _ := strconv.Atoi(string(found[0].Value))
				switch err := s.Commit(t.Context(), put("n", strconv.Itoa(n+1)).If(found[0].Version)); graph.KindOf(err) {
				case "":
					done++
				case graph.Conflict:
				default:
					t.Errorf("goroutine %d: %v", i, err)
					return
				}
			}
		})
		want(t, "n", string(entryOf(t, s, "n").Value), "80")
	}},
	{"a reader sees all of a commit or none of it", func(t *testing.T, s kv.Store) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range 50 {
				value := strconv.Itoa(i)
				if err := s.Commit(t.Context(), put("a", value), put("b", value)); err != nil {
					t.Errorf("committing: %v", err)
				}
			}
		}()
		together(4, func(int) {
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				found, err := s.Get(t.Context(), "a", "b")
				if err != nil || len(found) == 1 || len(found) == 2 && string(found[0].Value) != string(found[1].Value) {
					t.Errorf("a reader saw %v (%v)", found, err)
					return
				}
			}
		})
		<-done
	}},
	{"every reader sees a commit as soon as it returns", func(t *testing.T, s kv.Store) {
		together(8, func(i int) {
			key := strconv.Itoa(i)
			for j := range 20 {
				value := strconv.Itoa(j)
				if err := s.Commit(t.Context(), put(key, value)); err != nil {
					t.Errorf("committing: %v", err)
				}
				if found, err := s.Get(t.Context(), key); err != nil || len(found) != 1 || string(found[0].Value) != value {
					t.Errorf("committed %s; read %v (%v)", value, found, err)
				}
			}
		})
	}},
}

// together runs n goroutines and waits for them.
func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}
