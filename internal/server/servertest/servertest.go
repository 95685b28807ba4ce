// Package servertest starts a real server for a test.
package servertest

import (
	"context"
	"log/slog"
	"net"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A Server is a running server with its store and accounts.
type Server struct {
	URL      string // without a trailing slash
	Store    graph.Store
	Accounts *account.Accounts
}

// Start serves an empty graph in memory on a free port until the test ends. The functions in change modify the options,
// which permit anonymous writes by default.
func Start(t testing.TB, change ...func(*server.Options)) *Server {
	t.Helper()
	return Serve(t, memory.New(), change...)
}

// Serve is like Start, but serves the given store. The server has accounts if the store has a kv.Store.
func Serve(t testing.TB, store graph.Store, change ...func(*server.Options)) *Server {
	t.Helper()
	options := server.Options{AnonymousWrites: true, Attempts: 1_000_000, Limits: server.Limits{RefusalBurst: 1_000_000}}
	if kv.In(store) != nil {
		accounts, err := account.New(t.Context(), store, account.Options{InsecureHashes: true, Attempts: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		options.Accounts = accounts
	}
	for _, f := range change {
		f(&options)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(store, options)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server did not stop cleanly: %v", err)
		}
	})
	return &Server{URL: "http://" + l.Addr().String(), Store: store, Accounts: options.Accounts}
}

// LogWarnings returns an argument for Serve that makes the server write its warnings and errors to the output of
// the test.
func LogWarnings(t testing.TB) func(*server.Options) {
	return func(o *server.Options) {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
}
