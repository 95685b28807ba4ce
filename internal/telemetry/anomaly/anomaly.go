// Package anomaly computes statistics about the values of each type, so that clients can warn about unusual values. It
// reads public values only.
//
// A scan reads the newest values of recently used types, bounded by the constants below, in the background and at most
// once per Interval. Get starts a scan when a scan is due, but returns the result of the previous scan. Only calls
// before the end of the first scan wait for a result.
package anomaly

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/validate"
)

// Interval is the time from the end of a successful scan to the earliest start of the next scan.
const Interval = 10 * time.Minute

// Limits of a scan.
const (
	MaxTypes  = 500   // maximum number of types in the result
	MaxValues = 1_000 // number of values of a type after which no further page is read
	maxKnown  = 2_000 // maximum number of types in the stored list of known types

	scanTimeout      = 2 * time.Minute
	firstScanTimeout = 5 * time.Second // how long Get waits for the first scan
	retryInterval    = time.Minute     // delay after a failed scan
)

// Statistics holds the statistics of one store.
type Statistics struct {
	reader graph.Reader
	kv     kv.Store // nil: known types are kept in memory only
	log    *slog.Logger
	now    func() time.Time
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	found map[string]validate.TypeNorms // nil before the first successful scan
	next  time.Time                     // when the next scan is due
	scan  chan struct{}                 // closed when the running scan ends; nil when none runs
	known knownTypes                    // used by the running scan only
}

// New returns statistics without a result; the first call of Get starts a scan. public reads the store with the access
// of a guest. now returns the current time; nil means time.Now.
func New(public graph.Reader, store kv.Store, log *slog.Logger, now func() time.Time) *Statistics {
	if now == nil {
		now = time.Now
	}
	return &Statistics{reader: public, kv: store, log: log, now: now, closed: make(chan struct{})}
}

// Close cancels a running scan and waits until the scan ends.
func (s *Statistics) Close() {
	s.once.Do(func() { close(s.closed) })
	s.mu.Lock()
	scan := s.scan
	s.mu.Unlock()
	if scan != nil {
		<-scan
	}
}

// Get returns the statistics of each type, by the type's name, from the last scan that succeeded. Before the first
// result, Get waits up to firstScanTimeout for the running scan. The error is Unavailable if there is still no result.
func (s *Statistics) Get(ctx context.Context) (map[string]validate.TypeNorms, error) {
	found, scan := s.startScan() //nolint:contextcheck // the scan continues after the caller has left
	if found != nil {
		return found, nil
	}
	ctx, cancel := context.WithTimeout(ctx, firstScanTimeout)
	defer cancel()
	if scan != nil {
		select {
		case <-scan:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		return nil, graph.Errorf(graph.Unavailable, "statistics are not available yet; try again in a minute")
	}
	return s.found, nil
}

// startScan starts a scan if one is due. It returns the last result, which is nil before the first successful scan,
// and a channel that is closed when the running scan ends, or a nil channel if no scan runs.
func (s *Statistics) startScan() (map[string]validate.TypeNorms, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scan == nil && !s.now().Before(s.next) && !s.isClosed() {
		s.scan = make(chan struct{})
		go s.runScan(s.scan)
	}
	return s.found, s.scan
}

// runScan stores a new result, or logs the error, and then closes done.
func (s *Statistics) runScan(done chan struct{}) {
	defer close(done)
	ctx, cancel := context.WithTimeout(context.Background(), scanTimeout)
	defer cancel()
	go func() {
		select {
		case <-s.closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	found, err := s.computeAll(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scan, s.next = nil, s.now().Add(Interval)
	if err == nil {
		s.found = found
		return
	}
	s.next = s.now().Add(retryInterval)
	if !s.isClosed() {
		s.log.Warn("cannot compute value statistics", "error", err)
	}
}

func (s *Statistics) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// computeAll computes the statistics of the most recently used types. At the deadline of ctx, it returns the
// statistics that were computed so far, if there are any.
func (s *Statistics) computeAll(ctx context.Context) (map[string]validate.TypeNorms, error) {
	types, err := s.types(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]validate.TypeNorms{}
	for _, typ := range types {
		if len(found) == MaxTypes {
			break
		}
		normal, ok, err := s.compute(ctx, typ.ID)
		if len(found) > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			break // keep the statistics computed so far
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

// The page size starts small, because the values may be long. It doubles after each page of fewer than
// longPageBytes.
const (
	firstPageValues = 8
	maxPageValues   = 256
	longPageBytes   = 64 << 10
	maxTypeBytes    = 1 << 20 // per type
)

// compute computes the statistics of the newest values of a type. If the type has no values, ok is false.
func (s *Statistics) compute(ctx context.Context, typ graph.ID) (normal validate.TypeNorms, ok bool, err error) {
	var sample validate.Sample
	page := graph.Page{Descending: true, Limit: firstPageValues}
	for values, bytes := 0, 0; values < MaxValues && bytes < maxTypeBytes; {
		concepts, err := s.reader.ConceptsByType(ctx, typ, page)
		if err != nil {
			return normal, false, err
		}
		before := bytes
		for _, c := range concepts {
			sample.Add(c.Value)
			bytes += len(c.Value)
		}
		values += len(concepts)
		if len(concepts) < page.Limit {
			break
		}
		page.After = concepts[len(concepts)-1].ID
		if bytes-before < longPageBytes {
			page.Limit = min(2*page.Limit, maxPageValues, max(1, MaxValues-values))
		}
	}
	normal, ok = sample.Norms()
	return normal, ok, nil
}
