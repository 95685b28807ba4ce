package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
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
	asked, err := q.interests()
	if err != nil {
		return err
	}
	after, err := q.after()
	if err != nil {
		return err
	}
	store, err := q.graph.Identity(q.Context())
	if err != nil {
		return err
	}
	gone, err := s.streams.begin(s.reader(q))
	if err != nil {
		w.Header().Set("Retry-After", "10")
		return err
	}
	defer gone()
	out, err := openStream(w)
	if err != nil {
		return err
	}
	defer s.meters.stream()()
	for event, err := range s.feed.Follow(q.Context(), q.graph, after) {
		if err == nil && !s.stillSigned(q) {
			out.send(named("expired", event.Seq, wire.Ready{Seq: event.Seq, Store: store}))
			return nil
		}
		var text []byte
		if err == nil {
			text, err = asked.text(q, event, store)
		}
		if err != nil {
			s.options.Log.ErrorContext(q.Context(), "stream of changes broke off", "error", err)
			return nil
		}
		if !out.send(text) {
			return nil // the reader has gone or is too slow
		}
	}
	return nil
}

// A streamed answer is written event by event.
type streamed struct {
	http.ResponseWriter
	control *http.ResponseController
}

func openStream(w http.ResponseWriter) (streamed, error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		return streamed{}, err
	}
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies would hold events back
	return streamed{w, control}, nil
}

func (s streamed) send(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if s.control.SetWriteDeadline(time.Now().Add(readerPatience)) != nil {
		return false
	}
	_, err := s.Write(text)
	return err == nil && s.control.Flush() == nil
}

// authorization is what a request is signed with. An EventSource cannot send headers, so the address of this
// stream may hold the token; addresses are not logged.
func authorization(r *http.Request) string {
	header := r.Header.Get("Authorization")
	if header != "" || r.URL.Path != eventsPath {
		return header
	}
	return r.URL.Query().Get("access_token")
}

// stillSigned says whether who asked for a stream still is who they were, with the same rights.
func (s *Server) stillSigned(q *request) bool {
	if q.caller.User == graph.Anonymous {
		return true
	}
	who, err := s.options.Accounts.Identify(q.Context(), authorization(q.Request))
	who.Session = q.caller.Session
	return err == nil && reflect.DeepEqual(who.Caller, q.caller)
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

func named(name string, seq graph.Seq, data any) []byte {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // the messages of events are numbers and texts
	}
	return fmt.Appendf(nil, "event: %s\nid: %d\ndata: %s\n\n", name, seq, text)
}

// list0 is never null in JSON.
func list0(ids []graph.ID) []graph.ID {
	if ids == nil {
		return []graph.ID{}
	}
	return ids
}
