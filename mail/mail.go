// Package mail sends what was promised to be sent. A message is kept in a durable queue before anybody is told
// that it was accepted; it is tried again, at growing intervals, until the mail server has taken it or two days
// are over. Every recipient gets a mail of their own and sees no other.
//
// A mail may arrive twice when a server dies between sending it and noting that; both carry the same
// Message-ID.
package mail

import (
	"mime"
	netmail "net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// A Message is what somebody wants sent.
type Message struct {
	Owner       graph.ID     `json:"owner,omitempty"` // who sends it; 0 is the server itself, which no rate holds back
	About       graph.ID     `json:"about,omitempty"` // whose account it is about, if it is about one
	To          []string     `json:"to"`
	ReplyTo     string       `json:"replyTo,omitempty"` // where answers go; "" is where mails are from
	Subject     string       `json:"subject"`
	Text        string       `json:"text,omitempty"`
	HTML        string       `json:"html,omitempty"` // beside Text, or instead of it; sent as it is: see Clean
	Attachments []Attachment `json:"attachments,omitempty"`
}

// An Attachment is a file that goes along.
type Attachment struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // a media type; "" is any bytes
	Data []byte `json:"data"`
}

// Limits on one message.
const (
	MaxRecipients      = 100
	MaxSubject         = 500      // bytes
	MaxBody            = 1 << 20  // bytes, of text and HTML together
	MaxAttachments     = 10       // files
	MaxAttachmentBytes = 10 << 20 // of all of them together
)

// check returns an Invalid or TooLarge error for a message that cannot be sent, and replaces its addresses by
// their plain form.
func (m *Message) check() error {
	switch {
	case len(m.To) == 0:
		return graph.Errorf(graph.Invalid, "the mail has no recipient")
	case len(m.To) > MaxRecipients:
		return graph.Errorf(graph.TooLarge, "%d recipients; the most is %d", len(m.To), MaxRecipients)
	case len(m.Subject) > MaxSubject || !printable(m.Subject):
		return graph.Errorf(graph.Invalid, "the subject %q is not one line of at most %d bytes", graph.Clip(m.Subject), MaxSubject)
	case len(m.Text)+len(m.HTML) > MaxBody:
		return graph.Errorf(graph.TooLarge, "a body of %d bytes; the most is %d", len(m.Text)+len(m.HTML), MaxBody)
	case !utf8.ValidString(m.Text) || !utf8.ValidString(m.HTML):
		return graph.Errorf(graph.Invalid, "the body is not UTF-8")
	}
	to := make([]string, len(m.To))
	for i, text := range m.To {
		var err error
		if to[i], err = Address(text); err != nil {
			return err
		}
	}
	m.To = to
	if m.ReplyTo != "" {
		var err error
		if m.ReplyTo, err = Address(m.ReplyTo); err != nil {
			return err
		}
	}
	return checkAttachments(m.Attachments)
}

func checkAttachments(attachments []Attachment) error {
	if len(attachments) > MaxAttachments {
		return graph.Errorf(graph.TooLarge, "%d attachments; the most is %d", len(attachments), MaxAttachments)
	}
	total := 0
	for _, a := range attachments {
		if a.Name == "" || len(a.Name) > 255 || !printable(a.Name) || strings.ContainsAny(a.Name, `/\"`) {
			return graph.Errorf(graph.Invalid, "%q is no name for an attachment", graph.Clip(a.Name))
		}
		if _, _, err := mime.ParseMediaType(a.Kind); a.Kind != "" && err != nil {
			return graph.Errorf(graph.Invalid, "the attachment %q is of no kind: %q", graph.Clip(a.Name), graph.Clip(a.Kind))
		}
		total += len(a.Data)
	}
	if total > MaxAttachmentBytes {
		return graph.Errorf(graph.TooLarge, "attachments of %d bytes; the most is %d", total, MaxAttachmentBytes)
	}
	return nil
}

// Address returns the plain form of a mail address that may have a name around it, or an Invalid error.
func Address(text string) (string, error) {
	parsed, err := netmail.ParseAddress(text)
	if err != nil || len(parsed.Address) > 254 || strings.ContainsFunc(parsed.Address, oddInAddress) {
		return "", graph.Errorf(graph.Invalid, "%q is not a mail address", graph.Clip(text))
	}
	return parsed.Address, nil
}

// oddInAddress is what mail servers read in different ways, or that only some of them can read.
func oddInAddress(r rune) bool {
	return r <= ' ' || r >= unicode.MaxASCII || strings.ContainsRune(`"\,;:<>()[]`, r)
}

// printable says whether text can stand in a header: nothing in it ends a line.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}
