package mail

import (
	"bytes"
	netmail "net/mail"
	"strings"

	gomail "github.com/wneessen/go-mail"
)

// compose builds the MIME message of an e-mail.
func compose(l Email, from *netmail.Address) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(from)
	if err := m.AddTo(l.To); err != nil {
		return nil, err
	}
	if l.ReplyTo != "" {
		if err := m.ReplyTo(l.ReplyTo); err != nil {
			return nil, err
		}
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	m.SetMessageIDWithValue(l.ID + "@" + domain)
	m.SetDateWithValue(l.Created)
	m.Subject(l.Subject)
	m.SetBodyString(gomail.TypeTextPlain, l.Text)
	if l.HTML != "" {
		m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	}
	for _, a := range l.Attachments {
		kind := a.Kind
		if kind == "" {
			kind = "application/octet-stream"
		}
		m.AttachReadSeeker(a.Name, bytes.NewReader(a.Data), gomail.WithFileContentType(gomail.ContentType(kind)))
	}
	return m, nil
}
