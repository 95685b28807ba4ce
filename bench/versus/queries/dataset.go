package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A dataset is a store with generated or imported data.
type dataset struct {
	name string // name of the files or of the database
	dir  string // directory of SQLite, and of the server's other files
	url  string // URL of PostgreSQL, or ""
}

// A fillFunc writes data to an empty store.
type fillFunc func(ctx context.Context, store graph.Store) error

// ensureFilled opens a dataset, which migrates its schema. It fills the dataset unless the file dir+".filled" shows that an earlier run
// did. Before, it deletes a SQLite directory; a PostgreSQL database that an interrupted run has left must be dropped by hand.
func (d dataset) ensureFilled(ctx context.Context, fill fillFunc) error {
	done := d.dir + ".filled"
	if _, err := os.Stat(done); err == nil {
		store, err := d.open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(settle(ctx, store), store.Close())
	}
	if d.url == "" {
		if err := os.RemoveAll(d.dir); err != nil {
			return err
		}
	}
	logf("filling %s", d.name)
	store, err := d.open(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(ctx, store), settle(ctx, store), store.Close()); err != nil {
		return err
	}
	if err := d.analyze(ctx); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o600)
}

func (d dataset) open(ctx context.Context) (graph.Store, error) {
	if d.url != "" {
		return postgres.Open(ctx, d.url)
	}
	return sqlite.Open(ctx, d.dir)
}

// settle waits for background work of a store after writes.
func settle(ctx context.Context, store graph.Store) error {
	if s, ok := store.(interface{ Settle(context.Context) error }); ok {
		return s.Settle(ctx)
	}
	return nil
}

// analyze immediately runs the analysis that PostgreSQL would run within minutes.
func (d dataset) analyze(ctx context.Context) error {
	if d.url == "" {
		return nil
	}
	h, err := openPostgres(ctx, d.url)
	if err != nil {
		return err
	}
	_, err = h.run(ctx, "vacuum analyze")
	return errors.Join(err, h.close())
}

// A target is a dataset opened for measuring, in two ways: as a store with the server's caches, and with hand-written
// statements.
type target struct {
	dataset
	system, user graph.Reader
	handwritten  *handwritten // without access checks
	checking     *handwritten // with access checks for user
	close        func() error
}

// strangerID is the id of a user who owns nothing.
const strangerID graph.ID = 60_000

// conceptCacheBytes is the server's default memory for cached concepts.
const conceptCacheBytes = 64 << 20

func (d dataset) openTarget(ctx context.Context) (*target, error) {
	var r reader
	var h *handwritten
	var err error
	if d.url != "" {
		if r, err = postgres.OpenReader(ctx, d.url); err == nil {
			h, err = openPostgres(ctx, d.url)
		}
	} else {
		if r, err = sqlite.OpenReader(ctx, d.dir); err == nil {
			h, err = openSQLite(filepath.Join(d.dir, "weft.db"))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	found, err := graph.TypesNamed(ctx, r, typeNames...)
	if err != nil {
		return nil, err
	}
	h.types = map[string]graph.ID{}
	for name, c := range found {
		h.types[name] = c.ID
	}
	checking := *h
	checking.user = strangerID
	gate := access.New(cache.New(readOnly{r}, conceptCacheBytes), access.Rules{})
	return &target{
		dataset: d, system: gate.As(access.System), user: gate.As(access.Caller{User: strangerID}), handwritten: h, checking: &checking,
		close: func() error { return errors.Join(r.Close(), h.close()) },
	}, nil
}

// A reader is a store to which another process writes, with its optional interfaces.
type reader interface {
	graph.Reader
	graph.Selector
	graph.Sizer
	graph.VisibleReader
	Check(ctx context.Context) error
	Close() error
}

// readOnly is a store that refuses writes.
type readOnly struct{ reader }

func (readOnly) Write(context.Context, graph.Batch) (graph.Receipt, error) {
	return graph.Receipt{}, errors.ErrUnsupported
}

func (readOnly) Reserve(context.Context, graph.ID, int) ([]graph.ID, error) {
	return nil, errors.ErrUnsupported
}
