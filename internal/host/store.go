package host

import (
	"context"
	"errors"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A Place is where a graph is stored.
type Place struct {
	Data string // directory of SQLite
	URL  string // postgres://…, or memory; "" means SQLite in Data
}

// OpenStore opens a store for writing; the caller must close it. It refuses the destination of an unfinished copy. The
// error is Invalid for a URL of an unknown kind; see Place.
func OpenStore(ctx context.Context, p Place) (graph.Store, error) {
	store, err := OpenUnfinishedStore(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := raw.CheckFinished(ctx, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// OpenUnfinishedStore is like OpenStore but accepts an unfinished copy.
func OpenUnfinishedStore(ctx context.Context, p Place) (graph.Store, error) {
	switch p.Scheme() {
	case "postgres:", "postgresql:":
		return postgres.Open(ctx, p.URL)
	case "memory:":
		return memory.New(), nil
	case "":
		return sqlite.Open(ctx, p.Data)
	default:
		return nil, graph.Errorf(graph.Invalid, "unknown store %q; want postgres://… or memory, or none for SQLite", graph.Clip(p.Scheme()))
	}
}

// Scheme returns the scheme of the URL, with its colon. The rest may hold a password and must not be shown.
func (p Place) Scheme() string {
	if p.IsMemory() {
		return "memory:"
	}
	if i := strings.IndexAny(p.URL, ":= "); i >= 0 {
		return p.URL[:i+1]
	}
	return p.URL
}

// IsMemory reports whether the store is in memory: the URL is memory or starts with memory:.
func (p Place) IsMemory() bool { return p.URL == "memory" || strings.HasPrefix(p.URL, "memory:") }
