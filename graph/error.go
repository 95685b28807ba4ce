package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// An ErrorKind is for programs, and there are few.
type ErrorKind string

// The kinds. Anything that is not one of ours is Internal.
const (
	Invalid      ErrorKind = "invalid"      // what was sent makes no sense; sending it again will not help
	NotFound     ErrorKind = "notFound"     // it does not exist, or the caller may not know that it does
	Conflict     ErrorKind = "conflict"     // it contradicts what is already stored
	Unauthorized ErrorKind = "unauthorized" // nobody is signed in, or the token is not good
	Forbidden    ErrorKind = "forbidden"    // somebody is signed in, and may not
	TooLarge     ErrorKind = "tooLarge"     // more than a limit allows
	TooMany      ErrorKind = "tooMany"      // too often in a short time; the answer says how long to wait
	Unavailable  ErrorKind = "unavailable"  // not now; the same request may succeed later
	Internal     ErrorKind = "internal"     // our fault
)

// An Error has a kind for programs and a sentence for people that says what was seen. Its cause is for
// the log and never crosses the network.
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

// Errorf makes an error of a kind. The sentence starts lower case and has no full stop.
func Errorf(kind ErrorKind, format string, args ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an error of a kind that keeps its cause.
func Wrap(kind ErrorKind, cause error, format string, args ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// KindOf is the kind of the outermost Error in the chain, "" for nil, Unavailable for a cancelled or
// timed-out context, and Internal for anything else.
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

// Clip shortens what a stranger sent so that a sentence that quotes it stays readable.
func Clip(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.ToValidUTF8(text, "?")
}
