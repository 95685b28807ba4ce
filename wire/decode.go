package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// MaxObjects is the most JSON objects in one body, nested ones included: "{}," takes three bytes there and a
// hundred times as much here.
const MaxObjects = 4 * graph.MaxBatch

// Decode reads one JSON value into v. What is not JSON, or not of v's shape, is an Invalid error that
// says what was seen and where; more than MaxObjects are TooLarge.
func Decode(data []byte, v any) error {
	if len(data) == 0 {
		return graph.Errorf(graph.Invalid, "the body is empty; want %s", wanted(reflect.TypeOf(v).Elem()))
	}
	if !utf8.Valid(data) {
		return graph.Errorf(graph.Invalid, "the body is not UTF-8: first bad byte at %d", badByte(data))
	}
	if n := objects(data); n > MaxObjects {
		return graph.Errorf(graph.TooLarge, "the JSON holds %d objects; the most is %d", n, MaxObjects)
	}
	return explain(json.Unmarshal(data, v), len(data))
}

// objects counts the objects of a JSON text. Few braces are not worth a closer look: in many, texts that
// hold code are left out.
func objects(data []byte) int {
	n := bytes.Count(data, []byte("{"))
	if n <= MaxObjects {
		return n
	}
	n = 0
	quoted := false
	for i := 0; i < len(data); i++ {
		switch {
		case quoted && data[i] == '\\':
			i++
		case data[i] == '"':
			quoted = !quoted
		case !quoted && data[i] == '{':
			n++
		}
	}
	return n
}

func explain(err error, size int) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return graph.Errorf(graph.Invalid, "the JSON is cut off after %d bytes", size)
	case errors.As(err, &syntax):
		return graph.Errorf(graph.Invalid, "the JSON breaks at byte %d: %s", syntax.Offset, syntax)
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return graph.Errorf(graph.Invalid, "%q is %s; want %s", graph.Clip(mistyped.Field), mistyped.Value, wanted(mistyped.Type))
	case errors.As(err, &mistyped):
		return graph.Errorf(graph.Invalid, "the JSON holds %s; want %s", mistyped.Value, wanted(mistyped.Type))
	default:
		return graph.Errorf(graph.Invalid, "the JSON cannot be read: %s", graph.Clip(err.Error()))
	}
}

// wanted says in JSON's words what a Go type is decoded from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return wanted(t.Elem())
	default:
		return "text"
	}
}

func badByte(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}
