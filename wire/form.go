package wire

import (
	"bytes"
	"encoding/json"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Fields holds the named values of a small request, in any of the encodings that ReadFields accepts.
type Fields map[string]string

// ReadFields decodes a body by its content type: multipart, JSON object or form. Forms are decoded leniently,
// because clients join values without encoding them. A piece between two "&" belongs to the value before it
// unless it starts with one of names. A "%" that does not start a valid escape is kept.
func ReadFields(contentType string, body []byte, names ...string) (Fields, error) {
	if contentType == "" {
		return readForm(string(body), names)
	}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, graph.Errorf(graph.Invalid, "the content type %q cannot be read", graph.Clip(contentType))
	}
	switch kind {
	case "application/x-www-form-urlencoded", "text/plain":
		return readForm(string(body), names)
	case "application/json":
		return readJSONForm(body, names)
	case "multipart/form-data":
		return readMultipart(body, params["boundary"])
	default:
		return nil, graph.Errorf(graph.Invalid, "the body is %q; want a form, multipart/form-data or JSON", graph.Clip(kind))
	}
}

// readForm decodes a form leniently; see ReadFields.
func readForm(body string, names []string) (Fields, error) {
	fields, last := Fields{}, ""
	if body == "" {
		return fields, nil
	}
	for piece := range strings.SplitSeq(body, "&") {
		name, value, ok := strings.Cut(piece, "=")
		if ok && (len(names) == 0 || slices.Contains(names, name)) {
			fields[name], last = value, name
			continue
		}
		if last != "" && len(names) > 0 {
			fields[last] += "&" + piece
		}
	}
	for name, value := range fields {
		fields[name] = unescape(value)
	}
	return fields, nil
}

// unescape decodes form encoding and keeps invalid escapes. A value that contains a space was not encoded by the
// client, so its plus signs are kept, too.
func unescape(value string) string {
	if !strings.ContainsAny(value, "%+") {
		return value
	}
	plus := byte(' ')
	if strings.Contains(value, " ") {
		plus = '+'
	}
	plain := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '+':
			c = plus
		case c == '%' && i+2 < len(value):
			if b, err := strconv.ParseUint(value[i+1:i+3], 16, 8); err == nil {
				c, i = byte(b), i+2
			}
		}
		plain = append(plain, c)
	}
	return string(plain)
}

// readJSONForm matches member names as encoding/json does: exactly, or else in any case.
func readJSONForm(body []byte, names []string) (Fields, error) {
	var members map[string]json.RawMessage
	if err := Decode(body, &members); err != nil {
		return nil, err
	}
	fields := make(Fields, len(members))
	for name, raw := range members {
		var text Text
		switch raw[0] {
		case '{', '[':
			continue
		case 't', 'f':
			text = Text(raw)
		default:
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, describeDecodeError(err, len(raw))
			}
		}
		fields[name] = string(text)
	}
	for name, text := range fields {
		i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
		if i < 0 {
			continue
		}
		if _, exact := fields[names[i]]; !exact {
			fields[names[i]] = text
		}
	}
	return fields, nil
}

// readMultipart decodes small multipart bodies. The reader of the standard library is designed for streams of
// files and would cost more than the rest of a request.
func readMultipart(body []byte, boundary string) (Fields, error) {
	if boundary == "" {
		return nil, graph.Errorf(graph.Invalid, "the multipart body names no boundary")
	}
	fields := Fields{}
	dash := []byte("--" + boundary)
	_, rest, found := bytes.Cut(body, dash)
	for found && !bytes.HasPrefix(rest, []byte("--")) {
		var part []byte
		part, rest, found = bytes.Cut(rest, append([]byte("\r\n"), dash...))
		if !found {
			return nil, graph.Errorf(graph.Invalid, "the multipart body is cut off after %d bytes", len(body))
		}
		name, value, err := readPart(part)
		if err != nil {
			return nil, err
		}
		fields[name] = value
	}
	if !found {
		return nil, graph.Errorf(graph.Invalid, "the multipart body has no boundary %q", graph.Clip(boundary))
	}
	return fields, nil
}

// readPart returns the name and content of one part.
func readPart(part []byte) (name, value string, err error) {
	head, content, ok := bytes.Cut(part, []byte("\r\n\r\n"))
	if !ok {
		return "", "", graph.Errorf(graph.Invalid, "a part of the multipart body has no content")
	}
	for line := range strings.SplitSeq(string(head), "\r\n") {
		key, disposition, _ := strings.Cut(line, ":")
		if !strings.EqualFold(key, "Content-Disposition") {
			continue
		}
		_, params, err := mime.ParseMediaType(strings.TrimSpace(disposition))
		if err == nil && params["name"] != "" {
			return params["name"], string(content), nil
		}
	}
	return "", "", graph.Errorf(graph.Invalid, "a part of the multipart body has no name")
}

// Text returns a field. It returns an Invalid error if the field is missing or fails graph.CheckText.
func (f Fields) Text(name string) (string, error) {
	value, ok := f[name]
	if !ok {
		return "", graph.Errorf(graph.Invalid, "the field %q is missing", name)
	}
	return value, graph.CheckText(name, value)
}

// ID returns a field as an id. It returns an Invalid error if the field is missing or malformed.
func (f Fields) ID(name string) (graph.ID, error) {
	text, err := f.Text(name)
	if err != nil {
		return 0, err
	}
	id, err := graph.ParseID(strings.TrimSpace(text))
	if err != nil {
		return 0, graph.Wrap(graph.Invalid, err, "the field %q", name)
	}
	return id, nil
}

// Int returns a field as a whole number, or the fallback if it is missing or empty.
func (f Fields) Int(name string, fallback int) (int, error) {
	text := strings.TrimSpace(f[name])
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, graph.Errorf(graph.Invalid, "the field %q is %q; want a whole number", name, graph.Clip(text))
	}
	return n, nil
}
