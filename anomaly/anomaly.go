// Package anomaly learns from a store what is normal for the values of each type, so that clients can tell
// values that stand out. It looks only at what everybody may read.
package anomaly

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/validate"
)

// Interval is how long an answer is good. It is also as often as the store is looked at.
const Interval = 10 * time.Minute

// Limits on one look at the store.
const (
	MaxTypes  = 500   // in an answer
	MaxValues = 1_000 // of a type
	maxKnown  = 2_000 // types that are remembered
	longest   = 2 * time.Minute
	patience  = 5 * time.Second // of whoever asks first
	retry     = time.Minute     // after a failure
)

// Normals are those of one store.
type Normals struct {
	reader graph.Reader
	kv     kv.Store // nil: types are forgotten with the process
	log    *slog.Logger
	now    func() time.Time
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	found map[string]validate.Normal // nil until the first look
	next  time.Time                  // to look again
	look  chan struct{}              // closed when the look at work ends; nil when none is
	known known                      // by the look at work only
}

// New returns the normals of a store as the public sees it. Now tells the time; nil means time.Now.
func New(public graph.Reader, store kv.Store, log *slog.Logger, now func() time.Time) *Normals {
	if now == nil {
		now = time.Now
	}
	return &Normals{reader: public, kv: store, log: log, now: now, closed: make(chan struct{})}
}

// Close ends a look at the store that is at work, and waits for it.
func (n *Normals) Close() {
	n.once.Do(func() { close(n.closed) })
	n.mu.Lock()
	look := n.look
	n.mu.Unlock()
	if look != nil {
		<-look
	}
}

// Get returns what is normal for the values of each type, by the type's name. It may be a little more than
// an Interval old: a new look is taken in the background. Only who asks before the first one waits, a few
// seconds at most; then the error is Unavailable.
func (n *Normals) Get(ctx context.Context) (map[string]validate.Normal, error) {
	found, look := n.begin() //nolint:contextcheck // the look goes on when who asked has left
	if found != nil {
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if look != nil {
		select {
		case <-look:
		case <-ctx.Done():
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.found == nil {
		return nil, graph.Errorf(graph.Unavailable, "what is normal is not known yet; ask again in a minute")
	}
	return n.found, nil
}

// begin starts a look when it is time for one, and returns what is known and the look at work.
func (n *Normals) begin() (map[string]validate.Normal, chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.look == nil && !n.now().Before(n.next) && !n.ended() {
		n.look = make(chan struct{})
		go n.work(n.look)
	}
	return n.found, n.look
}

func (n *Normals) work(look chan struct{}) {
	defer close(look)
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	go func() {
		select {
		case <-n.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	found, err := n.learn(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.look, n.next = nil, n.now().Add(Interval)
	if err == nil {
		n.found = found
		return
	}
	n.next = n.now().Add(retry)
	if !n.ended() {
		n.log.Warn("looking for what is normal failed", "error", err)
	}
}

func (n *Normals) ended() bool {
	select {
	case <-n.closed:
		return true
	default:
		return false
	}
}

func (n *Normals) learn(ctx context.Context) (map[string]validate.Normal, error) {
	types, err := n.types(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]validate.Normal{}
	for _, typ := range types {
		if len(found) == MaxTypes {
			break
		}
		normal, ok, err := n.sample(ctx, typ.ID)
		if len(found) > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			break // the types used last are in it
		}
		if err != nil {
			return nil, err
		}
		if ok {
			found[typ.Value] = normal
		}
	}
	return found, nil
}

// A page begins small, in case the values are long texts, and grows while they are not.
const (
	firstPage = 8
	mostPage  = 256
	longPage  = 64 << 10 // bytes
	mostBytes = 1 << 20  // of one type
)

// sample looks at the newest values of a type.
func (n *Normals) sample(ctx context.Context, typ graph.ID) (normal validate.Normal, ok bool, err error) {
	var s validate.Sample
	page := graph.Page{Descending: true, Limit: firstPage}
	for values, bytes := 0, 0; values < MaxValues && bytes < mostBytes; {
		some, err := n.reader.ConceptsByType(ctx, typ, page)
		if err != nil {
			return normal, false, err
		}
		before := bytes
		for _, c := range some {
			s.Add(c.Value)
			bytes += len(c.Value)
		}
		values += len(some)
		if len(some) < page.Limit {
			break
		}
		page.After = some[len(some)-1].ID
		if bytes-before < longPage {
			page.Limit = min(2*page.Limit, mostPage, max(1, MaxValues-values))
		}
	}
	normal, ok = s.Normal()
	return normal, ok, nil
}
