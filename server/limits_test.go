package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
)

func TestLimits(t *testing.T) {
	type told struct {
		status int
		wait   bool // it says when to come again
	}
	ask := func(t *testing.T, url, path string, body io.Reader) told {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, body)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return told{answer.StatusCode, answer.Header.Get("Retry-After") != ""}
	}
	// begun starts a request and returns when the server wants its body, which end sends.
	begun := func(t *testing.T, url, body string) (end func() int) {
		t.Helper()
		wanted, answered := make(chan struct{}), make(chan int, 1)
		ctx, late := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(late)
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{Got100Continue: func() { close(wanted) }})
		in, out := io.Pipe()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, in)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = int64(len(body))
		r.Header.Set("Expect", "100-continue")
		patient := &http.Transport{ExpectContinueTimeout: time.Minute}
		go func() {
			answer, err := patient.RoundTrip(r)
			if err != nil {
				answered <- 0
				return
			}
			_ = answer.Body.Close()
			patient.CloseIdleConnections()
			answered <- answer.StatusCode
		}()
		select {
		case <-wanted:
		case got := <-answered:
			t.Fatalf("answered %d before the body was sent", got)
		}
		return func() int {
			_, _ = io.WriteString(out, body)
			_ = out.Close()
			return <-answered
		}
	}
	busy := told{http.StatusServiceUnavailable, true}
	long := "[1" + strings.Repeat(" ", 2<<20) + "]"
	t.Run("long bodies share their memory, and it comes back", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) { o.Limits.Bodies = 3 << 20 })
		const path = "/api/get_concept_bulk"
		end := begun(t, s.URL+path, long)
		if got := ask(t, s.URL, path, strings.NewReader(long)); got != busy {
			t.Errorf("a second long body: %v", got)
		}
		if short := ask(t, s.URL, path, strings.NewReader("[1]")); short.status != http.StatusOK {
			t.Errorf("a short body: %v", short)
		}
		if got := end(); got != http.StatusOK {
			t.Errorf("the first: %d", got)
		}
		if again := ask(t, s.URL, path, strings.NewReader(long)); again.status != http.StatusOK {
			t.Errorf("afterwards: %v", again)
		}
	})
	t.Run("so many requests at once", func(t *testing.T) {
		store := paused{memory.New(), make(chan struct{}), make(chan struct{})}
		s := servertest.Serve(t, store, func(o *server.Options) { o.Limits.Requests = 1 })
		first := make(chan told)
		go func() { first <- ask(t, s.URL, "/api/getConcept?id=404404", nil) }()
		<-store.asked
		if got := ask(t, s.URL, "/api/getConcept?id=1", nil); got != busy {
			t.Errorf("a second: %v", got)
		}
		close(store.answer)
		if got := <-first; got.status != http.StatusOK {
			t.Errorf("the first: %v", got)
		}
	})
	t.Run("what is still on its way is in nobody's way", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) { o.Limits.Requests = 1 })
		end := begun(t, s.URL+"/api/get_concept_bulk", "[1]")
		if got := ask(t, s.URL, "/api/getConcept?id=1", nil); got.status != http.StatusOK {
			t.Errorf("beside it: %v", got)
		}
		if got := end(); got != http.StatusOK {
			t.Errorf("it: %d", got)
		}
	})
	t.Run("so many from one address", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) { o.Limits.PerSecond, o.Limits.Burst = 0.001, 3 })
		for i, want := range []int{200, 200, 200, 429, 429} {
			got := ask(t, s.URL, "/api/getConcept?id=1", nil)
			if got.status != want || (want == 429) != got.wait {
				t.Errorf("request %d: %v; want %d", i+1, got, want)
			}
		}
	})
}

// A paused store says when it is first asked for the concept 404404, and answers when it may.
type paused struct {
	graph.Store
	asked, answer chan struct{}
}

func (p paused) Concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	if slices.Contains(ids, 404404) {
		close(p.asked)
		<-p.answer
	}
	return p.Store.Concepts(ctx, ids)
}
