package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestLimits(t *testing.T) {
	type result struct {
		status        int
		hasRetryAfter bool
	}
	post := func(t *testing.T, url, path string, body io.Reader) result {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return result{response.StatusCode, response.Header.Get("Retry-After") != ""}
	}
	// startRequest starts a request and returns once the server waits for its body. finish sends the rest of the body
	// and returns the status.
	startRequest := func(t *testing.T, url, body string) (finish func() int) {
		t.Helper()
		bodyRequested, status := make(chan struct{}), make(chan int, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(cancel)
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: func() { close(bodyRequested) }})
		pipeReader, pipeWriter := io.Pipe()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, pipeReader)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = int64(len(body))
		r.Header.Set("Expect", "100-continue")
		transport := &http.Transport{ExpectContinueTimeout: time.Minute}
		go func() {
			response, err := transport.RoundTrip(r)
			if err != nil {
				status <- 0
				return
			}
			_ = response.Body.Close()
			transport.CloseIdleConnections()
			status <- response.StatusCode
		}()
		select {
		case <-bodyRequested:
		case got := <-status:
			t.Fatalf("status %d before the body was sent; want the server to wait for the body", got)
		}
		return func() int {
			_, _ = io.WriteString(pipeWriter, body)
			_ = pipeWriter.Close()
			return <-status
		}
	}
	refused := result{http.StatusServiceUnavailable, true}
	long := "[1" + strings.Repeat(" ", 2<<20) + "]"
	t.Run("long bodies share a limit on memory, which is released", func(t *testing.T) {
		registry := prometheus.NewRegistry()
		s := servertest.Start(t, func(o *server.Options) { o.Limits.Bodies, o.Metrics = 3<<20, registry })
		const path = "/api/get_concept_bulk"
		first := announce(t, s.URL, 3<<20-1, strings.Repeat(" ", 3<<20-2)) // the buffer has its final size: nothing more can be refused
		waitForMemory(t, registry, func(bytes float64) bool { return bytes >= 3<<20-16<<10 })
		if second := post(t, s.URL, path, strings.NewReader(long)); second != refused {
			t.Errorf("the response to a second long body = %v; want %v", second, refused)
		}
		if short := post(t, s.URL, path, strings.NewReader("[1]")); short.status != http.StatusOK {
			t.Errorf("the response to a short body = %v; want status 200", short)
		}
		first.Close()
		waitForMemory(t, registry, func(bytes float64) bool { return bytes == 0 })
		if third := post(t, s.URL, path, strings.NewReader(long)); third.status != http.StatusOK {
			t.Errorf("the response to a long body after the release = %v; want status 200", third)
		}
	})
	t.Run("limits concurrent requests", func(t *testing.T) {
		store := pausedStore{memory.New(), make(chan struct{}), make(chan struct{})}
		s := servertest.Serve(t, store, func(o *server.Options) { o.Limits.Requests = 1 })
		first := make(chan result)
		go func() { first <- post(t, s.URL, "/api/getConcept?id=404404", nil) }()
		<-store.reading
		if got := post(t, s.URL, "/api/getConcept?id=1", nil); got != refused {
			t.Errorf("the response to a second request = %v; want %v", got, refused)
		}
		close(store.released)
		if got := <-first; got.status != http.StatusOK {
			t.Errorf("the response to the first request = %v; want status 200", got)
		}
	})
	t.Run("an unfinished request body does not block other requests", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) { o.Limits.Requests = 1 })
		finish := startRequest(t, s.URL+"/api/get_concept_bulk", "[1]")
		if got := post(t, s.URL, "/api/getConcept?id=1", nil); got.status != http.StatusOK {
			t.Errorf("the response to a second request during the first = %v; want status 200", got)
		}
		if got := finish(); got != http.StatusOK {
			t.Errorf("the unfinished request: status %d; want 200", got)
		}
	})
	t.Run("limits the rate of one address", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) { o.Limits.PerSecond, o.Limits.Burst = 0.001, 3 })
		for i, want := range []int{200, 200, 200, 429, 429} {
			got := post(t, s.URL, "/api/getConcept?id=1", nil)
			if got.status != want || (want == 429) != got.hasRetryAfter {
				t.Errorf("request %d: %v; want %d", i+1, got, want)
			}
		}
	})
}

// A pausedStore signals a read of the concept 404404 and blocks it until released is closed. A test reads this concept once.
type pausedStore struct {
	graph.Store
	reading, released chan struct{}
}

func (p pausedStore) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if slices.Contains(ids, 404404) {
		close(p.reading)
		<-p.released
	}
	return p.Store.Concepts(ctx, ids)
}

// waitForMemory waits until the memory that requests hold satisfies a condition.
func waitForMemory(t *testing.T, registry *prometheus.Registry, isReached func(bytes float64) bool) {
	t.Helper()
	for began := time.Now(); !isReached(metricValue(t, registry, "weft_request_memory_bytes")); runtime.Gosched() {
		if time.Since(began) > time.Minute {
			t.Fatalf("requests hold %v bytes", metricValue(t, registry, "weft_request_memory_bytes"))
		}
	}
}

// metricValue returns the value of a metric without labels.
func metricValue(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

func TestManyRefusalsOfOneNetworkAreDelayed(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.AnonymousWrites, o.Limits.RefusalBurst = false, 10 })
	const burst, rate, further = 10, 20, 20
	started := time.Now()
	for i := range burst + further {
		body := strings.NewReader("[" + strings.Repeat(" ", 128<<10) + "]")                  // a guest's long body is refused before it is read
		response, err := http.Post(s.URL+"/api/v1/local-concepts", "application/json", body) //nolint:noctx // ends with the server
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusUnauthorized {
			t.Fatalf("status of request %d = %d, want %d", i, response.StatusCode, http.StatusUnauthorized)
		}
	}
	if took, min := time.Since(started), further*time.Second/rate; took < min {
		t.Errorf("%d refusals took %v, want at least %v", burst+further, took, min)
	}
}
