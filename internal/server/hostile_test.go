package server_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A language model sends a response that does not end, or a gigabyte of zeros. The server must use no more memory
// than for a response of 64 KiB, because it stops reading and closes the connection.
func TestEndlessResponsesOfTheModelAreCut(t *testing.T) {
	for name, respond := range map[string]func(io.Writer, http.Header) error{
		"endless text": func(w io.Writer, _ http.Header) error { return writeForever(w) },
		"a gzip bomb": func(w io.Writer, h http.Header) error {
			h.Set("Content-Encoding", "gzip")
			return writeForever(gzip.NewWriter(w))
		},
		"endless nesting": func(w io.Writer, _ http.Header) error {
			for {
				if _, err := io.WriteString(w, strings.Repeat(`{"query":`, 1000)); err != nil {
					return err
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			cut := make(chan error, 1)
			model := serveFunc(t, func(w http.ResponseWriter, _ *http.Request) { cut <- respond(w, w.Header()) })
			if status, responseBody := askModel(t, model, "which words?"); status != http.StatusServiceUnavailable {
				t.Errorf("status %d %.300s; want 503", status, responseBody)
			}
			if err := <-cut; err == nil {
				t.Error("the server read the whole response")
			}
		})
	}
}

func writeForever(w io.Writer) error {
	zeros := make([]byte, 1<<20)
	for {
		if _, err := w.Write(zeros); err != nil {
			return err
		}
	}
}

// A model does not respond. A call to it must end when the client leaves, and questions beyond the share of one
// caller must be refused immediately, not queued.
func TestCallsOfASilentModelEndWhenTheClientsLeave(t *testing.T) {
	const share = 3 // of the 4 concurrent calls, for a caller without competition
	arrived, abandoned := make(chan struct{}, 2*share), make(chan struct{}, 2*share)
	model := serveFunc(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the connection is watched once the body is read
		arrived <- struct{}{}
		<-r.Context().Done()
		abandoned <- struct{}{}
	})
	asker, err := server.NewAsker(model, "")
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Start(t, func(o *server.Options) { o.Asker = asker })
	// ask sends share questions. If the server refuses a question because it has not yet noticed that an earlier
	// client left, ask repeats the question.
	ask := func() (leave func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		for range share {
			clients.Go(func() {
				for ctx.Err() == nil {
					r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/ask", strings.NewReader(`{"question":"who?"}`))
					if err != nil {
						t.Error(err)
						return
					}
					if response, err := http.DefaultClient.Do(r); err == nil {
						_ = response.Body.Close()
					}
				}
			})
		}
		for range share {
			receiveSoon(t, arrived, "a question at the model")
		}
		return func() { cancel(); clients.Wait() }
	}
	leave := ask()
	if status, responseBody := postQuestion(t, s.URL, `{"question":"who?"}`); status != http.StatusServiceUnavailable {
		t.Errorf("a question beyond the share got status %d %s; want 503", status, responseBody)
	}
	leave()
	for range share {
		receiveSoon(t, abandoned, "the end of a question at the model")
	}
	ask()() // the calls of the clients that left are available again
}

func receiveSoon(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatal("waited a minute for " + what)
	}
}

// Every route that takes ids, in the path, in fields or in JSON, must refuse or not find ids at the limits of 64 bits
// and of JavaScript.
func TestIDsAtTheLimitsOfIntegers(t *testing.T) {
	race.Skip(t, "one request at a time, to routes that TestNoRouteFailsOnBadInput requests, too")
	store := memory.New()
	s, _ := serveWithMail(t, store, 1_000_000)
	headers := http.Header{"Authorization": {"Bearer " + servertest.SignUp(t, s.URL, "ann@example.org")}}
	for _, id := range []string{
		"-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808", "18446744073709551615", "-9007199254740992",
		"9007199254740991", "9007199254740992", "-9007199254740991", "-0", "+1", "1e3", "0x10", "00000000000000000001", "1_000", "٣",
	} {
		for _, route := range server.Routes() {
			if route.Path == "/api/auth/logout" {
				continue // the token is needed for all routes
			}
			route.Path = wildcard.ReplaceAllString(route.Path, id)
			form := strings.Join(append(route.Fields, ""), "="+id+"&")
			requests := map[string]badRequest{
				"fields": {asForm, form}, "list": {asJSON, "[" + id + "]"},
				"strings in a list": {asJSON, fmt.Sprintf("[%q]", id)}, "object": {asJSON, fmt.Sprintf(`{"id":%s,"removeConcepts":[%s],"removeConnections":[%[1]s]}`, id, id)},
			}
			if route.Body != nil {
				requests["members"] = badRequest{asJSON, uniformBody(route.Body, id, 0)}
			}
			for what, request := range requests {
				status, responseBody := send(t, route, s.URL, request, headers)
				if status == http.StatusInternalServerError {
					t.Errorf("%s %s with %s as %s: %s", route.Method, route.Path, id, what, responseBody)
				}
			}
		}
	}
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// The server must disconnect a client that never completes the header of its request, after at most ten seconds.
func TestIncompleteRequestsAreDisconnected(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the deadline of the header")
	}
	t.Parallel()
	s := servertest.Start(t)
	conn := dialServer(t, s.URL)
	fmt.Fprint(conn, "GET /api/health HTTP/1.1\r\nHost: weft\r\nX-A: ")
	started := time.Now()
	if err := conn.SetReadDeadline(started.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	_, err := io.ReadAll(conn)
	if took := time.Since(started); err != nil || took > 30*time.Second {
		t.Errorf("the connection was open for %s: %v; want at most 30 s", took, err)
	}
}

func dialServer(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
