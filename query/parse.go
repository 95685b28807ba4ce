package query

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/weft-graph/weft/graph"
)

// Parse reads a query in the names of the Query type:
//
//	{"type": "the_person", "selectors": ["self"], "hops": [{"connection": "the_person_s_friend"}]}
//
// It returns an Invalid error for what is not one, a member nobody knows included, and the errors of Check.
func Parse(data []byte) (Query, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var q Query
	if err := d.Decode(&q); err != nil {
		return Query{}, explain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Query{}, graph.Errorf(graph.Invalid, "something follows the query at byte %d", d.InputOffset())
	}
	return q, q.Check()
}

func explain(err error) error {
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return graph.Errorf(graph.Invalid, "the query is cut off")
	case errors.As(err, &syntax):
		return graph.Errorf(graph.Invalid, "the query is not JSON: byte %d: %s", syntax.Offset, syntax)
	case errors.As(err, &mistyped):
		return graph.Errorf(graph.Invalid, "the query's %q is a %s, which it cannot be", mistyped.Field, mistyped.Value)
	default:
		return graph.Errorf(graph.Invalid, "the query is not one: %.200s", err)
	}
}
