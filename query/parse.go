package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/weft-graph/weft/graph"
)

// Parse parses a query from JSON with the member names of Query:
//
//	{"type": "the_person", "selectors": ["self"], "hops": [{"connection": "the_person_s_friend"}]}
//
// It returns an Invalid error for malformed JSON and unknown members, and the errors of Check.
func Parse(data []byte) (Query, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var q Query
	if err := d.Decode(&q); err != nil {
		return Query{}, describeDecodeError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Query{}, graph.Errorf(graph.Invalid, "unexpected data after the query at byte %d", d.InputOffset())
	}
	return q, q.Check()
}

// describeDecodeError converts an error of encoding/json to an Invalid error with a readable message.
func describeDecodeError(err error) error {
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return graph.Errorf(graph.Invalid, "the query is cut off")
	case errors.As(err, &syntax):
		return graph.Errorf(graph.Invalid, "the query is not JSON: byte %d: %s", syntax.Offset, syntax)
	case errors.As(err, &mistyped):
		return graph.Errorf(graph.Invalid, "the query's %q cannot be a %s", mistyped.Field, mistyped.Value)
	default:
		return graph.Errorf(graph.Invalid, "the query is malformed: %.200s", err)
	}
}
