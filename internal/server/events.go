package server

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/wire"
)

const (
	eventsPath  = "/api/v1/events"
	eventStream = "text/event-stream"
)

// eventWriteTimeout is the maximum time to write one event. A slower reader is disconnected. When it reconnects, it
// sends the id of its last event and receives the events that it missed, or a reset event if there were too many.
const eventWriteTimeout = 10 * time.Second

// streamRetryAfter is the value of the header Retry-After, in seconds, when the caller has too many open streams.
const streamRetryAfter = "10"

// eventAPI serves the change streams: committed changes as server-sent events. Package feed supplies the changes, and
// streams.go limits the open streams. The browser side is web/client/src/live/remote/change-stream.ts.
//
//	ready              the stream is open; changes after this number follow
//	change             a committed change
//	compositionUpdate  a composition whose content changed
//	reset              the client missed too much and must refetch
//	dropped            the reader was too slow; the stream ends
//	expired            the caller's token or rights changed; the stream ends
//	a comment line     a heartbeat
type eventAPI struct {
	feed     *feed.Feed
	accounts *account.Accounts
	limit    *shares.Gate
	metrics  *metrics
	log      *slog.Logger
}

func (a *eventAPI) routes() []route {
	return []route{
		{
			"GET", eventsPath, noBody, streamEndpoint(a.stream),
			"Changes as they are committed, as server-sent events: all that the caller may see, or those of some concepts or types",
			fields("concepts text?", "types text?", "kinds text?", "after int?", "access_token text?"),
		},
	}
}

func (a *eventAPI) stream(w http.ResponseWriter, req *request) error {
	filter, err := newEventFilter(req)
	if err != nil {
		return err
	}
	after, err := startOfStream(req)
	if err != nil {
		return err
	}
	storeID, err := req.graph.Identity(req.Context())
	if err != nil {
		return err
	}
	release, err := a.limit.Enter(req.owner, 1)
	if err != nil {
		w.Header().Set("Retry-After", streamRetryAfter)
		return err
	}
	defer release()
	out, err := openEventWriter(w)
	if err != nil {
		return err
	}
	defer a.metrics.addStream()()
	for event, err := range a.feed.Follow(req.Context(), req.graph, after) {
		if err == nil && !a.isSameCaller(req) {
			// The data of an expired event has the members of a ready event.
			out.send(encodeEvent("expired", event.Seq, wire.Ready{Seq: event.Seq, Store: storeID}))
			return nil
		}
		var text []byte
		if err == nil {
			text, err = filter.encode(req, event, storeID)
		}
		if err != nil {
			a.log.ErrorContext(req.Context(), "change stream failed", "error", err)
			return nil
		}
		if !out.send(text) {
			return nil // the reader is disconnected or too slow
		}
	}
	return nil
}

// An eventWriter writes a response event by event.
type eventWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func openEventWriter(w http.ResponseWriter) (eventWriter, error) {
	control := http.NewResponseController(w)
	// The stream outlasts the server's deadline for reading a request.
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		return eventWriter{}, err
	}
	h := w.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // otherwise some proxies buffer events
	return eventWriter{w, control}, nil
}

// send writes the text of events, and reports whether it was written within eventWriteTimeout.
func (e eventWriter) send(text []byte) bool {
	if len(text) == 0 {
		return true
	}
	if e.control.SetWriteDeadline(time.Now().Add(eventWriteTimeout)) != nil {
		return false
	}
	_, err := e.Write(text)
	return err == nil && e.control.Flush() == nil
}

// authorization returns the credentials of a request. An EventSource cannot send headers, so the URL of a stream may
// contain the token; URLs are not logged.
func authorization(r *http.Request) string {
	header := r.Header.Get("Authorization")
	if header != "" || r.URL.Path != eventsPath {
		return header
	}
	return r.URL.Query().Get("access_token")
}

// isSameCaller reports whether the credentials that opened a stream still identify the same caller with the same
// rights.
func (a *eventAPI) isSameCaller(req *request) bool {
	if _, isInternal := internalCaller(req.Request); isInternal || req.isGuest() {
		return true
	}
	identity, err := a.accounts.Identify(req.Context(), authorization(req.Request))
	identity.Session = req.caller.Session // set by the dispatcher, not by the credentials
	return err == nil && reflect.DeepEqual(identity.Caller, req.caller)
}

// startOfStream returns the id of the last event that the reader received: from the header Last-Event-ID or, if it is
// missing, from the parameter after. If both are missing, it returns feed.Now. It returns an Invalid error for a
// malformed id.
func startOfStream(req *request) (graph.Seq, error) {
	last := req.Header.Get("Last-Event-ID")
	if last == "" {
		last = req.URL.Query().Get("after")
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

// encodeEvent returns the text of a server-sent event.
func encodeEvent(name string, seq graph.Seq, data any) []byte {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // the data consists of numbers and strings
	}
	return fmt.Appendf(nil, "event: %s\nid: %d\ndata: %s\n\n", name, seq, text)
}
