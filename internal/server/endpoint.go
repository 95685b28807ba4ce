package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"sync"

	"github.com/weft-graph/weft/internal/longwork"
)

// A handler writes the response to a request. It returns an error only before it has written the first byte.
type handler func(http.ResponseWriter, *request) error

// An endpoint is a handler with the properties of its response that are known in advance.
type endpoint struct {
	run             handler
	response        reflect.Type // type of the JSON response; nil for another content type
	contentType     string       // content type of a response that is not JSON
	streams         bool         // the response lasts until one side closes it: no time limit, and not counted as a concurrent request
	readsBody       bool         // the handler reads the body as it arrives
	unsigned        unsignedRead // how the user of a request without identity is found
	writesGraph     bool         // the handler refuses callers who may not write to the graph, whatever the body
	takesTurn       bool         // the handler may read much, so it waits for the turn of its caller; see shares.Turns
	ignoresBadToken bool         // a caller with a refused token counts as a guest
	effect          effect       // effect of a custom route; "" means that routesByEffect lists the route
}

// jsonEndpoint returns an endpoint that encodes the result of f.
func jsonEndpoint[T any](f func(*request) (T, error)) endpoint {
	return endpoint{response: reflect.TypeFor[T](), run: func(w http.ResponseWriter, req *request) error {
		v, err := f(req)
		req.finishTurn() // a client that reads the response slowly must not keep the turn
		if err != nil {
			return err
		}
		out := responseBuffers.take()
		defer responseBuffers.release(out)
		if list, ok := any(v).(chunkAppender); ok {
			stream := jsonStream{w: w, ctx: req.Context(), work: longwork.Of(req.Context())}
			defer stream.work.Release()
			*out = list.AppendChunks((*out)[:0], stream.flush)
			stream.end(*out)
			return nil
		}
		if *out, err = appendJSON((*out)[:0], v); err != nil {
			return err
		}
		writeJSON(w, http.StatusOK, *out)
		return nil
	}}
}

// withBadTokens returns an endpoint like e that treats callers with a refused token as guests. If such a request
// failed, a client whose session has ended would consider the server unreachable.
func withBadTokens(e endpoint) endpoint {
	e.ignoresBadToken = true
	return e
}

// jsonEndpointAs returns a jsonEndpoint for a type that is encoded as W; the API reference shows W.
func jsonEndpointAs[W, T any](f func(*request) (T, error)) endpoint {
	e := jsonEndpoint(f)
	e.response = reflect.TypeFor[W]()
	return e
}

// A chunkAppender is a value whose JSON may be long. It appends its JSON to a buffer and regularly passes the buffer to
// flush, which may send the buffer and return an empty buffer.
type chunkAppender interface {
	AppendChunks(b []byte, flush func([]byte) []byte) []byte
}

// A jsonStream writes a JSON response in chunks, so that the response is never in memory as a whole. A response
// shorter than a chunk has a Content-Length.
type jsonStream struct {
	w       http.ResponseWriter
	ctx     context.Context //nolint:containedctx // context of the request; flush uses it, because its signature has no parameter for a context
	work    *longwork.Worker
	started bool
	failed  bool
}

// responseChunk is the size in bytes at which the buffered part of a response is sent.
const responseChunk = 64 << 10

// flush sends a buffer that has reached responseChunk.
func (s *jsonStream) flush(b []byte) []byte {
	if len(b) < responseChunk {
		return b
	}
	if !s.started {
		s.started = true
		s.w.Header()["Content-Type"] = jsonType
		s.w.WriteHeader(http.StatusOK)
	}
	if !s.failed { // after a failure the connection is closed, and the rest is dropped
		s.work.Release() // the client may be slow
		_, err := s.w.Write(b)
		s.failed = errors.Join(err, s.work.Pause(s.ctx, len(b))) != nil
	}
	if cap(b) > maxPooledBuffer {
		return nil // a long text has made the buffer grow
	}
	return b[:0]
}

// end sends the rest.
func (s *jsonStream) end(b []byte) {
	if !s.started {
		writeJSON(s.w, http.StatusOK, b)
		return
	}
	if !s.failed && len(b) > 0 {
		s.w.Write(b) //nolint:errcheck // the connection is closed, so the error cannot be reported
	}
}

// rawEndpoint returns an endpoint whose handler writes a content type other than JSON.
func rawEndpoint(contentType string, run handler) endpoint {
	return endpoint{run: run, contentType: contentType}
}

// writeEndpoint returns a jsonEndpoint for callers who may write to the graph.
func writeEndpoint[T any](f func(*request) (T, error)) endpoint {
	e := jsonEndpoint(f)
	e.writesGraph = true
	return e
}

// inTurn makes an endpoint with a JSON response wait for the turn of its caller.
func inTurn(e endpoint) endpoint {
	e.takesTurn = e.response != nil
	return e
}

// inTurns is inTurn for the endpoints of routes.
func inTurns(routes []route) []route {
	for i := range routes {
		routes[i].endpoint = inTurn(routes[i].endpoint)
	}
	return routes
}

// streamEndpoint returns an endpoint of server-sent events.
func streamEndpoint(run handler) endpoint {
	return endpoint{run: run, contentType: eventStream, streams: true}
}

// appendJSON appends the JSON of v. Types with long lists have an AppendJSON method, which avoids reflection.
func appendJSON(b []byte, v any) ([]byte, error) {
	if a, ok := v.(interface{ AppendJSON([]byte) []byte }); ok {
		return a.AppendJSON(b), nil
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), err
}

// Request bodies and responses have separate pools because their sizes differ.
var requestBuffers, responseBuffers = newBufferPool(), newBufferPool()

type bufferPool struct{ pool sync.Pool }

func newBufferPool() *bufferPool {
	return &bufferPool{sync.Pool{New: func() any { return new([]byte) }}}
}

func (p *bufferPool) take() *[]byte { return p.pool.Get().(*[]byte) }

// maxPooledBuffer is the capacity in bytes above which a buffer is not reused.
const maxPooledBuffer = 128 << 10

func (p *bufferPool) release(b *[]byte) {
	if cap(*b) <= maxPooledBuffer {
		p.pool.Put(b)
	}
}
