package mail_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/mail"
)

// An accepted address can be written unchanged into a header and an SMTP command: it is one ASCII word with one @, and
// parsing it again does not change it.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{
		"ann@example.org", `Ann <ann@example.org>`, "a@b\r\nRCPT TO:<c@d>", `"a b"@example.org`, "a@[127.0.0.1]", "a@b@c", "ä@example.org", "=?utf-8?q?a?= <a@b>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := mail.Address(text)
		if err != nil {
			if graph.KindOf(err) != graph.Invalid {
				t.Errorf("%v is %q; want invalid", err, graph.KindOf(err))
			}
			return
		}
		if strings.Count(address, "@") != 1 || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q is accepted as %q", text, address)
		}
		if again, err := mail.Address(address); err != nil || again != address {
			t.Errorf("%q becomes %q, which becomes %q: %v", text, address, again, err)
		}
	})
}
