package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// An ErrorKind classifies errors for programs. The server maps each kind to one HTTP status.
type ErrorKind string

// The kinds of errors. An error that is not an Error is Internal.
const (
	Invalid      ErrorKind = "invalid"      // the request is malformed; a retry cannot succeed
	NotFound     ErrorKind = "notFound"     // the record does not exist, or the caller may not learn that it does
	Conflict     ErrorKind = "conflict"     // the request contradicts stored data
	Unauthorized ErrorKind = "unauthorized" // the caller is not signed in, or the token is invalid
	Forbidden    ErrorKind = "forbidden"    // the signed-in user lacks permission
	TooLarge     ErrorKind = "tooLarge"     // a size limit is exceeded
	TooMany      ErrorKind = "tooMany"      // a rate limit is exceeded; the response states how long to wait
	Unavailable  ErrorKind = "unavailable"  // temporary; the same request may succeed later
	Internal     ErrorKind = "internal"     // a fault of the server
)

// An Error has a kind for programs and a message for people. The cause is logged and is never sent to a client.
type Error struct {
	Kind    ErrorKind
	Message string
	Cause   error
}

func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

func (e *Error) Unwrap() error { return e.Cause }

// Errorf returns an Error with a formatted message. Messages start in lower case and have no full stop.
func Errorf(kind ErrorKind, format string, args ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an Error with a cause and a formatted message.
func Wrap(kind ErrorKind, cause error, format string, args ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// KindOf returns the kind of the outermost Error in the chain of err. It returns "" for nil, Unavailable for a
// cancelled or timed-out context, and Internal for any other error.
func KindOf(err error) ErrorKind {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Unavailable
	default:
		return Internal
	}
}

// Clip prepares text from a request for an error message: it keeps at most the first 80 bytes, appends … if it cuts
// off a rest, and replaces or drops bytes that are not UTF-8.
func Clip(text string) string {
	const maxBytes = 80
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[:maxBytes], "") + "…"
	}
	return strings.ToValidUTF8(text, "?")
}
