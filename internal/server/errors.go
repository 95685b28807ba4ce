package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/wire"
)

// statusOf maps each kind of error to its HTTP status. It is the only such table in the package.
var statusOf = map[graph.ErrorKind]int{
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

// An errorResponder writes error responses and logs the errors that are the server's fault.
type errorResponder struct{ log *slog.Logger }

// respond writes an error with the status of its kind. Errors of sign-up and sign-in have the statuses 401, 406 and
// 500, because clients of the contract treat every other status as a success without a result, and show no message
// for it.
func (e errorResponder) respond(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf[graph.KindOf(err)]
	switch r.URL.Path {
	case signInPath, signUpPath, namedSignUpPath:
		if status != http.StatusUnauthorized && status != http.StatusInternalServerError {
			status = http.StatusNotAcceptable
		}
	}
	e.respondStatus(w, r, status, err)
}

// respondStatus writes an error with a given status. The message of an internal error goes to the log only.
func (e errorResponder) respondStatus(w http.ResponseWriter, r *http.Request, status int, err error) {
	id := w.Header().Get(requestIDHeader)
	body := wire.Error{Message: messageOf(err), Kind: graph.KindOf(err), RequestID: id}
	if body.Refusals = schemas.RefusalsOf(err); body.Refusals != nil {
		first := body.Refusals[0]
		body.Record, body.Field, body.Rule = first.Record, first.Field, first.Rule
	}
	if body.Kind == graph.Internal {
		e.log.ErrorContext(r.Context(), "internal error", "request", id, "route", r.Pattern, "error", err)
		body.Message = "internal server error; the server log has the details under this request id"
	}
	if (body.Kind == graph.Unavailable || body.Kind == graph.TooMany) && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "1")
	}
	body.StatusText = body.Message
	text, err := appendJSON(nil, body)
	if err != nil {
		text = []byte(`{"kind":"internal"}`)
	}
	writeJSON(w, status, text)
}

// warnUnavailable logs the cause of an Unavailable error, which the response does not contain, and returns the error.
func (e errorResponder) warnUnavailable(req *request, err error) error {
	if cause := errors.Unwrap(err); cause != nil && graph.KindOf(err) == graph.Unavailable {
		e.log.WarnContext(req.Context(), "unavailable", "route", req.Pattern, "error", err)
	}
	return err
}

var jsonType = []string{"application/json; charset=utf-8"}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // the connection is closed, so the error cannot be reported
}

// messageOf returns the messages of the errors of type graph.Error in the chain, without causes from other
// packages.
func messageOf(err error) string {
	var e *graph.Error
	if !errors.As(err, &e) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return "the request took too long"
		}
		return "internal error"
	}
	if inner, ok := errors.AsType[*graph.Error](e.Cause); ok {
		return e.Message + ": " + messageOf(inner)
	}
	return e.Message
}
