package client

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// An Event is a change to the store that the caller may see, or a gap in the changes.
type Event struct {
	// Missed means that the server no longer has some of the changes up to Seq: the caller must read its data again.
	// Change is then empty.
	Missed bool
	Seq    graph.Seq
	Change wire.Change
}

const (
	// maxStreamSilence is the time without data after which a stream counts as lost. The server sends a heartbeat every 15 seconds.
	maxStreamSilence = 45 * time.Second
	// reconnectDelay is the delay before the first attempt to connect again. It doubles up to maxReconnectDelay.
	reconnectDelay    = 250 * time.Millisecond
	maxReconnectDelay = 30 * time.Second
	maxEventBytes     = 16 << 20
)

// Follow returns the changes after a number as they are committed; LastSeq returns the number of the newest change. If types are
// given, it returns only changes that concern records of these types. If the connection is lost, Follow connects again with
// increasing delays, and continues after the last event. It ends when ctx ends, and after the first error other than Unavailable and
// TooMany, such as Unauthorized.
func (c *Client) Follow(ctx context.Context, after graph.Seq, types ...string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		delay := reconnectDelay
		for ctx.Err() == nil {
			var stopped bool
			err := c.stream(ctx, after, types, func(e Event) bool {
				after, delay = e.Seq, reconnectDelay
				stopped = !yield(e, nil)
				return !stopped
			})
			if stopped || ctx.Err() != nil {
				return
			}
			if kind := graph.KindOf(err); err != nil && kind != graph.Unavailable && kind != graph.TooMany {
				yield(Event{}, err)
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(delay/2 + rand.N(delay/2)):
			}
			delay = min(2*delay, maxReconnectDelay)
		}
	}
}

// stream opens a stream and passes its events to visit until visit returns false or the stream ends. It returns an error only if the
// stream cannot be opened; a stream that ends or breaks off later returns nil.
func (c *Client) stream(ctx context.Context, after graph.Seq, types []string, visit func(Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	values := url.Values{"after": {strconv.FormatInt(int64(after), 10)}}
	if len(types) > 0 {
		values.Set("types", strings.Join(types, ","))
	}
	response, err := c.openStream(ctx, "/api/v1/events?"+values.Encode())
	if err != nil {
		return err
	}
	defer response.Body.Close()
	watchdog := time.AfterFunc(maxStreamSilence, cancel)
	defer watchdog.Stop()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxEventBytes)
	var e streamEvent
	for lines.Scan() {
		watchdog.Reset(maxStreamSilence)
		if lines.Text() != "" {
			e.add(lines.Text())
			continue
		}
		if event, ok := e.event(); ok && !visit(event) {
			return nil
		}
		if e.kind == "expired" || e.kind == "dropped" {
			return nil
		}
		e = streamEvent{}
	}
	return nil
}

// openStream opens a stream. If the server refuses the access token, openStream renews it and tries once more.
func (c *Client) openStream(ctx context.Context, path string) (*http.Response, error) {
	open := func() (*http.Response, error) {
		message, err := c.newRequest(ctx, request{method: http.MethodGet, path: path}, c.token(ctx))
		if err != nil {
			return nil, err
		}
		response, err := (&http.Client{Transport: c.HTTP.Transport}).Do(message) // without the time limit of c.HTTP
		if err != nil {
			return nil, graph.Wrap(graph.Unavailable, err, "%s does not respond", c.url)
		}
		if response.StatusCode != http.StatusOK {
			defer response.Body.Close()
			return nil, c.decode(path, response, nil)
		}
		return response, nil
	}
	before := c.Tokens()
	response, err := open()
	if graph.KindOf(err) == graph.Unauthorized && before.Refresh != "" && c.renew(ctx, before) == nil {
		return open()
	}
	return response, err
}

// A streamEvent collects the lines of a server-sent event.
type streamEvent struct{ kind, id, data string }

// add adds a line of the form "name: value".
func (e *streamEvent) add(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		e.kind = value
	case "id":
		e.id = value
	case "data":
		e.data += value
	}
}

// event converts the collected lines to an Event. It returns false for lines of another kind, such as a heartbeat, and for
// lines that cannot be decoded.
func (e *streamEvent) event() (Event, bool) {
	seq, err := strconv.ParseInt(e.id, 10, 64)
	if err != nil {
		return Event{}, false
	}
	event := Event{Seq: graph.Seq(seq), Missed: e.kind == "reset"}
	if e.kind == "change" {
		err = json.Unmarshal([]byte(e.data), &event.Change)
	}
	return event, err == nil && (event.Missed || e.kind == "change")
}
