package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
)

// Disk describes the disk of the store, so that writes are refused before the database fails. The zero value checks
// nothing.
type Disk struct {
	// Free returns the free bytes of the disk; nil means that they are unknown.
	Free func() (int64, error)
	// Reserve is the number of free bytes below which uploads, and batches that add records, are refused. Reading,
	// removing and signing in continue. Below diskWarningFactor times as many free bytes, the server logs a warning.
	Reserve int64
}

// A diskStatus is the state of the disk in the response of /api/health.
//
//	ok ──free < 4 × Reserve──► low ──free < Reserve──► full
type diskStatus string

const (
	diskOK   diskStatus = "ok"
	diskLow  diskStatus = "low"
	diskFull diskStatus = "full"
)

const (
	// diskWarningFactor is the multiple of the reserve below which the server warns.
	diskWarningFactor = 4
	// diskCheckInterval is the minimum time between two measurements of the free bytes.
	diskCheckInterval = time.Second
)

// diskGuard measures the free bytes of a disk. A nil diskGuard treats the disk as unlimited.
type diskGuard struct {
	Disk
	log *slog.Logger

	mu      sync.Mutex
	checked time.Time
	free    int64
	status  diskStatus
}

// newDiskGuard returns nil if the disk should not be checked.
func newDiskGuard(d Disk, log *slog.Logger) *diskGuard {
	if d.Free == nil || d.Reserve <= 0 {
		return nil
	}
	return &diskGuard{Disk: d, log: log, status: diskOK}
}

// measure returns the free bytes and the state of the disk, and logs a change of the state.
func (g *diskGuard) measure() (int64, diskStatus) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.checked.IsZero() && time.Since(g.checked) < diskCheckInterval {
		return g.free, g.status
	}
	g.checked = time.Now()
	free, err := g.Free()
	if err != nil {
		g.log.Error("cannot measure the free space of the disk", "error", err)
		return g.free, g.status
	}
	before := g.status
	g.free, g.status = free, diskOK
	switch {
	case free < g.Reserve:
		g.status = diskFull
	case free/diskWarningFactor < g.Reserve:
		g.status = diskLow
	}
	switch g.status {
	case before:
	case diskOK:
		g.log.Info("the disk has enough free space again", "free", free)
	default:
		g.log.Warn("the disk is "+string(g.status)+"; below the reserve, nothing can be added", "free", free, "reserve", g.Reserve)
	}
	return g.free, g.status
}

// requireSpace returns an Unavailable error if the disk is full.
func (g *diskGuard) requireSpace() error {
	if g == nil {
		return nil
	}
	if free, status := g.measure(); status == diskFull {
		return graph.Errorf(graph.Unavailable,
			"the disk of the server has %d MiB free and keeps %d MiB in reserve: nothing can be added until the operator frees space; reading and removing work",
			free>>20, g.Reserve>>20)
	}
	return nil
}

// state returns the state of the disk, or "" if the disk is not checked.
func (g *diskGuard) state() diskStatus {
	if g == nil {
		return ""
	}
	_, status := g.measure()
	return status
}

func (g *diskGuard) register(r prometheus.Registerer) {
	if g == nil || r == nil {
		return
	}
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "weft_disk_free_bytes", Help: "Free bytes of the disk of the store."},
			func() float64 { free, _ := g.measure(); return float64(free) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "weft_disk_reserve_bytes", Help: "Free bytes below which nothing can be added."},
			func() float64 { return float64(g.Reserve) }),
	)
}

// A guardedStore returns an Unavailable error for batches that add records while the disk is full.
type guardedStore struct {
	graph.Store
	graph.SetForwarder
	disk *diskGuard
}

func newGuardedStore(store graph.Store, disk *diskGuard) graph.Store {
	if disk == nil {
		return store
	}
	return &guardedStore{store, graph.ForwardSets(store), disk}
}

// Unwrap returns the wrapped store.
func (s *guardedStore) Unwrap() graph.Store { return s.Store }

// Write implements graph.Store.
func (s *guardedStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if len(b.Concepts)+len(b.Connections) > 0 {
		if err := s.disk.requireSpace(); err != nil {
			return graph.Receipt{}, err
		}
	}
	return s.Store.Write(ctx, b)
}
