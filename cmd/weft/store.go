package main

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/host"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// storeFlags select the store. Every command that opens a store embeds them.
type storeFlags struct {
	Data  string `default:"weft-data" env:"WEFT_DATA" type:"path" help:"Directory of the graph.${made}"`
	Store string `env:"WEFT_STORE" placeholder:"URL" help:"Where the graph is stored: postgres://user:password@host/database, or memory for a store that is discarded at exit. The default is SQLite in the data directory."`
}

// open opens the store for writing; the caller closes it. It refuses the destination of an unfinished copy.
func (f storeFlags) open(ctx context.Context) (graph.Store, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return host.OpenStore(ctx, f.place())
}

// openAny is like open but accepts an unfinished copy.
func (f storeFlags) openAny(ctx context.Context) (graph.Store, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return host.OpenUnfinishedStore(ctx, f.place())
}

// openReader opens the store for reading, which is possible while another process writes to it.
func (f storeFlags) openReader(ctx context.Context) (reader, error) {
	switch f.scheme() {
	case "postgres:", "postgresql:":
		return postgres.OpenReader(ctx, f.Store)
	case "memory:":
		return memory.New(), nil
	case "":
		return sqlite.OpenReader(ctx, f.Data)
	default:
		return nil, f.unknownStoreError()
	}
}

func (f storeFlags) place() host.Place { return host.Place{Data: f.Data, URL: f.Store} }

// scheme returns the scheme of the store's URL; see host.Place.
func (f storeFlags) scheme() string { return f.place().Scheme() }

// isMemory reports whether the store is in memory.
func (f storeFlags) isMemory() bool { return f.place().IsMemory() }

func (f storeFlags) check() error {
	switch f.scheme() {
	case "postgres:", "postgresql:", "memory:", "":
		return nil
	default:
		return f.unknownStoreError()
	}
}

func (f storeFlags) unknownStoreError() error {
	return usageErrorf("unknown --store %q; want postgres://… or memory, or leave it out for SQLite in --data", graph.Clip(f.scheme()))
}
