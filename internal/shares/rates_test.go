package shares_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/shares"
)

func TestRates(t *testing.T) {
	start := time.Unix(1e9, 0)
	r := shares.Rates{Burst: 3, Interval: time.Minute}
	take := func(after time.Duration) time.Duration { return r.Take("a", start.Add(after)) }
	for i := range 3 {
		if wait := take(0); wait != 0 {
			t.Errorf("use %d must wait %s", i+1, wait)
		}
	}
	if wait := take(0); wait != time.Minute {
		t.Errorf("the fourth use must wait %s; want a minute", wait)
	}
	if wait := take(30 * time.Second); wait != 30*time.Second {
		t.Errorf("half a minute later the key must wait %s; want 30 s", wait)
	}
	if wait := r.Take("b", start); wait != 0 {
		t.Errorf("another key must wait %s", wait)
	}
	if wait := take(time.Minute); wait != 0 {
		t.Errorf("a minute later the key must wait %s", wait)
	}
	r.Return("a")
	if wait := take(time.Minute); wait != 0 {
		t.Errorf("after a use was taken back, the next use must wait %s", wait)
	}
}

// If a clock that was ahead is corrected, keys must not have to wait for as long as the clock was ahead.
func TestRatesStartAgainWhenTheClockGoesBack(t *testing.T) {
	start := time.Unix(1e9, 0)
	r := shares.Rates{Burst: 1, Interval: time.Minute}
	r.Take("a", start.Add(24*time.Hour))
	if wait := r.Take("a", start); wait != 0 {
		t.Errorf("the key must wait %s", wait)
	}
	if wait := r.Take("a", start); wait != time.Minute {
		t.Errorf("the next use must wait %s; want a minute", wait)
	}
}

func TestRatesKeepAKeyInUseAndEvictOthers(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := shares.Rates{Burst: 1, Interval: time.Hour}
	r.Take("first", now)
	r.Take("last", now)
	for i := range 90_000 {
		r.Take(strconv.Itoa(i), now)
	}
	if wait := r.Take("last", now); wait == 0 {
		t.Error("a key was evicted too early")
	}
	for i := range 200_000 {
		r.Take("x"+strconv.Itoa(i), now)
	}
	if wait := r.Take("first", now); wait != 0 {
		t.Error("keys are never evicted")
	}
}
