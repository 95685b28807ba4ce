package server

import (
	"testing"
	"time"
)

func TestRefusalsAreDelayedBeyondTheirRate(t *testing.T) {
	rates, now := newRefusalRates(defaultRefusalBurst), time.Now()
	delays := func(network string, n int) (each []time.Duration) {
		for range n {
			each = append(each, rates.delay(network, now))
		}
		return each
	}
	for i, delay := range delays("192.0.2.1", defaultRefusalBurst) {
		if delay != 0 {
			t.Fatalf("delay of refusal %d = %v, want 0 within the burst", i+1, delay)
		}
	}
	const interval = time.Second / maxRefusalRate
	beyond := delays("192.0.2.1", 1000)
	for i, delay := range beyond {
		want := min(time.Duration(i+1)*interval, maxRefusalDelay)
		if difference := (delay - want).Abs(); difference > time.Microsecond { // the limiter calculates with floats
			t.Fatalf("delay of refusal %d beyond the burst = %v, want %v", i+1, delay, want)
		}
	}
	if delay := rates.delay("192.0.2.2", now); delay != 0 {
		t.Errorf("delay of the first refusal of another network = %v, want 0", delay)
	}
	now = now.Add(2 * time.Second) // one second for the delayed refusals, one for the next ones
	for i, delay := range delays("192.0.2.1", maxRefusalRate-1) {
		if delay != 0 {
			t.Errorf("delay of refusal %d after a pause = %v, want 0", i+1, delay)
		}
	}
}
