package server_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestRequestTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := servePipes(t, stuckStore{memory.New()})
		defer stop()
		client := l.client()
		defer client.CloseIdleConnections()
		began := time.Now()
		response, err := client.Post("http://x/api/getConcept?id=404404", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if took := time.Since(began); response.StatusCode != http.StatusServiceUnavailable || took != time.Minute {
			t.Errorf("response %s after %s", response.Status, took)
		}
	})
}

// A stuckStore blocks each read of concepts until the context ends.
type stuckStore struct{ graph.Store }

func (stuckStore) Concepts(ctx context.Context, _ []graph.ID) ([]graph.Concept, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// servePipes serves a store inside a synctest bubble, where time advances when all goroutines are blocked.
func servePipes(t *testing.T, store graph.Store, change ...func(*server.Options)) (l *pipes, stop func()) {
	var options server.Options
	for _, f := range change {
		f(&options)
	}
	l = &pipes{accept: make(chan net.Conn), closed: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- server.New(store, options).Serve(ctx, l) }() //nolint:contextcheck // the server runs until Serve ends
	return l, func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}
}

// pipes is a listener on in-process pipes.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial() net.Conn {
	near, far := net.Pipe()
	p.accept <- far
	return near
}

func (p *pipes) client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return p.dial(), nil },
	}}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }
