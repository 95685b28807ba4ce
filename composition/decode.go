package composition

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/weft-graph/weft/graph"
)

// A Decoder reads records from a stream, holding one at a time: the items of one list, or values that
// follow each other.
type Decoder struct {
	decoder
	begun, list bool
}

// NewDecoder returns a Decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{decoder: decoder{json: jsontext.NewDecoder(r)}}
}

// Next returns the next value, or io.EOF after the last. Errors are those of Parse, and what the reader
// returned; after one, there is nothing more to read.
func (d *Decoder) Next() (Value, error) {
	if !d.begun {
		d.begun = true
		if d.list = d.json.PeekKind() == '['; d.list {
			if _, err := d.json.ReadToken(); err != nil {
				return Value{}, d.explain(err)
			}
		}
	}
	if d.list && d.json.PeekKind() == ']' {
		if _, err := d.json.ReadToken(); err != nil {
			return Value{}, d.explain(err)
		}
		d.list = false
		if err := d.end(); err != nil {
			return Value{}, err
		}
		return Value{}, io.EOF
	}
	v, err := d.value()
	if err == nil || !d.list && errors.Is(err, io.EOF) {
		return v, err
	}
	return Value{}, d.explain(err)
}

// Offset is how many bytes have been read.
func (d *Decoder) Offset() int64 { return d.json.InputOffset() }

type decoder struct {
	json *jsontext.Decoder
}

// value reads a value whole. It returns io.EOF when there is none.
func (d decoder) value() (Value, error) {
	token, err := d.json.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch token.Kind() {
	case 't', 'f':
		return Value{Kind: Bool, Text: token.String()}, nil
	case '0':
		return Value{Kind: Number, Text: token.String()}, nil
	case '"':
		return Value{Kind: Text, Text: token.String()}, nil
	case '{', '[':
		return d.nested(token.Kind() == '{')
	default:
		return Value{}, nil
	}
}

func (d decoder) nested(record bool) (Value, error) {
	if d.json.StackDepth() > MaxDepth+1 { // one more, for what a record may stand in
		return Value{}, tooDeep(string(d.json.StackPointer()))
	}
	v := Value{Kind: List}
	if record {
		v.Kind = Record
	}
	for d.json.PeekKind() != ']' && d.json.PeekKind() != '}' {
		var m Member
		if record {
			token, err := d.json.ReadToken()
			if err != nil {
				return Value{}, err
			}
			m.Key = token.String()
		}
		var err error
		if m.Value, err = d.value(); err != nil {
			return Value{}, err
		}
		v.Members = append(v.Members, m)
	}
	_, err := d.json.ReadToken()
	return v, err
}

// end returns an error when anything but space follows.
func (d decoder) end() error {
	switch _, err := d.json.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return d.explain(err)
	default:
		return graph.Errorf(graph.Invalid, "something follows the JSON at byte %d", d.json.InputOffset())
	}
}

// explain makes an error for people of one of the parser's.
func (d decoder) explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return graph.Errorf(graph.Invalid, "the JSON is cut off after %d bytes%s",
			d.json.InputOffset()+int64(len(d.json.UnreadBuffer())), in(string(d.json.StackPointer())))
	case errors.Is(err, jsontext.ErrDuplicateName):
		errors.As(err, &syntax)
		return graph.Errorf(graph.Invalid, "the JSON has the key %s twice, at byte %d",
			clip(string(syntax.JSONPointer)), syntax.ByteOffset)
	case errors.As(err, &syntax):
		return graph.Errorf(graph.Invalid, "the JSON breaks at byte %d%s: %s",
			syntax.ByteOffset, in(string(syntax.JSONPointer)), clip(syntax.Err.Error()))
	default:
		return err
	}
}

func tooDeep(path string) error {
	return graph.Errorf(graph.Invalid, "%s is nested deeper than %d levels", clip(path), MaxDepth)
}

func in(path string) string {
	if path == "" {
		return ""
	}
	return ", in " + clip(path)
}

// clip shortens what a stranger sent so that a message stays readable.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
