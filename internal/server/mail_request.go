package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/wire"
)

// A mailRequest is a request to send an e-mail. Other fields that clients send, such as the token of a captcha, are
// ignored.
type mailRequest struct {
	To          string   `json:"toAddress"`
	CC          []string `json:"ccAddresses"`
	Heading     string   `json:"heading"`
	Body        string   `json:"body"`
	Attachments []string `json:"attachments"` // URLs of uploads
	files       []mail.Attachment
}

// readMailRequest reads JSON or multipart. It recognises the encoding by the body, because some clients send a form
// with the content type of JSON, or without a boundary in the content type.
func readMailRequest(req *request) (mailRequest, error) {
	var m mailRequest
	if boundary, ok := boundaryOf(req); ok {
		err := m.readForm(multipart.NewReader(bytes.NewReader(req.body), boundary))
		return m, err
	}
	err := wire.Decode(req.body, &m)
	return m, err
}

// boundaryOf returns the boundary in the header or, if the header has none, in the first line of the body.
func boundaryOf(req *request) (string, bool) {
	contentType, params, _ := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if contentType == "multipart/form-data" {
		return params["boundary"], true
	}
	line, _, _ := bytes.Cut(req.body, []byte("\n"))
	boundary, ok := strings.CutPrefix(strings.TrimSuffix(string(line), "\r"), "--")
	return boundary, ok && boundary != ""
}

// maxMailParts is the maximum number of parts of a multipart body.
const maxMailParts = 2 * (mail.MaxRecipients + mail.MaxAttachments)

func (m *mailRequest) readForm(parts *multipart.Reader) error {
	for range maxMailParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return graph.Wrap(graph.Invalid, err, "the multipart body cannot be read")
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return graph.Wrap(graph.Invalid, err, "the multipart body ends early")
		}
		if name := part.FileName(); name != "" {
			m.files = append(m.files, mail.Attachment{Name: name, Kind: part.Header.Get("Content-Type"), Data: content})
			continue
		}
		if err := m.setField(part.FormName(), string(content)); err != nil {
			return err
		}
	}
	return graph.Errorf(graph.TooLarge, "the multipart body has more than %d parts", maxMailParts)
}

func (m *mailRequest) setField(name, value string) error {
	if err := graph.CheckText(name, value); err != nil {
		return err
	}
	switch strings.TrimSuffix(name, "[]") {
	case "toAddress":
		m.To = value
	case "heading":
		m.Heading = value
	case "body":
		m.Body = value
	case "ccAddresses":
		m.CC = append(m.CC, textOrList(value)...)
	case "attachments":
		m.Attachments = append(m.Attachments, textOrList(value)...)
	}
	return nil
}

// textOrList returns the strings in a field, which contains either a single string or a JSON list of strings.
func textOrList(text string) []string {
	var list []string
	switch {
	case json.Unmarshal([]byte(text), &list) == nil:
		return list
	case text == "":
		return nil
	default:
		return []string{text}
	}
}
