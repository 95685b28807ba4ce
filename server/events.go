package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/weft-graph/weft/feed"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

const eventStream = "text/event-stream"

// readerPatience is how long a slow reader may hold up one event. Then it is dropped; when it comes
// back it names the last event it saw and is told what it missed, or that it missed too much.
const readerPatience = 10 * time.Second

// events streams changes as server-sent events.
func (s *Server) events(w http.ResponseWriter, q *request) error {
	after, err := q.after()
	if err != nil {
		return err
	}
	store, err := q.graph.Identity(q.Context())
	if err != nil {
		return err
	}
	stream := http.NewResponseController(w)
	if err := stream.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies would hold events back
	defer s.meters.stream()()
	for event, err := range s.feed.Follow(q.Context(), q.graph, after) {
		var text []byte
		if err == nil {
			text, err = eventText(event, store)
		}
		if err != nil {
			s.options.Log.ErrorContext(q.Context(), "stream of changes broke off", "error", err)
			return nil
		}
		if stream.SetWriteDeadline(time.Now().Add(readerPatience)) != nil {
			return nil
		}
		if _, err := w.Write(text); err != nil {
			return nil // the reader has gone or is too slow
		}
		if stream.Flush() != nil {
			return nil
		}
	}
	return nil
}

// after is where the stream starts: behind the last event the reader saw, or now.
func (q *request) after() (graph.Seq, error) {
	last := q.Header.Get("Last-Event-ID")
	if last == "" {
		last = q.URL.Query().Get("after")
	}
	if last == "" {
		return feed.Now, nil
	}
	seq, err := graph.ParseID(last)
	if err != nil || seq < 0 {
		return 0, graph.Errorf(graph.Invalid, "%q is not the id of an event", graph.Clip(last))
	}
	return graph.Seq(seq), nil
}

func eventText(e feed.Event, store string) ([]byte, error) {
	switch e.Kind {
	case feed.Ready:
		return named("ready", e.Seq, wire.Ready{Seq: e.Seq, Store: store})
	case feed.Reset:
		return named("reset", e.Seq, wire.Ready{Seq: e.Seq, Store: store})
	case feed.Change:
		return named("change", e.Seq, wire.Change{
			Seq:         e.Seq,
			Concepts:    list0(e.Change.Concepts),
			Connections: list0(e.Change.Connections),
			Types:       list0(e.Change.Types),
			Wide:        e.Change.Wide,
		})
	default:
		return []byte(": still here\n\n"), nil
	}
}

func named(name string, seq graph.Seq, data any) ([]byte, error) {
	text, err := json.Marshal(data)
	return fmt.Appendf(nil, "event: %s\nid: %d\ndata: %s\n\n", name, seq, text), err
}

// list0 is never null in JSON.
func list0(ids []graph.ID) []graph.ID {
	if ids == nil {
		return []graph.ID{}
	}
	return ids
}
