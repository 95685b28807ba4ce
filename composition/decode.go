package composition

import (
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/weft-graph/weft/graph"
)

// A Decoder reads values from a stream one at a time. The stream is either a sequence of values or a single
// list. From a list, the Decoder returns the items.
type Decoder struct {
	decoder
	started bool // the first token was inspected
	inList  bool // the stream is a list that has not ended
}

// NewDecoder returns a Decoder that reads from r.
func NewDecoder(r io.Reader) *Decoder {
	return &Decoder{decoder: decoder{json: jsontext.NewDecoder(r)}}
}

// Next returns the next value, or io.EOF after the last one. Errors are those of Parse and of the
// reader. The decoder must not be used after an error.
func (d *Decoder) Next() (Value, error) {
	if !d.started {
		d.started = true
		if d.inList = d.json.PeekKind() == '['; d.inList {
			if _, err := d.json.ReadToken(); err != nil {
				return Value{}, d.describeError(err)
			}
		}
	}
	if d.inList && d.json.PeekKind() == ']' {
		if _, err := d.json.ReadToken(); err != nil {
			return Value{}, d.describeError(err)
		}
		d.inList = false
		if err := d.end(); err != nil {
			return Value{}, err
		}
		return Value{}, io.EOF
	}
	v, err := d.value()
	if err == nil || !d.inList && errors.Is(err, io.EOF) {
		return v, err
	}
	return Value{}, d.describeError(err)
}

// Offset returns the number of bytes decoded so far.
func (d *Decoder) Offset() int64 { return d.json.InputOffset() }

// A decoder converts the tokens of a JSON parser to values, for Parse and Decoder.
type decoder struct {
	json *jsontext.Decoder
}

// value reads one complete value. It returns io.EOF if the stream has ended.
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

// nested reads a record or list whose opening token was read.
func (d decoder) nested(record bool) (Value, error) {
	if d.json.StackDepth() > MaxDepth+1 { // one level more, for a list around the records
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

// end returns an error if anything other than white space follows.
func (d decoder) end() error {
	switch _, err := d.json.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return d.describeError(err)
	default:
		return graph.Errorf(graph.Invalid, "unexpected data after the JSON at byte %d", d.json.InputOffset())
	}
}

// describeError converts an error of the JSON parser to an Invalid error with a readable message. Errors of the
// underlying reader are returned unchanged.
func (d decoder) describeError(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return graph.Errorf(graph.Invalid, "the JSON is cut off after %d bytes%s",
			d.json.InputOffset()+int64(len(d.json.UnreadBuffer())), inPath(string(d.json.StackPointer())))
	case errors.Is(err, jsontext.ErrDuplicateName):
		errors.As(err, &syntax)
		return graph.Errorf(graph.Invalid, "the JSON has the key %s twice, at byte %d",
			clip(string(syntax.JSONPointer)), syntax.ByteOffset)
	case errors.As(err, &syntax):
		return graph.Errorf(graph.Invalid, "the JSON is malformed at byte %d%s: %s",
			syntax.ByteOffset, inPath(string(syntax.JSONPointer)), clip(syntax.Err.Error()))
	default:
		return err
	}
}

// tooDeep returns the error for a value nested beyond MaxDepth.
func tooDeep(path string) error {
	return graph.Errorf(graph.Invalid, "%s is nested deeper than %d levels", clip(path), MaxDepth)
}

// inPath returns a path as a suffix of an error message.
func inPath(path string) string {
	if path == "" {
		return ""
	}
	return ", in " + clip(path)
}

// clip truncates text to 200 bytes of valid UTF-8, so that error messages can quote it.
func clip(text string) string {
	const maxBytes = 200
	if len(text) <= maxBytes {
		return text
	}
	return strings.ToValidUTF8(text[:maxBytes], "") + "…"
}
