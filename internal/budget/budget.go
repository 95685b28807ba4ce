package budget

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/longwork"
)

const (
	// maxWait is how long Wait waits for memory.
	maxWait = 5 * time.Second
	// minShare is the number of bytes that an owner may hold regardless of its share, if so many bytes are free.
	minShare = 256 << 10
	// uncounted is the number of bytes of each account that are not counted. The limit on concurrent requests bounds their sum.
	uncounted = 16 << 10
	// quantum is the number of bytes that an account takes from the budget together.
	quantum = 64 << 10
)

// A Budget is an amount of memory in bytes that accounts share. The zero value and nil have no limit.
type Budget struct {
	total int64

	mu      sync.Mutex
	used    int64
	peak    int64
	refused int64
	held    map[string]int64 // keyed by owner; owners that hold nothing have no entry
	waiting []*waiter        // in the order of their arrival
}

// A waiter is a call of Wait. Its channel is closed when the memory was granted.
type waiter struct {
	owner   string
	bytes   int64
	granted chan struct{}
}

// New returns a budget of a total in bytes; 0 means no limit.
func New(total int64) *Budget { return &Budget{total: total, held: map[string]int64{}} }

// Usage is the state of a budget in bytes, and the number of refused charges.
type Usage struct{ Total, Used, Peak, Refused int64 }

// Usage returns the current and the peak use of the budget.
func (b *Budget) Usage() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Usage{b.total, b.used, b.peak, b.refused}
}

// MaxRequest returns the maximum number of bytes that one request may hold; 0 means no limit.
func (b *Budget) MaxRequest() int64 { return b.total / 2 }

// fits reports whether an owner may take more bytes now. The caller holds the lock.
func (b *Budget) fits(owner string, bytes int64) bool {
	held := b.held[owner] + bytes
	return b.used+bytes <= b.total && (held <= minShare || held <= b.total-b.used-bytes)
}

// take counts bytes for an owner. The caller holds the lock.
func (b *Budget) take(owner string, bytes int64) {
	b.used += bytes
	b.peak = max(b.peak, b.used)
	b.held[owner] += bytes
}

// tryTake counts the wanted bytes for an owner or, if these do not fit, the needed bytes. It returns the counted
// bytes, or 0 if neither amount fits.
func (b *Budget) tryTake(owner string, needed, wanted int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, bytes := range []int64{wanted, needed} {
		if b.fits(owner, bytes) {
			b.take(owner, bytes)
			return bytes
		}
	}
	b.refused++
	return 0
}

// release returns bytes of an owner and grants them to waiters.
func (b *Budget) release(owner string, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	if b.held[owner] -= bytes; b.held[owner] == 0 {
		delete(b.held, owner)
	}
	for {
		next := b.nextWaiter()
		if next < 0 {
			return
		}
		w := b.waiting[next]
		b.waiting = slices.Delete(b.waiting, next, next+1)
		b.take(w.owner, w.bytes)
		close(w.granted)
	}
}

// nextWaiter returns the index of the next waiter: of the waiters whose bytes fit, a waiter whose owner holds the
// least memory. It returns -1 if the bytes of no waiter fit. The caller holds the lock.
func (b *Budget) nextWaiter() int {
	next := -1
	for i, w := range b.waiting {
		if b.fits(w.owner, w.bytes) && (next < 0 || b.held[w.owner] < b.held[b.waiting[next].owner]) {
			next = i
		}
	}
	return next
}

