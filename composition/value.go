package composition

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/weft-graph/weft/graph"
)

// A Value is one JSON value whose records keep the order of their keys. The zero Value is null.
type Value struct {
	Kind Kind
	Text string // of a scalar as it is written: a number keeps its digits
	// Members of a record, or items of a list; items have no key.
	Members []Member
}

// A Member is a value with its key.
type Member struct {
	Key   string
	Value Value
}

// A Kind says what a value is.
type Kind int

// The kinds of JSON value.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Record
)

// MaxDepth is how deep records nest at most, the outermost being the first level.
const MaxDepth = 100

// MaxValues is the most values that one Read, or one formatted answer, is made of.
const MaxValues = 1_000_000

// TextValue is a text.
func TextValue(text string) Value { return Value{Kind: Text, Text: text} }

// IDValue is an id as a number.
func IDValue(id graph.ID) Value { return Value{Kind: Number, Text: id.String()} }

// RecordValue is a record of these members.
func RecordValue(members ...Member) Value { return Value{Kind: Record, Members: members} }

// ListValue is a list of these items.
func ListValue(items ...Value) Value {
	v := Value{Kind: List, Members: make([]Member, len(items))}
	for i, item := range items {
		v.Members[i].Value = item
	}
	return v
}

// Nested says whether the value is a record or a list.
func (v Value) Nested() bool { return v.Kind == Record || v.Kind == List }

// Get is the member with this key; null when there is none.
func (v Value) Get(key string) Value {
	for _, m := range v.Members {
		if m.Key == key {
			return m.Value
		}
	}
	return Value{}
}

// AppendJSON appends the value as JSON. Text that is not UTF-8 is mended with U+FFFD.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.Kind {
	case Bool, Number:
		return append(b, v.Text...)
	case Text:
		return appendText(b, v.Text)
	case List:
		return v.appendNested(b, '[', ']')
	case Record:
		return v.appendNested(b, '{', '}')
	default:
		return append(b, "null"...)
	}
}

func (v Value) appendNested(b []byte, open, end byte) []byte {
	b = append(b, open)
	for i, m := range v.Members {
		if i > 0 {
			b = append(b, ',')
		}
		if v.Kind == Record {
			b = append(appendText(b, m.Key), ':')
		}
		b = m.Value.AppendJSON(b)
	}
	return append(b, end)
}

func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // the error is about bytes that it has mended
	return b
}

// MarshalJSON is AppendJSON for encoding/json.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// UnmarshalJSON is Parse for encoding/json.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	*v = parsed
	return err
}

// String is the value as JSON.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// Parse reads one JSON value. It returns an Invalid error that says where for anything else: a cut or
// broken text, text that is not UTF-8, a key that stands twice in a record, nesting beyond MaxDepth.
func Parse(data []byte) (Value, error) {
	d := decoder{json: jsontext.NewDecoder(bytes.NewReader(data))}
	v, err := d.value()
	if err != nil {
		return Value{}, d.explain(err)
	}
	if err := d.end(); err != nil {
		return Value{}, err
	}
	return v, nil
}
