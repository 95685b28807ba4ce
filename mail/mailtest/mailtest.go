// Package mailtest runs a real SMTP server for a test and keeps what it is sent.
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
	letters []Letter
	arrived chan struct{} // gets a value, if there is room, when a letter arrives
	smtp    *smtp.Server
}

// A Letter is a mail as it arrived.
type Letter struct {
	From    string
	To      []string // of the envelope
	Header  netmail.Header
	Subject string
	Text    string // without the ends of line at its end
	HTML    string
	Files   map[string][]byte
}

// Start runs a server on an address until the test ends; "" takes a free one.
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
		_ = s.smtp.Close() // fails when the test has stopped it
		<-served
	})
	return s
}

// Refuse makes the server ask f about every recipient. A *smtp.SMTPError that f returns is the answer.
func (s *Server) Refuse(f func(to string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = f
}

// Letters are those that have arrived.
func (s *Server) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Letter{}, s.letters...)
}

// Wait returns what has arrived once there are n letters.
func (s *Server) Wait(t testing.TB, n int) []Letter {
	t.Helper()
	late := time.After(3 * time.Minute)
	for {
		if letters := s.Letters(); len(letters) >= n {
			return letters
		}
		select {
		case <-s.arrived:
		case <-late:
			t.Fatalf("%d letters have arrived; want %d", len(s.Letters()), n)
		}
	}
}

type session struct {
	server *Server
	letter Letter
}

func (s *session) Reset()        { s.letter = Letter{} }
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.letter = Letter{From: from}
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
	s.letter.To = append(s.letter.To, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	m, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	l := s.letter
	l.Header, l.Files = m.Header, map[string][]byte{}
	if l.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return err
	}
	if err := l.read(m.Header, m.Body); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.letters = append(s.server.letters, l)
	select {
	case s.server.arrived <- struct{}{}:
	default:
	}
	return nil
}

// read takes a mail, or a part of one, apart.
func (l *Letter) read(h interface{ Get(string) string }, body io.Reader) error {
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
	_, about, _ := mime.ParseMediaType(h.Get("Content-Disposition"))
	switch name := about["filename"]; {
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

func (l *Letter) readParts(parts *multipart.Reader) error {
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
