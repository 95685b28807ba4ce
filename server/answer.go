package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"time"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// A request is an HTTP request whose caller is known and whose body has arrived.
type request struct {
	*http.Request
	body   []byte
	caller auth.Caller
	graph  graph.Store // as the caller sees it
	answer http.Header
}

// A handler answers a request. An error comes before the first byte of the answer.
type handler func(http.ResponseWriter, *request) error

// An answerer is a handler and what is known of its answers beforehand.
type answerer struct {
	run     handler
	gives   reflect.Type // of the JSON; nil when it is something else
	kind    string       // content type of something else
	streams bool         // it goes on until one side ends it
	reads   bool         // it reads the body itself, as it arrives
}

// stream makes an answerer of a handler that goes on.
func stream(run handler) answerer { return answerer{run: run, kind: eventStream, streams: true} }

// writes makes an answerer of a handler that writes something else than JSON.
func writes(kind string, run handler) answerer { return answerer{run: run, kind: kind} }

// answer makes an answerer of a function that translates a question.
func answer[T any](f func(*request) (T, error)) answerer {
	return answerer{gives: reflect.TypeFor[T](), run: func(w http.ResponseWriter, q *request) error {
		v, err := f(q)
		if err != nil {
			return err
		}
		out := answers.take()
		defer answers.giveBack(out)
		if *out, err = appendJSON((*out)[:0], v); err != nil {
			return err
		}
		write(w, http.StatusOK, *out)
		return nil
	}}
}

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

// bodies hold what comes in, answers what goes out; the two differ in size.
var bodies, answers = newBuffers(), newBuffers()

type buffers struct{ pool sync.Pool }

func newBuffers() *buffers {
	return &buffers{sync.Pool{New: func() any { return new([]byte) }}}
}

func (p *buffers) take() *[]byte { return p.pool.Get().(*[]byte) }

func (p *buffers) giveBack(b *[]byte) {
	if cap(*b) <= keep {
		p.pool.Put(b)
	}
}

// keep is the largest buffer worth keeping for the next request.
const keep = 1 << 20

// answerTime is the longest an answer may take to make, from the moment the question is read.
const answerTime = time.Minute

func (s *Server) handle(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := bodies.take()
		defer bodies.giveBack(in)
		room := held{limits: s.limits}
		defer room.release()
		q, err := s.read(w, r, route, in, &room)
		if err == nil && !route.answer.streams && !route.answer.reads {
			ctx, cancel := context.WithTimeout(r.Context(), answerTime)
			defer cancel()
			q.Request = r.WithContext(ctx)
		}
		if err == nil {
			err = s.run(w, q, route.answer)
		}
		if err != nil {
			s.refuse(w, r, err)
		}
	})
}

// run answers a request whose body is here, or is for the answerer to read.
func (s *Server) run(w http.ResponseWriter, q *request, a answerer) error {
	if a.streams {
		return a.run(w, q)
	}
	taken := &s.limits.requests
	if a.reads {
		taken = &s.limits.arriving
	}
	if err := taken.begin(); err != nil {
		return err
	}
	defer taken.end()
	return a.run(w, q)
}

var jsonType = []string{"application/json; charset=utf-8"}

func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the reader has gone; there is nobody to tell
}

// status is the one table from kind to HTTP.
var status = map[graph.ErrorKind]int{
	graph.Invalid:      http.StatusBadRequest,
	graph.Unauthorized: http.StatusUnauthorized,
	graph.Forbidden:    http.StatusForbidden,
	graph.NotFound:     http.StatusNotFound,
	graph.Conflict:     http.StatusConflict,
	graph.TooLarge:     http.StatusRequestEntityTooLarge,
	graph.TooMany:      http.StatusTooManyRequests,
	graph.Unavailable:  http.StatusServiceUnavailable,
	graph.Internal:     http.StatusInternalServerError,
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	fail(w, r, status[graph.KindOf(err)], err, s.options.Log)
}

// fail tells the client what went wrong, and the log what is our fault.
func fail(w http.ResponseWriter, r *http.Request, status int, err error, log *slog.Logger) {
	id := w.Header().Get(requestID)
	body := wire.Error{Message: sentence(err), Kind: graph.KindOf(err), RequestID: id}
	if body.Kind == graph.Internal {
		log.ErrorContext(r.Context(), "internal error", "request", id, "route", r.Pattern, "error", err)
		body.Message = "something went wrong here; the log says more under this request id"
	}
	if (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "1")
	}
	body.StatusText = body.Message
	text, err := appendJSON(nil, body)
	if err != nil {
		text = []byte(`{"kind":"internal"}`)
	}
	write(w, status, text)
}

// sentence is what the person hears: the words of our own errors, without the causes behind them.
func sentence(err error) string {
	var e *graph.Error
	if !errors.As(err, &e) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return "the request took too long"
		}
		return "internal error"
	}
	if inner, ok := errors.AsType[*graph.Error](e.Cause); ok {
		return e.Message + ": " + sentence(inner)
	}
	return e.Message
}
