package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/sqlite"
)

// A place is a store with data in it.
type place struct {
	name string // of its files or database
	dir  string // of SQLite, and of what the server keeps beside a database
	url  string // of PostgreSQL, or ""
}

// A filling puts data into an empty store.
type filling func(ctx context.Context, store graph.Store) error

// filled fills a place that is not filled yet, and brings it up to date.
func (p place) filled(ctx context.Context, fill filling) error {
	done := p.dir + ".filled"
	if _, err := os.Stat(done); err == nil {
		store, err := p.open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(settle(ctx, store), store.Close())
	}
	if p.url == "" {
		if err := os.RemoveAll(p.dir); err != nil {
			return err
		}
	}
	note("filling %s", p.name)
	store, err := p.open(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(ctx, store), settle(ctx, store), store.Close()); err != nil {
		return err
	}
	if err := p.analyze(ctx); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o600)
}

func (p place) open(ctx context.Context) (graph.Store, error) {
	if p.url != "" {
		return postgres.Open(ctx, p.url)
	}
	return sqlite.Open(ctx, p.dir)
}

// settle waits for what a store does behind the back of whoever writes.
func settle(ctx context.Context, store graph.Store) error {
	if s, ok := store.(interface{ Settle(context.Context) error }); ok {
		return s.Settle(ctx)
	}
	return nil
}

// analyze has PostgreSQL do at once what it does within minutes.
func (p place) analyze(ctx context.Context) error {
	if p.url == "" {
		return nil
	}
	h, err := postgresHand(ctx, p.url)
	if err != nil {
		return err
	}
	_, err = h.run(ctx, "vacuum analyze")
	return errors.Join(err, h.end())
}

// A view of a place is what is asked in it: the store, as the server puts it together, and statements.
type view struct {
	place
	system, user graph.Reader
	hand         *hand // who checks nothing
	checking     *hand // who checks what user may read
	close        func() error
}

// nobody is a user who owns nothing.
const nobody graph.ID = 60_000

// rememberAtMost is how much memory the server gives to concepts if it is not told otherwise.
const rememberAtMost = 64 << 20

func (p place) view(ctx context.Context) (*view, error) {
	var r reader
	var h *hand
	var err error
	if p.url != "" {
		if r, err = postgres.OpenReader(ctx, p.url); err == nil {
			h, err = postgresHand(ctx, p.url)
		}
	} else {
		if r, err = sqlite.OpenReader(ctx, p.dir); err == nil {
			h, err = sqliteHand(filepath.Join(p.dir, "weft.db"))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
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
	checking.user = nobody
	gate := auth.New(cache.New(readOnly{r}, rememberAtMost), auth.Rules{})
	return &view{
		place: p, system: gate.As(auth.System), user: gate.As(auth.Caller{User: nobody}), hand: h, checking: &checking,
		close: func() error { return errors.Join(r.Close(), h.end()) },
	}, nil
}

// A reader is a store that another process writes to, with all that stores offer besides.
type reader interface {
	graph.Reader
	graph.Selector
	graph.Sizer
	CountHidden(ctx context.Context, typ, viewer graph.ID) (int, error)
	Check(ctx context.Context) error
	Close() error
}

// readOnly is a store that is not written to.
type readOnly struct{ reader }

func (readOnly) Write(context.Context, graph.Batch) (graph.Receipt, error) {
	return graph.Receipt{}, errors.ErrUnsupported
}

func (readOnly) Reserve(context.Context, graph.ID, int) ([]graph.ID, error) {
	return nil, errors.ErrUnsupported
}
