package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
)

// An Int is a whole number that also decodes from text, and from null as 0.
type Int int64

// UnmarshalJSON accepts 12, "12", "" and null.
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

// A Coordinate is a number that also decodes from text, as older clients send it, and from null as 0.
type Coordinate float64

// UnmarshalJSON accepts 12.5, "12.5", "" and null.
func (n *Coordinate) UnmarshalJSON(raw []byte) error {
	text := bytes.Trim(raw, `" `)
	if len(text) == 0 || string(text) == "null" {
		*n = 0
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return mistyped[Coordinate](raw)
	}
	*n = Coordinate(f)
	return nil
}

// A Text is a string that also decodes from a number or boolean as written, and from null as "".
type Text string

// UnmarshalJSON accepts "a", 12, true and null.
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

// A Bool is a boolean that also decodes from 0, 1, text and null.
type Bool bool

// UnmarshalJSON accepts true, "true", 1, false, "false", 0, "" and null.
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

// A Time encodes as ISO 8601 in UTC with milliseconds. Text in any other format decodes as the zero time, because
// some clients send local times without a zone.
type Time time.Time

// Time returns the time in UTC, truncated to milliseconds.
func (t Time) Time() time.Time {
	if time.Time(t).IsZero() {
		return time.Time{}
	}
	return time.Time(t).UTC().Truncate(time.Millisecond)
}

// MarshalJSON returns "2025-01-02T03:04:05.678Z".
func (t Time) MarshalJSON() ([]byte, error) { return appendTime(nil, time.Time(t)), nil }

// UnmarshalJSON accepts any value and never fails.
func (t *Time) UnmarshalJSON(raw []byte) error {
	parsed, err := time.Parse(time.RFC3339, string(bytes.Trim(raw, `"`)))
	if err != nil {
		parsed = time.Time{}
	}
	*t = Time(parsed)
	return nil
}

// mistyped returns an error for a JSON value of the wrong type. encoding/json adds the name of the member to it.
func mistyped[T any](raw []byte) error {
	return &json.UnmarshalTypeError{Value: kindOf(raw), Type: reflect.TypeFor[T]()}
}

// kindOf describes a JSON value for an error message.
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
