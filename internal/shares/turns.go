package shares

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/longwork"
)

// Turns limits the number of concurrent pieces of work that need a processor. It is safe for concurrent use.
//
//	owner    concurrent pieces of one owner   concurrent pieces of all owners
//	new      1                                the same as quick
//	quick    2 per processor                  8 per processor
//	busy     one less than processors, ≥ 1    one less than processors, ≥ 1
//	slow     one less than processors, ≥ 1    processors, ≥ 2
//
// An owner is new until its first piece has ended, and again after idleOwnerLife without a piece. When its first piece has run for
// slowMean, the owner counts as slow, but may run a second piece. Later it is slow while the mean duration of its recent pieces, without
// the time in which they waited for other long work, is longer than slowMean. It is busy while its pieces take more than a quarter of a
// processor; a burst of busyBurst is free. A piece that would exceed a limit waits. The owner that runs the fewest pieces is next. Among
// several such owners, each wait is reduced by meanHandicap times the mean duration of the owner's pieces; the owner with the longest
// reduced wait is next. A piece of a busy owner also waits for a slot for long work; see longwork.Worker.Require.
type Turns struct {
	processors int
	wait       time.Duration
	refused    atomic.Int64

	mu      sync.Mutex
	owners  map[string]*turnOwner
	waiting []*turn // oldest first
	running map[pace]int
}

type pace string

const (
	quick pace = "quick"
	busy  pace = "busy"
	slow  pace = "slow"
)

const (
	// slowMean is the mean duration from which the pieces of an owner are limited by the number of processors.
	slowMean = 50 * time.Millisecond
	// meanHandicap determines how much longer an owner of longer pieces waits than an owner of shorter pieces,
	// as a multiple of the difference between their mean durations.
	meanHandicap = 4
	// busyBurst is the time that the pieces of an owner may take in a burst before the owner is busy, and maxBusy the maximum time
	// that is counted.
	busyBurst = 250 * time.Millisecond
	maxBusy   = time.Second
	// busyShare divides the elapsed time: the pieces of an owner may take one part in busyShare of that time without
	// making the owner busy.
	busyShare = 4
	// idleOwnerLife is how long the state of an owner is kept after its last piece.
	idleOwnerLife = 10 * time.Second
	// maxIdleOwners is the number of owners at which owners that were idle for idleOwnerLife are removed.
	maxIdleOwners = 1_000
)

// turnOwner is the state of an owner that has pieces, or had pieces recently.
type turnOwner struct {
	pace    pace
	mean    time.Duration // mean duration of recent pieces; later pieces have more weight
	used    time.Duration // time used by recent pieces, minus the time that the owner may use; see busyShare
	settled time.Time     // when used was last reduced
	running int
	waiting int
	ended   time.Time // when the last piece ended
}

// A turn is a piece that waits.
type turn struct {
	owner *turnOwner
	since time.Time
	ready chan struct{} // closed when the piece may run
}

// NewTurns returns turns for a number of processors. A piece waits for at most the given time.
func NewTurns(processors int, wait time.Duration) *Turns {
	return &Turns{processors: processors, wait: wait, owners: map[string]*turnOwner{}, running: map[pace]int{}}
}

// Begin waits until a piece of work of an owner may run; the caller must call end after the piece. The error is
// Unavailable if the wait was too long or the context ended.
func (t *Turns) Begin(ctx context.Context, owner string) (end func(), err error) {
	t.mu.Lock()
	o := t.owner(owner)
	if t.mayRun(o) && o.waiting == 0 {
		t.start(o)
		isBusy := o.pace == busy
		t.mu.Unlock()
		return t.begin(ctx, o, isBusy)
	}
	waiting := &turn{o, time.Now(), make(chan struct{})}
	t.waiting = append(t.waiting, waiting)
	o.waiting++
	t.mu.Unlock()

	err = t.await(ctx, waiting)
	t.mu.Lock()
	isBusy := o.pace == busy
	if err == nil {
		t.mu.Unlock()
		return t.begin(ctx, o, isBusy)
	}
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, waiting); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		o.waiting--
		t.refused.Add(1)
		return nil, err
	}
	return t.ending(ctx, o), nil // the piece became ready at the same time
}

// begin waits for a slot for long work if the owner of a started piece is busy. The pieces of such an owner are short, but together
// they occupy a processor as long work does. One processor must remain free of both.
func (t *Turns) begin(ctx context.Context, o *turnOwner, isBusy bool) (end func(), err error) {
	end = t.ending(ctx, o)
	if !isBusy {
		return end, nil
	}
	if err := longwork.Of(ctx).Require(ctx); err != nil {
		end()
		return nil, graph.Wrap(graph.Unavailable, err, "the request ended while it waited for a processor")
	}
	return end, nil
}

