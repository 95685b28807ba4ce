package mail

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
)

// Print returns a sender that writes e-mails to w instead of sending them, for development.
func Print(w io.Writer) Sender { return &printer{w: w} }

type printer struct {
	mu sync.Mutex
	w  io.Writer
}

// Send implements Sender.
func (p *printer) Send(_ context.Context, l Email) error {
	var b strings.Builder
	fmt.Fprintf(&b, "── mail to %s ──\n%s\n\n%s\n", l.To, l.Subject, strings.TrimRight(l.Text, "\n"))
	for _, a := range l.Attachments {
		fmt.Fprintf(&b, "[%s, %d bytes]\n", a.Name, len(a.Data))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.w, strings.Map(removeControl, b.String()))
	return err
}

// removeControl removes control characters, which could manipulate a terminal.
func removeControl(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}
