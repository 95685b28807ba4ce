package server

import (
	"context"
	"time"

	"github.com/weft-graph/weft/graph"
)

// Each network receives Limits.RefusalBurst refusals immediately and maxRefusalRate per second afterwards. Each further
// refusal waits until the rate permits it, at most maxRefusalDelay.
const (
	defaultRefusalBurst = 100
	maxRefusalRate      = 20 // refusals per second
	maxRefusalDelay     = time.Second
)

// refusalRates delays the refusals of networks that receive many. A client that repeats refused requests without a
// pause, with new connections, would otherwise take much of the server's processor time. A request that waits for its
// refusal holds only its connection: its body and its place among the requests in progress have been released.
type refusalRates struct{ rates networkRates }

func newRefusalRates(burst int) refusalRates {
	return refusalRates{networkRates{perSecond: maxRefusalRate, burst: burst}}
}

// wait blocks as long as the refusal err must be delayed, or until ctx is done.
func (r *refusalRates) wait(ctx context.Context, network string, err error) {
	switch graph.KindOf(err) {
	case graph.Unauthorized, graph.TooLarge, graph.TooMany, graph.Unavailable:
	default:
		return
	}
	delay := r.delay(network, time.Now())
	if delay == 0 {
		return
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// delay counts a refusal at a time, and returns how long it must be delayed. A refusal that is delayed by
// maxRefusalDelay is not counted, so the delays end about a second after the requests end.
func (r *refusalRates) delay(network string, now time.Time) time.Duration {
	reservation := r.rates.limiter(network).ReserveN(now, 1)
	delay := reservation.DelayFrom(now)
	if delay > maxRefusalDelay {
		reservation.CancelAt(now)
		return maxRefusalDelay
	}
	return delay
}
