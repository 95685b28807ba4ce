package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/wire"
)

// An event is one server-sent event.
type event struct{ name, id, data string }

// listen opens the stream and returns a function for its next event, whose name is "" when the stream has ended.
func listen(t *testing.T, s *servertest.Server, query, last string) func() event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/events"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Last-Event-ID", last)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("the response has status %s and type %q; want 200 and text/event-stream", response.Status, got)
	}
	lines := bufio.NewScanner(response.Body)
	return func() (e event) {
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				e.data = value
			case "":
				return e
			}
		}
		return e
	}
}

func TestEvents(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	next := listen(t, s, "", "")
	identity, err := s.Store.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e := next(); e != (event{"ready", "0", `{"seq":0,"store":"` + identity + `"}`}) {
		t.Fatalf("first event %+v", e)
	}
	var sent synced
	c.postSync(plainBatch, &sent)

	checkChange := func(t *testing.T, e event) {
		t.Helper()
		var change wire.Change
		if err := json.Unmarshal([]byte(e.data), &change); err != nil {
			t.Fatal(err)
		}
		if e.name != "change" || e.id != "1" || change.Seq != 1 || change.Wide || len(change.Connections) != 2 {
			t.Errorf("got event %+v", e)
		}
		for _, want := range sent.Concepts {
			if !contains(change.Concepts, want.ID) || !contains(change.Types, want.TypeID) {
				t.Errorf("%+v does not contain concept %d of type %d", change, want.ID, want.TypeID)
			}
		}
	}
	t.Run("sends a change as it happens", func(t *testing.T) { checkChange(t, next()) })
	t.Run("sends missed changes to a reader that reconnects", func(t *testing.T) {
		next := listen(t, s, "", "0")
		next()
		checkChange(t, next())
		next = listen(t, s, "?after=0", "")
		next()
		checkChange(t, next())
	})
	t.Run("sends a removal", func(t *testing.T) {
		var removed struct{ Success bool }
		c.in(t).postJSON("/api/delete_connection_bulk", []wire.Int{sent.Connections[0].ID}, &removed)
		var change wire.Change
		if err := json.Unmarshal([]byte(next().data), &change); err != nil || !contains(change.Connections, sent.Connections[0].ID) {
			t.Errorf("got event %+v, %v", change, err)
		}
	})
	t.Run("sends no change that the reader may not see", func(t *testing.T) {
		_, err := s.Store.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 77}, Concepts: []graph.ConceptDraft{
			{TypeName: "the_name", Value: "private"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		var typ wire.Concept
		c.in(t).postForm("/api/make_the_type_concept", "type=the_next", &typ) // notifies the feed
		if e := next(); e.id != "4" {
			t.Errorf("got event %+v; want change 4, because 3 is private", e)
		}
	})
	t.Run("rejects a malformed event id", func(t *testing.T) {
		for _, last := range []string{"x", "-1", "1.5", "9999999999999999999"} {
			var e wire.Error
			if status := c.in(t).do(http.MethodGet, "/api/v1/events?after="+last, "", nil, &e); status != http.StatusBadRequest {
				t.Errorf("%s: %d %+v", last, status, e)
			}
		}
	})
	t.Run("resets a reader with an event id of another store", func(t *testing.T) {
		next := listen(t, s, "", "777")
		next()
		if e := next(); e.name != "reset" || e.id != "4" {
			t.Errorf("got event %+v", e)
		}
	})
}

func contains(ids []graph.ID, id wire.Int) bool { return slices.Contains(ids, graph.ID(id)) }

func TestStreamsEndWhenTheServerStops(t *testing.T) {
	var next func() event
	t.Run("until the server stops", func(inner *testing.T) {
		s := servertest.Start(inner)
		next = listen(t, s, "", "") // the test closes this connection after the server has stopped
		next()
	})
	if e := next(); e.name != "" {
		t.Errorf("got event %+v after the end", e)
	}
}

func TestStreamIsNotCompressed(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for _, want := range []string{"event: ready", "event: change"} {
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "event: ") {
			continue
		}
		if got := lines.Text(); got != want {
			t.Fatalf("got event %q, %v; want %q", got, lines.Err(), want)
		}
		c.postSync(plainBatch, &synced{})
	}
}

// The connection is a pipe, which has no buffer: if the reader does not read, the server blocks immediately.
func TestSlowReaderIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := servePipes(t, memory.New())
		defer stop()
		connection := l.dial()
		defer connection.Close()
		if _, err := io.WriteString(connection, "GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		stream := bufio.NewReader(connection)
		for line := ""; !strings.HasPrefix(line, "data: "); {
			var err error
			if line, err = stream.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(feed.HeartbeatInterval + 9*time.Second)
		if err := connection.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatalf("the connection is closed before the write timeout: %v", err)
		}
		time.Sleep(2 * time.Second) // exceeds the write timeout
		if rest, err := io.ReadAll(stream); strings.Contains(string(rest), "still here") || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the stream continues: %q, %v; want its end", rest, err)
		}
	})
}

func TestRequestInFlightFinishesWhenTheServerStops(t *testing.T) {
	statusLine := make(chan string, 1)
	served := t.Run("until the server stops", func(t *testing.T) {
		s := servertest.Start(t)
		connection, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		body := plainBatch
		head := "POST /api/v1/local-concepts HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + itoa(len(body)) + "\r\n\r\n"
		if _, err := connection.Write([]byte(head + body[:50])); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		go func() {
			defer connection.Close()
			time.Sleep(200 * time.Millisecond) // by now the server is shutting down
			_, _ = connection.Write([]byte(body[50:]))
			line, _ := bufio.NewReader(connection).ReadString('\n')
			statusLine <- strings.TrimSpace(line)
		}()
	})
	if !served {
		return // the server does not respond
	}
	if got := <-statusLine; got != "HTTP/1.1 200 OK" {
		t.Errorf("the status line = %q; want HTTP/1.1 200 OK", got)
	}
}

func itoa(n int) string { return graph.ID(n).String() }
