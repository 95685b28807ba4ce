package shares_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/longwork"
	"github.com/weft-graph/weft/internal/shares"
)

// work runs a piece of work of a duration and returns how long it has waited.
func work(t *testing.T, turns *shares.Turns, owner string, took time.Duration) time.Duration {
	start := time.Now()
	end, err := turns.Begin(t.Context(), owner)
	if err != nil {
		t.Error(err)
		return 0
	}
	waited := time.Since(start)
	time.Sleep(took)
	end()
	return waited
}

func TestAQuietOwnerDoesNotWaitForTheLongQueriesOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := shares.NewTurns(2, time.Hour)
		work(t, turns, "noisy", time.Second)
		for range 200 {
			go work(t, turns, "noisy", time.Second)
		}
		synctest.Wait()
		if waited := work(t, turns, "slow", time.Second); waited != 0 {
			t.Errorf("the first long query of another owner has waited %s; want no wait", waited)
		}
		if waited := work(t, turns, "slow", time.Second); waited > time.Second {
			t.Errorf("the second long query of the other owner has waited %s; want at most one query", waited)
		}
		for range 50 {
			if waited := work(t, turns, "quiet", time.Millisecond); waited != 0 {
				t.Errorf("a short query has waited %s; want no wait", waited)
			}
		}
		time.Sleep(time.Hour)
	})
}

func TestASlowOwnerLeavesAProcessorForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := shares.NewTurns(4, time.Hour)
		work(t, turns, "noisy", time.Second)
		var running, most atomic.Int64
		for range 50 {
			go func() {
				end, err := turns.Begin(t.Context(), "noisy")
				if err != nil {
					t.Error(err)
					return
				}
				if n := running.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(time.Second)
				running.Add(-1)
				end()
			}()
		}
		time.Sleep(time.Minute)
		if running.Load() != 0 || most.Load() != 3 {
			t.Errorf("%d queries ran at the same time on 4 processors, %d still run; want 3 and none", most.Load(), running.Load())
		}
	})
}

func TestAPieceDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := shares.NewTurns(1, time.Second)
		work(t, turns, "a", time.Minute)
		go work(t, turns, "a", time.Minute)
		synctest.Wait()
		_, err := turns.Begin(t.Context(), "a")
		if graph.KindOf(err) != graph.Unavailable || turns.Refused() != 1 {
			t.Errorf("after a second: %v, %d refused; want unavailable, 1 refused", err, turns.Refused())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err = turns.Begin(ctx, "a"); graph.KindOf(err) != graph.Unavailable {
			t.Errorf("after the request ended: %v; want unavailable", err)
		}
		time.Sleep(time.Hour)
		if waited := work(t, turns, "a", 0); waited != 0 {
			t.Errorf("an hour later a piece has waited %s; want no wait", waited)
		}
	})
}

// Nothing is known about owners whose first pieces have not ended, so several pieces of each owner could occupy all processors
// for a long time.
func TestANewOwnerRunsOnePieceUntilItsDurationIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := shares.NewTurns(2, time.Hour)
		var ended atomic.Int64
		for range 10 {
			go func() {
				work(t, turns, "new", 10*time.Millisecond)
				ended.Add(1)
			}()
		}
		time.Sleep(11 * time.Millisecond)
		if n := ended.Load(); n != 1 {
			t.Errorf("%d pieces ended in the time that one piece takes; want 1", n)
		}
		time.Sleep(20 * time.Millisecond)
		if n := ended.Load(); n < 5 {
			t.Errorf("%d pieces ended; want 5 or more, because an owner of short pieces runs several at the same time", n)
		}
		time.Sleep(time.Second)
	})
}

// The first long piece of an owner must count as slow while it runs, not only when it has ended.
func TestALongPieceMakesItsOwnerSlowWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := shares.NewTurns(2, time.Hour)
		work(t, turns, "slow", time.Second)
		for _, owner := range []string{"first", "second"} {
			go work(t, turns, owner, 30*time.Second)
		}
		time.Sleep(100 * time.Millisecond)
		if waited := work(t, turns, "slow", 0); waited < 29*time.Second {
			t.Errorf("a slow piece has waited %s; want at least 29s, until one of the two long pieces ends", waited)
		}
	})
}

