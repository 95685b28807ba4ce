package longwork_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/internal/longwork"
)

func TestLongWorkPassesTheSlotOnAtEachPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := longwork.NewSlots(2)
		var running, most atomic.Int64
		var group sync.WaitGroup
		for range 5 {
			group.Go(func() {
				w := slots.Start("a")
				defer w.Release()
				for range 10 {
					if err := w.Pause(t.Context(), 2<<20); err != nil {
						t.Error(err)
					}
					most.Store(max(most.Load(), running.Add(1)))
					time.Sleep(time.Millisecond)
					running.Add(-1)
				}
			})
		}
		group.Wait()
		if most.Load() != 1 {
			t.Errorf("%d long pieces of work ran at the same time on two processors; want 1", most.Load())
		}
	})
}

// Owners must get the same time. When slots were given to requests in the order of arrival, an owner with many requests got
// most of the time.
func TestOwnersGetTheSameTimeHoweverManyRequestsTheyHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := longwork.NewSlots(2)
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		used := map[string]time.Duration{}
		var workers sync.WaitGroup
		work := func(owner string, step time.Duration) {
			w := slots.Start(owner)
			defer w.Release()
			for w.Pause(ctx, 2<<20) == nil {
				time.Sleep(step)
				mu.Lock()
				used[owner] += step
				mu.Unlock()
			}
		}
		for range 48 {
			workers.Go(func() { work("many", 10*time.Millisecond) })
		}
		time.Sleep(time.Second)
		for owner, step := range map[string]time.Duration{"one with short steps": time.Millisecond, "one with long steps": 20 * time.Millisecond} {
			workers.Go(func() { work(owner, step) })
		}
		mu.Lock()
		used["many"] = 0
		mu.Unlock()
		time.Sleep(3 * time.Second)
		cancel()
		workers.Wait()
		for owner, took := range used {
			if took < 900*time.Millisecond || took > 1100*time.Millisecond {
				t.Errorf("%s had %s of 3 s; want a third", owner, took)
			}
		}
	})
}

func TestRequireWaitsForASlotForALimitedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := longwork.NewSlots(2)
		long, short := slots.Start("long"), slots.Start("short")
		if err := long.Pause(t.Context(), 2<<20); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := short.Require(t.Context()); err != nil || time.Since(start) != 100*time.Millisecond {
			t.Errorf("during work that does not pause: %v after %s; want no error after 100ms", err, time.Since(start))
		}
		time.AfterFunc(10*time.Millisecond, long.Release)
		start = time.Now()
		if err := short.Require(t.Context()); err != nil || time.Since(start) != 10*time.Millisecond {
			t.Errorf("during work that pauses: %v after %s; want no error after 10ms", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := long.Pause(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the slot was not held: %v; want %v", err, context.DeadlineExceeded)
		}
	})
}

func TestShortWorkNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := longwork.NewSlots(1)
		long := slots.Start("a")
		time.Sleep(time.Second)
		if err := long.Pause(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		short, start := slots.Start("a"), time.Now()
		for range 100 {
			if err := short.Pause(t.Context(), 1_000); err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("short work has waited %s; want no wait", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := short.Pause(ctx, 2<<20); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("long work next to a worker that holds the slot: %v; want %v", err, context.DeadlineExceeded)
		}
		long.Release()
		if err := short.Pause(t.Context(), 0); err != nil {
			t.Errorf("after the slot was released: %v; want no error", err)
		}
	})
}
