package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A crowd sends many requests from one address. The requests stay open until the crowd leaves.
type crowd struct {
	refused atomic.Int64
	leave   func()
}

// gather sends n requests, which the function make creates, and counts the responses with status 503.
func gather(t *testing.T, n int, make func(context.Context) (*http.Request, error)) *crowd {
	t.Helper()
	c := &crowd{}
	ctx, cancel := context.WithCancel(t.Context())
	transport := &http.Transport{}
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			r, err := make(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("X-Forwarded-For", "198.51.100.1")
			response, err := transport.RoundTrip(r)
			if err != nil {
				return
			}
			if response.StatusCode == http.StatusServiceUnavailable {
				c.refused.Add(1)
			}
			_ = response.Body.Close()
		})
	}
	c.leave = func() {
		cancel()
		wait.Wait()
		transport.CloseIdleConnections()
	}
	return c
}

// until yields until a condition is met, and fails the test after a minute.
func until(t *testing.T, what string, isMet func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !isMet(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute: %s", what)
		}
	}
}

func behindProxy(o *server.Options) {
	o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

func TestOneAddressCannotOccupyAllRequestsThatWaitForConcepts(t *testing.T) {
	o := server.Options{AnonymousWrites: true}
	behindProxy(&o)
	handler := server.New(memory.New(), o)
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		handler.Close()
		s.Close()
	})
	connect := func(ctx context.Context) (*http.Request, error) {
		const missing = `{"ofTheConceptId":777001,"toTheConceptId":777002,"typeId":16}`
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/create_the_connection", strings.NewReader(missing))
		if err == nil {
			r.Header.Set("Content-Type", asJSON)
		}
		return r, err
	}
	attackers := gather(t, 150, connect)
	defer attackers.leave()
	until(t, "the requests are neither waiting nor refused", func() bool {
		return handler.WaitingRequests()+attackers.refused.Load() >= 150
	})
	held := handler.WaitingRequests()
	t.Logf("one address holds %d of 100 places", held)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", "203.0.113.7")
	status := make(chan int, 1)
	go func() {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return
		}
		status <- response.StatusCode
		_ = response.Body.Close()
	}()
	until(t, "the request of another address neither waits nor is refused", func() bool {
		return handler.WaitingRequests() > held || len(status) > 0
	})
	if len(status) > 0 {
		t.Errorf("a request from another address: status %d; want a place", <-status)
	}
}

func TestOneAddressCannotOccupyAllUploads(t *testing.T) {
	s := serveWithUploads(t, memory.New(), behindProxy, func(o *server.Options) { o.Limits.Requests = 160 })
	attackers := gather(t, 60, func(ctx context.Context) (*http.Request, error) {
		body, writer := io.Pipe()
		go func() {
			_, _ = io.WriteString(writer, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nHello")
			<-ctx.Done()
			_ = writer.Close()
		}()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/Image/UploadFile", body)
		if err == nil {
			r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		}
		return r, err
	})
	defer attackers.leave()
	until(t, "fewer than 20 of 60 uploads were refused", func() bool { return attackers.refused.Load() >= 20 })
	const file = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nHello\r\n--b--\r\n"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/Image/UploadFile", strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	r.Header.Set("X-Forwarded-For", "203.0.113.7")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		t.Errorf("an upload from another address: %d %s", response.StatusCode, body)
	}
}

func TestOneAddressCannotUseTheWholeWeightOfQueries(t *testing.T) {
	store := pausedStore{memory.New(), make(chan struct{}), make(chan struct{})}
	s := servertest.Serve(t, store, behindProxy, func(o *server.Options) { o.Queries.Weight = 100 })
	query := func(address, body string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+queryPath, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0
		}
		r.Header.Set("Content-Type", asJSON)
		r.Header.Set("X-Forwarded-For", address)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	heavy := fmt.Sprintf(`{"conceptIds":[404404],"inpage":%d}`, 10_000)
	first := make(chan int)
	go func() { first <- query("198.51.100.1", heavy) }()
	<-store.reading
	if got := query("198.51.100.1", heavy); got != http.StatusServiceUnavailable {
		t.Errorf("a second heavy query of the same address: status %d; want 503", got)
	}
	if got := query("203.0.113.7", `{"conceptIds":[1],"inpage":4000}`); got != http.StatusOK {
		t.Errorf("a query of another address: status %d; want 200", got)
	}
	close(store.released)
	if got := <-first; got != http.StatusOK {
		t.Errorf("the first query: status %d; want 200", got)
	}
}
