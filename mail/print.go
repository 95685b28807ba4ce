package mail

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
)

// Print writes mails to w instead of sending them, for those who try things out.
func Print(w io.Writer) Sender { return &printer{w: w} }

type printer struct {
	mu sync.Mutex
	w  io.Writer
}

// Send implements Sender.
func (p *printer) Send(_ context.Context, l Letter) error {
	var b strings.Builder
	fmt.Fprintf(&b, "── mail to %s ──\n%s\n\n%s\n", l.To, l.Subject, strings.TrimRight(l.Text, "\n"))
	for _, a := range l.Attachments {
		fmt.Fprintf(&b, "[%s, %d bytes]\n", a.Name, len(a.Data))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.w, strings.Map(harmless, b.String()))
	return err
}

// harmless drops what would make a terminal do something.
func harmless(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}
