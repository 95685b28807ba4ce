package weft

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/server"
)

// A localTransport sends the requests of one caller to the server in this process.
type localTransport struct {
	server   *server.Server
	caller   access.Caller
	stopping context.Context //nolint:containedctx // ends when the app is closed
}

// RoundTrip implements http.RoundTripper. The server writes the body of the response while the client reads it.
func (t *localTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.stopping.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(server.AsCaller(r.Context(), t.caller))
	stop := context.AfterFunc(t.stopping, cancel) //nolint:contextcheck // closing the app ends its requests
	request := r.Clone(ctx)
	request.RemoteAddr = "127.0.0.1:1"
	if request.Body == nil {
		request.Body = http.NoBody
	}
	reader, writer := io.Pipe()
	w := &localWriter{header: http.Header{}, body: writer, started: make(chan struct{})}
	go func() {
		defer stop()
		defer cancel()
		err := t.serve(w, request)
		_ = request.Body.Close()
		_ = writer.CloseWithError(err) // nil is the end of the body
		w.WriteHeader(http.StatusOK)
	}()
	select {
	case <-w.started:
	case <-ctx.Done():
		_ = reader.CloseWithError(ctx.Err())
		return nil, ctx.Err()
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: &localBody{PipeReader: reader, cancel: cancel}, ContentLength: -1, Request: r,
	}, nil
}

// serve handles a request. A handler panics if it cannot complete a response that it has begun. serve then returns an error, so that
// the client does not mistake the response for a complete one. Over a connection, the connection would be closed.
func (t *localTransport) serve(w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the response was not completed: %v", cause)
		}
	}()
	t.server.ServeHTTP(w, r)
	return nil
}

// A localBody is the body of a response. Closing it ends the request.
type localBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *localBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}

// A localWriter is an http.ResponseWriter that writes to a pipe.
type localWriter struct {
	header  http.Header
	body    *io.PipeWriter
	once    sync.Once
	started chan struct{} // closed when status and sent are set
	status  int
	sent    http.Header
}

// Header implements http.ResponseWriter.
func (w *localWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *localWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.started)
	})
}

// Write implements http.ResponseWriter.
func (w *localWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// Flush implements http.Flusher: writes are not buffered.
func (w *localWriter) Flush() { w.WriteHeader(http.StatusOK) }

// SetReadDeadline is used by http.ResponseController. The body of a request is in memory.
func (w *localWriter) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is used by http.ResponseController. The reader is in this process.
func (w *localWriter) SetWriteDeadline(time.Time) error { return nil }