// await counts bytes for an owner, after waiting for them if necessary. It reports whether the bytes were granted.
func (b *Budget) await(ctx context.Context, owner string, bytes int64) bool {
	b.mu.Lock()
	if b.fits(owner, bytes) {
		b.take(owner, bytes)
		b.mu.Unlock()
		return true
	}
	w := &waiter{owner: owner, bytes: bytes, granted: make(chan struct{})}
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	work := longwork.Of(ctx)
	work.Release()
	defer work.AddWait(time.Now())
	timeout := time.NewTimer(maxWait)
	defer timeout.Stop()
	select {
	case <-w.granted:
		return true
	case <-ctx.Done():
	case <-timeout.C:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, w)
	if i < 0 {
		return true // granted at the same time
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.refused++
	return false
}

// An Account is the memory of one request. A nil Account has no limit. Its methods may be called concurrently.
type Account struct {
	budget *Budget
	owner  string

	mu      sync.Mutex
	charged int64 // bytes that the request holds
	ceiling int64 // maximum of charged while a page is read; 0 means none
	taken   int64 // bytes counted in the budget; at least charged - uncounted
	// isClosed is set by Close. A write that outlives its request, because it ignores cancellation, is not counted.
	isClosed bool
}

// Open returns an account of an owner. The caller must close it.
func (b *Budget) Open(owner string) *Account {
	if b == nil || b.total == 0 {
		return nil
	}
	return &Account{budget: b, owner: owner}
}

// Grow charges bytes to the account. The error is Unavailable if the bytes do not fit now, and TooLarge if they can
// never fit.
func (a *Account) Grow(bytes int64) error {
	if a == nil || bytes <= 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isClosed {
		return nil
	}
	if err := a.checkShare(bytes); err != nil {
		return err
	}
	if missing := a.missing(bytes); missing > 0 {
		taken := a.budget.tryTake(a.owner, missing, max(missing, a.rounded(missing)))
		if taken == 0 {
			return a.unavailable(bytes)
		}
		a.taken += taken
	}
	a.charged += bytes
	return nil
}

// Wait is like Grow, but waits for memory until ctx ends or some seconds have passed. The caller must not hold a
// resource that other requests need in order to release memory, such as a connection to the store.
func (a *Account) Wait(ctx context.Context, bytes int64) error {
	if a == nil || bytes <= 0 {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isClosed {
		return nil
	}
	if err := a.checkShare(bytes); err != nil {
		return err
	}
	if missing := a.missing(bytes); missing > 0 {
		if !a.budget.await(ctx, a.owner, missing) {
			return a.unavailable(bytes)
		}
		a.taken += missing
	}
	a.charged += bytes
	return nil
}

// checkShare returns a TooLarge error for more bytes than one request may hold.
func (a *Account) checkShare(bytes int64) error {
	if a.ceiling > 0 && a.charged+bytes > a.ceiling {
		return ErrPageFull
	}
	if needed, most := a.charged+bytes, a.budget.MaxRequest(); needed > most {
		return graph.Errorf(graph.TooLarge,
			"the request needs %d bytes of memory or more, and one request may use %d; request fewer or smaller records at a time", needed, most)
	}
	return nil
}

func (a *Account) unavailable(bytes int64) error {
	return graph.Errorf(graph.Unavailable, "no memory for %d more bytes of this request now; try again in a moment", bytes)
}

// missing returns the number of bytes that must be taken from the budget before further bytes are charged.
func (a *Account) missing(bytes int64) int64 { return a.charged + bytes - uncounted - a.taken }

// rounded rounds bytes up to whole quanta, but to no more bytes than one request may hold.
func (a *Account) rounded(bytes int64) int64 {
	return min((bytes+quantum-1)/quantum*quantum, a.budget.MaxRequest()-a.taken)
}

// Shrink returns bytes that Grow or Wait charged.
func (a *Account) Shrink(bytes int64) {
	if a == nil || bytes <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.charged = max(a.charged-bytes, 0)
	if spare := a.taken - max(a.charged-uncounted, 0); spare >= quantum {
		a.taken -= spare
		a.budget.release(a.owner, spare)
	}
}

// Share returns the number of further bytes that the request may ever charge.
func (a *Account) Share() int64 {
	if a == nil {
		return math.MaxInt64
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(a.budget.MaxRequest()-a.charged, 0)
}

// ErrPageFull is the error of a charge beyond the limit of Account.Page.
var ErrPageFull error = &graph.Error{Kind: graph.TooLarge, Message: "the records of one page are too large; ask for fewer at once"}

// Page calls read. During the call, charges beyond the given number of bytes fail with ErrPageFull. If read fails, Page
// returns all bytes that read has charged. No other goroutine may use the account during the call. A call of Page inside
// read has its own limit.
func (a *Account) Page(bytes int64, read func() error) error {
	if a == nil {
		return read()
	}
	before, outer := a.Charged(), a.ceiling
	a.setCeiling(before + bytes)
	err := read()
	a.setCeiling(outer)
	if err != nil {
		a.Shrink(a.Charged() - before)
	}
	return err
}

func (a *Account) setCeiling(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ceiling = bytes
}

// Charged returns the number of bytes that the account holds.
func (a *Account) Charged() int64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.charged
}

// Close returns everything to the budget.
func (a *Account) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.taken > 0 {
		a.budget.release(a.owner, a.taken)
	}
	a.charged, a.taken, a.isClosed = 0, 0, true
}

type contextKey struct{}

// In returns a context with an account, to which Charge and Of refer.
func In(ctx context.Context, a *Account) context.Context {
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, a)
}

// Of returns the account in a context. Without one it returns nil, an account that has no limit.
func Of(ctx context.Context) *Account {
	a, _ := ctx.Value(contextKey{}).(*Account)
	return a
}

// Charge charges bytes to the account in a context; see Account.Grow.
func Charge(ctx context.Context, bytes int64) error { return Of(ctx).Grow(bytes) }
