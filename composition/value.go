package composition

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/weft-graph/weft/graph"
)

// A Value is a JSON value. Records keep the order of their keys. The zero Value is null.
type Value struct {
	Kind Kind
	Text string // a scalar as written; a number keeps its digits
	// Members holds the fields of a record or the items of a list. Items have no key.
	Members []Member
}

// A Member is a field of a record or an item of a list.
type Member struct {
	Key   string
	Value Value
}

// A Kind is the kind of a JSON value.
type Kind int

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Record
)

// MaxDepth is the maximum number of nested records and lists, including the outermost.
const MaxDepth = 100

// MaxValues is the maximum number of values that one Read returns, or that one formatted query result contains.
const MaxValues = 1_000_000

// TextValue returns a value of kind Text.
func TextValue(text string) Value { return Value{Kind: Text, Text: text} }

// IDValue returns an id as a number.
func IDValue(id graph.ID) Value { return Value{Kind: Number, Text: id.String()} }

// RecordValue returns a record with the given members.
func RecordValue(members ...Member) Value { return Value{Kind: Record, Members: members} }

// ListValue returns a list of the given items.
func ListValue(items ...Value) Value {
	v := Value{Kind: List, Members: make([]Member, len(items))}
	for i, item := range items {
		v.Members[i].Value = item
	}
	return v
}

// IsNested reports whether the value is a record or a list.
func (v Value) IsNested() bool { return v.Kind == Record || v.Kind == List }

// Get returns the value of the member with the given key, or null if there is none.
func (v Value) Get(key string) Value {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return Value{}
}

// AppendJSON appends the value as JSON to b. Bytes that are not UTF-8 become U+FFFD.
func (v Value) AppendJSON(b []byte) []byte {
	return v.AppendChunks(b, func(b []byte) []byte { return b })
}

// AppendChunks is like AppendJSON, but calls flush with the JSON so far after each text value. The function flush
// returns the buffer to continue with: it may send the JSON and return an empty buffer, so that a large value is
// never in memory as one JSON string.
func (v Value) AppendChunks(b []byte, flush func([]byte) []byte) []byte {
	switch v.Kind {
	case Bool, Number:
		return append(b, v.Text...)
	case Text:
		return flush(appendText(b, v.Text))
	case List:
		return v.appendNested(append(b, '['), ']', flush)
	case Record:
		return v.appendNested(append(b, '{'), '}', flush)
	default:
		return append(b, "null"...)
	}
}

// appendNested appends the members of a record or list, and the delimiter at its end.
func (v Value) appendNested(b []byte, end byte, flush func([]byte) []byte) []byte {
	for i, m := range v.Members {
		if i > 0 {
			b = append(b, ',')
		}
		if v.Kind == Record {
			b = append(appendText(b, m.Key), ':')
		}
		b = m.Value.AppendChunks(b, flush)
	}
	return append(b, end)
}

func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // the only error is invalid UTF-8, which it has replaced
	return b
}

// MarshalJSON implements json.Marshaler with AppendJSON.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// UnmarshalJSON implements json.Unmarshaler with Parse.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	*v = parsed
	return err
}

// String returns the value as JSON.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// Parse parses one JSON value. It returns an Invalid error with the position for malformed or truncated JSON,
// text that is not UTF-8, a duplicate key in a record, and nesting beyond MaxDepth.
func Parse(data []byte) (Value, error) {
	d := decoder{json: jsontext.NewDecoder(bytes.NewReader(data))}
	v, err := d.value()
	if err != nil {
		return Value{}, d.describeError(err)
	}
	if err := d.end(); err != nil {
		return Value{}, err
	}
	return v, nil
}
