package shares

import (
	"sync"
	"sync/atomic"

	"github.com/weft-graph/weft/graph"
)

// freeFactor is the maximum amount that one owner may hold, as a multiple of the free amount.
const freeFactor = 3

// A Gate limits the amount of a resource that is held, in total and by each owner. It is safe for concurrent use.
type Gate struct {
	// The field What names the counted items in errors, in the plural, such as "change streams".
	What string
	// Total is the maximum amount that all owners together may hold.
	Total int64
	// PerOwner is a fixed maximum for one owner in addition to the dynamic maximum; 0 means no fixed maximum.
	PerOwner int64

	refused atomic.Int64
	mu      sync.Mutex
	used    int64
	held    map[string]int64 // keyed by owner
}

// Enter counts a weight for an owner until leave is called, or returns an Unavailable error. The weight is at least 1.
func (g *Gate) Enter(owner string, weight int64) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	held, free := g.held[owner], g.Total-g.used-weight
	switch {
	case free < 0:
		err = graph.Errorf(graph.Unavailable, "no place for %d more: %d %s are in use, of at most %d; try again in a moment",
			weight, g.used, g.What, g.Total)
	case g.PerOwner > 0 && held+weight > g.PerOwner:
		err = graph.Errorf(graph.Unavailable, "you already use %d %s, of at most %d; end one or try again later", held, g.What, g.PerOwner)
	case held > 0 && held+weight > freeFactor*free:
		err = graph.Errorf(graph.Unavailable, "you already use %d of %d %s, and the rest is reserved for others; try again in a moment",
			held, g.Total, g.What)
	}
	if err != nil {
		g.refused.Add(1)
		return nil, err
	}
	if g.held == nil {
		g.held = map[string]int64{}
	}
	g.used += weight
	g.held[owner] += weight
	return sync.OnceFunc(func() { g.leave(owner, weight) }), nil
}

func (g *Gate) leave(owner string, weight int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used -= weight
	if g.held[owner] -= weight; g.held[owner] == 0 {
		delete(g.held, owner)
	}
}

// Used returns the amount that is held.
func (g *Gate) Used() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.used
}

// Refused returns the number of times that Enter has returned an error.
func (g *Gate) Refused() int64 { return g.refused.Load() }