// A piece that waits for other long work must not make its owner slow.
func TestTimeInLineDoesNotMakeAnOwnerSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, slots := shares.NewTurns(2, time.Hour), longwork.NewSlots(2)
		long := slots.Start("other")
		time.Sleep(time.Second)
		if err := long.Pause(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		worker := slots.Start("quick")
		ctx := longwork.In(t.Context(), worker)
		for range 3 {
			end, err := turns.Begin(ctx, "quick")
			if err != nil {
				t.Fatal(err)
			}
			limited, cancel := context.WithTimeout(ctx, time.Second)
			_ = worker.Pause(limited, 2<<20) // waits until the context ends
			cancel()
			end()
		}
		for _, owner := range []string{"a", "b"} {
			work(t, turns, owner, time.Second)
			go work(t, turns, owner, time.Minute)
		}
		synctest.Wait()
		if waited := work(t, turns, "quick", 0); waited != 0 {
			t.Errorf("the owner has waited %s behind slow owners; want no wait", waited)
		}
		time.Sleep(time.Hour)
	})
}

// Pieces of busy owners and long work must together occupy one processor. On two processors, one for each left no
// processor for other owners.
func TestBusyOwnersAndLongWorkTakeOneProcessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, slots := shares.NewTurns(2, time.Hour), longwork.NewSlots(2)
		var running, most atomic.Int64
		run := func() {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(10 * time.Millisecond)
			running.Add(-1)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range 5 {
			go func() { // long work that pauses
				w := slots.Start("long")
				defer w.Release()
				for w.Pause(ctx, 2<<20) == nil {
					run()
				}
			}()
		}
		for range 40 {
			work(t, turns, "busy", 10*time.Millisecond)
		}
		for range 20 {
			w := slots.Start("busy")
			end, err := turns.Begin(longwork.In(t.Context(), w), "busy")
			if err != nil {
				t.Fatal(err)
			}
			run()
			end()
		}
		cancel()
		time.Sleep(time.Minute)
		if most.Load() != 1 {
			t.Errorf("%d pieces ran at the same time on two processors; want 1", most.Load())
		}
	})
}

// An owner whose pieces are a little too long must not wait behind all pieces of owners whose pieces are much longer.
func TestOwnersOfShorterPiecesWaitLess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := shares.NewTurns(1, time.Hour)
		work(t, turns, "middle", 60*time.Millisecond)
		for _, owner := range []string{"a", "b", "c", "d", "e", "f"} {
			go work(t, turns, owner, time.Second)
		}
		time.Sleep(6 * time.Second)
		work(t, turns, "quiet", time.Millisecond)
		for range 5 {
			for _, owner := range []string{"a", "b", "c", "d", "e", "f"} {
				go work(t, turns, owner, time.Second)
			}
		}
		time.Sleep(time.Millisecond)
		if waited := work(t, turns, "middle", 60*time.Millisecond); waited > 2*time.Second {
			t.Errorf("the piece of 60 ms has waited %s behind pieces of a second; want at most 2s", waited)
		}
		time.Sleep(time.Hour)
	})
}

// Many short pieces occupy a processor as one long piece does, so their owner must run one piece at a time.
func TestABusyOwnerRunsOnePieceAtATimeUntilItPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := shares.NewTurns(2, time.Hour)
		var running, most atomic.Int64
		flood := func(owner string) {
			for range 100 {
				end, err := turns.Begin(t.Context(), owner)
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(5 * time.Millisecond)
				running.Add(-1)
				end()
			}
		}
		for _, owner := range []string{"a", "b", "c"} {
			for range 4 {
				go flood(owner)
			}
		}
		time.Sleep(time.Second)
		most.Store(0)
		work(t, turns, "quiet", time.Millisecond)
		if waited := work(t, turns, "quiet", time.Millisecond); waited != 0 {
			t.Errorf("a quiet owner has waited %s; want no wait", waited)
		}
		time.Sleep(time.Second)
		if n := most.Load(); n != 1 {
			t.Errorf("%d pieces of busy owners ran at the same time on two processors; want 1", n)
		}
		time.Sleep(time.Minute)
		if waited := work(t, turns, "a", time.Millisecond); waited != 0 {
			t.Errorf("a minute later the owner has waited %s; want no wait", waited)
		}
	})
}