// await waits until a piece is started. The error is Unavailable if the wait was too long or the context ended.
func (t *Turns) await(ctx context.Context, waiting *turn) error {
	longwork.Of(ctx).Release()
	timer := time.NewTimer(t.wait)
	defer timer.Stop()
	select {
	case <-waiting.ready:
		return nil
	case <-timer.C:
		return graph.Errorf(graph.Unavailable, "your request has waited %s for a processor; try again in a moment", t.wait)
	case <-ctx.Done():
		return graph.Wrap(graph.Unavailable, ctx.Err(), "the request ended while it waited for a processor")
	}
}

// Refused returns the number of pieces that did not run because they waited too long or their context ended.
func (t *Turns) Refused() int64 { return t.refused.Load() }

// owner returns the state of an owner, and removes the states of idle owners if there are many of them.
func (t *Turns) owner(name string) *turnOwner {
	now := time.Now()
	o := t.owners[name]
	if o != nil && o.isForgotten(now) {
		o.mean, o.pace = 0, quick
	}
	if o != nil {
		if o.settle(now); o.pace == busy && o.used <= busyBurst {
			t.setPace(o, quick)
		}
		return o
	}
	if len(t.owners) >= maxIdleOwners {
		for name, o := range t.owners {
			if o.isForgotten(now) {
				delete(t.owners, name)
			}
		}
	}
	o = &turnOwner{pace: quick, settled: now}
	t.owners[name] = o
	return o
}

func (o *turnOwner) isForgotten(now time.Time) bool {
	return o.running == 0 && o.waiting == 0 && now.Sub(o.ended) > idleOwnerLife
}

// isNew reports whether the durations of the owner's pieces are unknown.
func (o *turnOwner) isNew() bool { return o.mean == 0 }

func (t *Turns) mayRun(o *turnOwner) bool {
	if o.pace == slow {
		ofOwner := max(1, t.processors-1)
		if o.isNew() {
			ofOwner = max(2, ofOwner)
		}
		return o.running < ofOwner && t.running[slow] < max(2, t.processors)
	}
	if o.pace == busy {
		return t.running[busy] < max(1, t.processors-1)
	}
	if o.isNew() {
		return o.running == 0 && t.running[quick] < 8*t.processors
	}
	return o.running < 2*t.processors && t.running[quick] < 8*t.processors
}

func (t *Turns) start(o *turnOwner) {
	o.running++
	t.running[o.pace]++
}

// ending returns the function that ends a piece that has just started.
func (t *Turns) ending(ctx context.Context, o *turnOwner) func() {
	work := longwork.Of(ctx)
	start, waited := time.Now(), work.Waited()
	isLong := time.AfterFunc(slowMean, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if o.isNew() && o.running > 0 {
			t.setPace(o, slow)
			t.startAll()
		}
	})
	return sync.OnceFunc(func() {
		isLong.Stop()
		work.Release()
		t.mu.Lock()
		defer t.mu.Unlock()
		o.ended = time.Now()
		t.running[o.pace]--
		o.running--
		t.measure(o, o.ended.Sub(start)-(work.Waited()-waited))
		t.startAll()
	})
}

// measure adds a duration to the mean of an owner, which may change its pace.
func (t *Turns) measure(o *turnOwner, took time.Duration) {
	if o.isNew() {
		o.mean = took
	}
	o.mean = max((3*o.mean+took)/4, 1)
	o.settle(o.ended)
	o.used = min(o.used+took, maxBusy)
	switch {
	case o.mean > slowMean:
		t.setPace(o, slow)
	case o.used > busyBurst:
		t.setPace(o, busy)
	default:
		t.setPace(o, quick)
	}
}

// settle reduces the used time of an owner by the part of the elapsed time that the owner may use.
func (o *turnOwner) settle(now time.Time) {
	o.used = max(o.used-now.Sub(o.settled)/busyShare, 0)
	o.settled = now
}

func (t *Turns) setPace(o *turnOwner, next pace) {
	if next != o.pace {
		t.running[o.pace] -= o.running
		t.running[next] += o.running
		o.pace = next
	}
}

// startAll starts all pieces that may run.
func (t *Turns) startAll() {
	for t.startNext() {
	}
}

// startNext starts the next piece, and reports whether it started one.
func (t *Turns) startNext() bool {
	next := -1
	for i, w := range t.waiting {
		if t.mayRun(w.owner) && (next < 0 || w.precedes(t.waiting[next])) {
			next = i
		}
	}
	if next < 0 {
		return false
	}
	w := t.waiting[next]
	t.waiting = slices.Delete(t.waiting, next, next+1)
	w.owner.waiting--
	t.start(w.owner)
	close(w.ready)
	return true
}

func (w *turn) precedes(other *turn) bool {
	if w.owner.running != other.owner.running {
		return w.owner.running < other.owner.running
	}
	return w.since.Add(meanHandicap * w.owner.mean).Before(other.since.Add(meanHandicap * other.owner.mean))
}
