package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// MaxObjects is the maximum number of JSON objects in one body, including nested ones. It bounds memory: "{}," takes
// three bytes in the body and about a hundred times as much when decoded.
const MaxObjects = 4 * graph.MaxBatchRecords

// Decode decodes one JSON value into v. It returns an Invalid error with the position or the member for malformed JSON
// and for JSON of the wrong shape, and a TooLarge error for more than MaxObjects objects.
func Decode(data []byte, v any) error {
	if len(data) == 0 {
		return graph.Errorf(graph.Invalid, "the body is empty; want %s", jsonTypeOf(reflect.TypeOf(v).Elem()))
	}
	if !utf8.Valid(data) {
		return graph.Errorf(graph.Invalid, "the body is not UTF-8: first bad byte at %d", firstBadByte(data))
	}
	if n := countObjects(data); n > MaxObjects {
		return graph.Errorf(graph.TooLarge, "the JSON holds %d objects; the maximum is %d", n, MaxObjects)
	}
	return describeDecodeError(json.Unmarshal(data, v), len(data))
}

// countObjects counts the objects of a JSON text. It first counts braces, and skips the braces inside strings
// only if there are more than MaxObjects.
func countObjects(data []byte) int {
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

// describeDecodeError converts an error of encoding/json for a body of size bytes to an Invalid error with a readable
// message.
func describeDecodeError(err error, size int) error {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return graph.Errorf(graph.Invalid, "the JSON is cut off after %d bytes", size)
	case errors.As(err, &syntax):
		return graph.Errorf(graph.Invalid, "the JSON is malformed at byte %d: %s", syntax.Offset, syntax)
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return graph.Errorf(graph.Invalid, "%q is %s; want %s", graph.Clip(mistyped.Field), mistyped.Value, jsonTypeOf(mistyped.Type))
	case errors.As(err, &mistyped):
		return graph.Errorf(graph.Invalid, "the JSON holds %s; want %s", mistyped.Value, jsonTypeOf(mistyped.Type))
	default:
		return graph.Errorf(graph.Invalid, "the JSON cannot be read: %s", graph.Clip(err.Error()))
	}
}

// jsonTypeOf returns the JSON term for the values that decode into a Go type, for error messages.
func jsonTypeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return jsonTypeOf(t.Elem())
	default:
		return "text"
	}
}

// firstBadByte returns the offset of the first byte that is not valid UTF-8.
func firstBadByte(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// DecodeList decodes a JSON list, or a single object as a list of one. Its errors are those of Decode.
func DecodeList[T any](data []byte) ([]T, error) {
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		var item T
		err := Decode(data, &item)
		return []T{item}, err
	}
	var list []T
	err := Decode(data, &list)
	return list, err
}

// DecodeIDs decodes a JSON array of ids. Its errors are those of Decode. An array of digits and commas only takes a
// fast path; clients send almost no others.
func DecodeIDs(data []byte) ([]graph.ID, error) {
	if ids, ok := plainIDs(data); ok {
		return ids, nil
	}
	var list []Int
	err := Decode(data, &list)
	return ids(list), err
}

// plainIDs decodes arrays such as [1,20,300]. It returns false for anything else.
func plainIDs(data []byte) ([]graph.ID, bool) {
	if len(data) < 3 || data[0] != '[' || data[len(data)-1] != ']' {
		return nil, false
	}
	list := make([]graph.ID, 0, len(data)/7)
	var id graph.ID
	digits := 0
	for i, c := range data[1:] {
		switch {
		case '0' <= c && c <= '9' && digits < 16 && (digits == 0 || id > 0):
			id = id*10 + graph.ID(c-'0')
			digits++
		case digits > 0 && (c == ',' || c == ']' && i == len(data)-2):
			list = append(list, id)
			id, digits = 0, 0
		default:
			return nil, false
		}
	}
	return list, true
}
