// Package mail delivers messages by e-mail from a durable queue in the kv store.
//
//	Send ──► queued ──delivered to all recipients──────────────► sent
//	           │ └──retry with backoff, 5 s to 4 h──┘ (back to queued)
//	           └──rejected permanently, or 2 days old──────────► failed ("dead", listed by Dead)
//
// Send returns when the message is stored, so an accepted message survives a crash. Each recipient receives a
// separate e-mail and does not see the others; a message has failed if one of its e-mails failed. Statuses are kept
// for 30 days after the two days of attempts.
//
// A server claims a due message by moving its due entry into the future (see Queue). An e-mail can be delivered twice
// if a server crashes between sending it and storing the result; both copies have the same Message-ID.
//
// Costs: an idle queue costs each server a read of one entry every 5 seconds. A delivery costs a read of the message
// and one commit per recipient. Up to four messages are delivered concurrently.
//
// Reasons for the design: docs/decisions/0012.
package mail

import (
	"mime"
	netmail "net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-graph/weft/graph"
)

// A Message is the content of an e-mail, and its recipients. Each recipient receives a separate Email.
type Message struct {
	Owner       graph.ID     `json:"owner,omitempty"` // the sender; 0 is the server itself, which has no rate limit
	About       graph.ID     `json:"about,omitempty"` // the user whose account the message is about, or 0
	To          []string     `json:"to"`
	ReplyTo     string       `json:"replyTo,omitempty"` // address for replies; "" is the sender address of the server
	Subject     string       `json:"subject"`
	Text        string       `json:"text,omitempty"`
	HTML        string       `json:"html,omitempty"` // alternative to Text, or the only body. The queue does not sanitise it; see Clean
	Attachments []Attachment `json:"attachments,omitempty"`
}

// An Attachment is an attached file.
type Attachment struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // media type; "" means application/octet-stream
	Data []byte `json:"data"`
}

// Limits of a message.
const (
	MaxRecipients      = 100
	MaxSubject         = 500      // bytes
	MaxBody            = 1 << 20  // bytes, of text and HTML together
	MaxAttachments     = 10       // files
	MaxAttachmentBytes = 10 << 20 // bytes, of all attachments together
)

// check returns an Invalid or TooLarge error for a message that cannot be sent. It replaces the addresses with their
// plain form.
func (m *Message) check() error {
	switch {
	case len(m.To) == 0:
		return graph.Errorf(graph.Invalid, "the message has no recipient")
	case len(m.To) > MaxRecipients:
		return graph.Errorf(graph.TooLarge, "%d recipients; the maximum is %d", len(m.To), MaxRecipients)
	case len(m.Subject) > MaxSubject || !isPrintable(m.Subject):
		return graph.Errorf(graph.Invalid, "the subject %q is not one line of at most %d bytes", graph.Clip(m.Subject), MaxSubject)
	case len(m.Text)+len(m.HTML) > MaxBody:
		return graph.Errorf(graph.TooLarge, "the body has %d bytes; the maximum is %d", len(m.Text)+len(m.HTML), MaxBody)
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
		return graph.Errorf(graph.TooLarge, "%d attachments; the maximum is %d", len(attachments), MaxAttachments)
	}
	total := 0
	for _, a := range attachments {
		if a.Name == "" || len(a.Name) > 255 || !isPrintable(a.Name) || strings.ContainsAny(a.Name, `/\"`) {
			return graph.Errorf(graph.Invalid, "%q is not a valid name of an attachment", graph.Clip(a.Name))
		}
		if _, _, err := mime.ParseMediaType(a.Kind); a.Kind != "" && err != nil {
			return graph.Errorf(graph.Invalid, "the attachment %q has the invalid media type %q", graph.Clip(a.Name), graph.Clip(a.Kind))
		}
		total += len(a.Data)
	}
	if total > MaxAttachmentBytes {
		return graph.Errorf(graph.TooLarge, "the attachments have %d bytes; the maximum is %d", total, MaxAttachmentBytes)
	}
	return nil
}

// Address returns an e-mail address without its display name, or an Invalid error if text is not an e-mail address of
// up to 254 bytes of ASCII.
func Address(text string) (string, error) {
	parsed, err := netmail.ParseAddress(text)
	if err != nil || len(parsed.Address) > 254 || strings.ContainsFunc(parsed.Address, isInvalidInAddress) {
		return "", graph.Errorf(graph.Invalid, "%q is not an e-mail address", graph.Clip(text))
	}
	return parsed.Address, nil
}

// isInvalidInAddress reports whether mail servers interpret a character differently, or only some of them support it.
func isInvalidInAddress(r rune) bool {
	return r <= ' ' || r >= unicode.MaxASCII || strings.ContainsRune(`"\,;:<>()[]`, r)
}

// isPrintable reports whether text can be used in a header: it is UTF-8 without control characters and without line breaks,
// including the line and paragraph separators of Unicode, which are not control characters.
func isPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}
