// Package servertest starts a real server for a test.
package servertest

import (
	"context"
	"net"
	"testing"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/store/memory"
)

// A Server is a running server, the store behind it, and who has an account there.
type Server struct {
	URL      string // without a slash at the end
	Store    graph.Store
	Accounts *account.Accounts
}

// Start serves an empty graph in memory on a free port until the test ends. Anonymous writes are allowed
// unless a change to the options says otherwise.
func Start(t testing.TB, change ...func(*server.Options)) *Server {
	t.Helper()
	return Serve(t, memory.New(), change...)
}

// Serve does what Start does for a store that the test made.
func Serve(t testing.TB, store graph.Store, change ...func(*server.Options)) *Server {
	t.Helper()
	options := server.Options{AnonymousWrites: true, Attempts: 1_000_000}
	if kv.In(store) != nil {
		accounts, err := account.New(t.Context(), store, account.Options{Guessable: true})
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
