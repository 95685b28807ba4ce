package main

import (
	"context"
	"errors"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/postgres"
	"github.com/weft-graph/weft/store/raw"
	"github.com/weft-graph/weft/store/sqlite"
)

// storeFlags say where the graph is kept; every command that opens one embeds them.
type storeFlags struct {
	Data  string `default:"weft-data" env:"WEFT_DATA" type:"path" help:"Directory of the graph.${made}"`
	Store string `env:"WEFT_STORE" placeholder:"URL" help:"Where the graph is kept: postgres://user:password@host/database, or memory: to forget it when the program ends. Left out, it is SQLite in the data directory."`
}

// open opens the store; the caller closes it. A copy that was not finished is refused.
func (f storeFlags) open(ctx context.Context) (graph.Store, error) {
	store, err := f.openAny(ctx)
	if err != nil {
		return nil, err
	}
	if err := raw.Finished(ctx, store); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

func (f storeFlags) openAny(ctx context.Context) (graph.Store, error) {
	switch f.scheme() {
	case "postgres:", "postgresql:":
		return postgres.Open(ctx, f.Store)
	case "memory:":
		return memory.New(), nil
	case "":
		return sqlite.Open(ctx, f.Data)
	default:
		return nil, f.unknown()
	}
}

// openReader opens the store for reading, beside whoever writes to it.
func (f storeFlags) openReader(ctx context.Context) (reader, error) {
	switch f.scheme() {
	case "postgres:", "postgresql:":
		return postgres.OpenReader(ctx, f.Store)
	case "memory:":
		return memory.New(), nil
	case "":
		return sqlite.OpenReader(ctx, f.Data)
	default:
		return nil, f.unknown()
	}
}

// scheme is how the store's URL begins. What follows may hold a password and is never shown.
func (f storeFlags) scheme() string {
	if i := strings.IndexAny(f.Store, ":= "); i >= 0 {
		return f.Store[:i+1]
	}
	return f.Store
}

func (f storeFlags) unknown() error {
	return misusef("--store %q is not known; say postgres://… or memory:, or leave it out for SQLite in --data", graph.Clip(f.scheme()))
}
