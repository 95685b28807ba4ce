package main

import (
	"context"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
)

// storeFlags say where the graph is kept; every command that opens one embeds them.
type storeFlags struct {
	Data  string `default:"weft-data" env:"WEFT_DATA" type:"path" help:"Directory of the graph. It is made when it is not there."`
	Store string `env:"WEFT_STORE" placeholder:"URL" help:"Where the graph is kept: memory: forgets it when the program ends. Left out, it is SQLite in the data directory."`
}

// open opens the store; the caller closes it.
func (f storeFlags) open(ctx context.Context) (graph.Store, error) {
	switch scheme, _, _ := strings.Cut(f.Store, ":"); scheme {
	case "memory":
		return memory.New(), nil
	case "":
		return sqlite.Open(ctx, f.Data)
	default:
		return nil, misusef("--store %q is not known; say memory: or leave it out for SQLite in --data", f.Store)
	}
}
