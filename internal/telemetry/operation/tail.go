package operation

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	maxTailLines = 2_000
	maxTextBytes = 500 // maximum length of a message and of the value of an attribute
	maxAttrs     = 20  // maximum number of attributes of a line
)

// A Line is a line of the server's log.
type Line struct {
	Number  int64             `json:"number"` // counts up from 1
	At      time.Time         `json:"at"`
	Level   string            `json:"level"` // DEBUG, INFO, WARN or ERROR
	Message string            `json:"message"`
	Attrs   map[string]string `json:"attrs"`
	level   slog.Level
}

// A Tail keeps the last lines of a log.
type Tail struct{ ring ring[Line] }

// NewTail returns an empty tail.
func NewTail() *Tail { return &Tail{ring[Line]{size: maxTailLines}} }

// A LineQuery selects lines. Zero fields select all.
type LineQuery struct {
	Before int64      // only lines with lower numbers
	Level  slog.Level // only lines of this level or above
	Text   string     // only lines whose message or attributes contain this text, in any case
	Limit  int        // 1 or more
}

// List returns the selected lines, newest first, and the value of Before for the next page, which is 0 after the last.
func (t *Tail) List(q LineQuery) (found []Line, next int64) {
	text := strings.ToLower(q.Text)
	return t.ring.list(q.Before, q.Limit, func(l Line) bool { return l.level >= q.Level && l.contains(text) })
}

func (l Line) contains(text string) bool {
	if strings.Contains(strings.ToLower(l.Message), text) {
		return true
	}
	for _, value := range l.Attrs {
		if strings.Contains(strings.ToLower(value), text) {
			return true
		}
	}
	return false
}

// Handler returns a handler that adds each record to the tail and passes it on.
func (t *Tail) Handler(next slog.Handler) slog.Handler { return &tailHandler{Handler: next, tail: t} }

type tailHandler struct {
	slog.Handler
	tail  *Tail
	attrs []slog.Attr
	group string // prefix of the names of further attributes
}

// Handle implements slog.Handler.
func (h *tailHandler) Handle(ctx context.Context, r slog.Record) error {
	line := Line{At: r.Time.UTC(), Level: r.Level.String(), Message: mask(r.Message), Attrs: map[string]string{}, level: r.Level}
	add := func(a slog.Attr) bool {
		line.Attrs[a.Key] = mask(a.Value.Resolve().String())
		return len(line.Attrs) < maxAttrs
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(func(a slog.Attr) bool { return add(slog.Attr{Key: h.group + a.Key, Value: a.Value}) })
	h.tail.ring.add(func(number int64) Line {
		line.Number = number
		return line
	})
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *tailHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := slices.Clone(h.attrs)
	for _, a := range attrs {
		with = append(with, slog.Attr{Key: h.group + a.Key, Value: a.Value})
	}
	return &tailHandler{h.Handler.WithAttrs(attrs), h.tail, with, h.group}
}

// WithGroup implements slog.Handler.
func (h *tailHandler) WithGroup(name string) slog.Handler {
	return &tailHandler{h.Handler.WithGroup(name), h.tail, h.attrs, h.group + name + "."}
}

// secrets matches tokens, keys and passwords. The log has none by design, but a message of a driver or a library might.
var secrets = regexp.MustCompile(`(?i)weft_[\w-]{20,}|bearer\s+\S+|((?:token|password|passwd|secret|apikey|api_key|signature)["']?\s*[=:]\s*)[^\s&"',]+|(://[^/\s:@]*:)[^@/\s]+@|eyJ[\w-]{10,}\.[\w-]+\.[\w-]+`)

// mask returns text without secrets, cut to maxTextBytes.
func mask(text string) string {
	return cut(secrets.ReplaceAllString(cut(text, 4*maxTextBytes), "$1$2********"), maxTextBytes)
}
