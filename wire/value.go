package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
)

// An Int is a whole number that may also arrive as text or as null, which is 0.
type Int int64

// UnmarshalJSON reads 12, "12", "" and null.
func (n *Int) UnmarshalJSON(raw []byte) error {
	text := bytes.Trim(raw, `" `)
	if len(text) == 0 || string(text) == "null" {
		*n = 0
		return nil
	}
	i, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return mistyped[Int](raw)
	}
	*n = Int(i)
	return nil
}

// A Text is a string that may also arrive as a number or a boolean, as it is written, or as null, which is "".
type Text string

// UnmarshalJSON reads "a", 12, true and null.
func (t *Text) UnmarshalJSON(raw []byte) error {
	switch c := raw[0]; {
	case c == '"':
		return json.Unmarshal(raw, (*string)(t))
	case c == 'n':
		*t = ""
		return nil
	case c == '-' || c >= '0' && c <= '9', c == 't', c == 'f':
		*t = Text(raw)
		return nil
	default:
		return mistyped[Text](raw)
	}
}

// A Bool is true or false, and may also arrive as 0, 1, text or null.
type Bool bool

// UnmarshalJSON reads true, "true", 1, false, "false", 0, "" and null.
func (v *Bool) UnmarshalJSON(raw []byte) error {
	switch string(bytes.Trim(raw, `"`)) {
	case "true", "1":
		*v = true
	case "false", "0", "", "null":
		*v = false
	default:
		return mistyped[Bool](raw)
	}
	return nil
}

// A Time is written as ISO 8601 with milliseconds. Reading takes ISO 8601 and lets every other style
// pass as the zero time: some clients send local times that name no zone.
type Time time.Time

// Time is the moment in UTC, to the millisecond.
func (t Time) Time() time.Time {
	if time.Time(t).IsZero() {
		return time.Time{}
	}
	return time.Time(t).UTC().Truncate(time.Millisecond)
}

// MarshalJSON writes "2025-01-02T03:04:05.678Z".
func (t Time) MarshalJSON() ([]byte, error) { return appendTime(nil, time.Time(t)), nil }

// UnmarshalJSON never fails.
func (t *Time) UnmarshalJSON(raw []byte) error {
	parsed, err := time.Parse(time.RFC3339, string(bytes.Trim(raw, `"`)))
	if err != nil {
		parsed = time.Time{}
	}
	*t = Time(parsed)
	return nil
}

// mistyped is an error to which encoding/json adds where it happened.
func mistyped[T any](raw []byte) error {
	return &json.UnmarshalTypeError{Value: kindOf(raw), Type: reflect.TypeFor[T]()}
}

func kindOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string " + graph.Clip(string(raw))
	case 't', 'f':
		return "bool"
	default:
		return "number " + graph.Clip(string(raw))
	}
}
