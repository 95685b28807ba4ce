// Package mailtest runs a real SMTP server for a test and records the e-mails that it receives.
package mailtest

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// A Server is a running mail server.
type Server struct {
	Address string // host:port
	URL     string // for --mail

	mu      sync.Mutex
	refuse  func(to string) error
	emails  []Email
	arrived chan struct{} // signalled when an e-mail arrives
	smtp    *smtp.Server
}

// An Email is a received e-mail.
type Email struct {
	From    string
	To      []string // envelope recipients
	Header  netmail.Header
	Subject string
	Text    string // without trailing line breaks
	HTML    string
	Files   map[string][]byte
}

// Start runs a server until the test ends. The address "" selects a free port.
func Start(t testing.TB, address string) *Server {
	t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: l.Addr().String(), arrived: make(chan struct{}, 1)}
	s.URL = "smtp://" + s.Address + "?tls=none"
	s.smtp = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	s.smtp.Domain, s.smtp.ReadTimeout, s.smtp.WriteTimeout = "mail.test", time.Minute, time.Minute
	s.smtp.MaxMessageBytes = 64 << 20
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := s.smtp.Serve(l); err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Errorf("the mail server: %v", err)
		}
	}()
	t.Cleanup(func() {
		_ = s.smtp.Close() // returns an error if the test has already stopped the server
		<-served
	})
	return s
}

// Refuse sets a function that is called for every recipient. The server responds with the *smtp.SMTPError that f
// returns, if any.
func (s *Server) Refuse(f func(to string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = f
}

// Emails returns the e-mails received so far.
func (s *Server) Emails() []Email {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Email{}, s.emails...)
}

// Wait waits until n e-mails were received, and returns them.
func (s *Server) Wait(t testing.TB, n int) []Email {
	t.Helper()
	timeout := time.After(3 * time.Minute)
	for {
		if emails := s.Emails(); len(emails) >= n {
			return emails
		}
		select {
		case <-s.arrived:
		case <-timeout:
			t.Fatalf("%d e-mails arrived; want %d", len(s.Emails()), n)
		}
	}
}

type session struct {
	server *Server
	email  Email
}

func (s *session) Reset()        { s.email = Email{} }
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.email = Email{From: from}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	refuse := s.server.refuse
	s.server.mu.Unlock()
	if refuse != nil {
		if err := refuse(to); err != nil {
			return err
		}
	}
	s.email.To = append(s.email.To, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	l := s.email
	l.Header, l.Files = m.Header, map[string][]byte{}
	if l.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return err
	}
	if err := l.read(m.Header, m.Body); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.emails = append(s.server.emails, l)
	select {
	case s.server.arrived <- struct{}{}:
	default:
	}
	return nil
}

// read parses an e-mail, or a part of a multipart e-mail.
func (l *Email) read(h interface{ Get(string) string }, body io.Reader) error {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return err
	}
	if strings.HasPrefix(kind, "multipart/") {
		return l.readParts(multipart.NewReader(body, params["boundary"]))
	}
	switch strings.ToLower(h.Get("Content-Transfer-Encoding")) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	_, disposition, _ := mime.ParseMediaType(h.Get("Content-Disposition"))
	switch name := disposition["filename"]; {
	case name != "":
		if name, err = new(mime.WordDecoder).DecodeHeader(name); err != nil {
			return err
		}
		l.Files[name] = content
	case kind == "text/html":
		l.HTML = string(content)
	default:
		l.Text = strings.TrimRight(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
	}
	return nil
}

func (l *Email) readParts(parts *multipart.Reader) error {
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := l.read(part.Header, part); err != nil {
			return err
		}
	}
}
