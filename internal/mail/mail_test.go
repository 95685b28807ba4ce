package mail_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/mail"
)

func TestAddressAcceptsPlainASCIIAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"ann@example.org": "ann@example.org", " ann@example.org ": "ann@example.org", "Ann <ann@example.org>": "ann@example.org",
		"a.b+c@d-e.org": "a.b+c@d-e.org", "A@B.COM": "A@B.COM",
	} {
		if got, err := mail.Address(text); err != nil || got != want {
			t.Errorf("the address of %q = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "ann", "@", "ann@", "@example.org", "a b@example.org", "ann@example.org, ben@example.org", "a@@b.org",
		"ann@example.org\r\nBcc: ben@example.org", "ann@example.org\nRCPT TO:<ben@example.org>", "<ann@example.org>\r\n",
		"\"a b\"@example.org", "ann\x00@example.org", "ünn@example.org", "ann@exämple.org",
		"ann@[127.0.0.1]", "ann@example.org>", strings.Repeat("a", 250) + "@example.org",
	} {
		if got, err := mail.Address(text); graph.KindOf(err) != graph.Invalid {
			t.Errorf("the address of %q = %q, %v; want an invalid error", text, got, err)
		}
	}
}

func TestCleanRemovesActiveContent(t *testing.T) {
	for body, want := range map[string][2]string{
		"plain text":                           {"plain text", ""},
		"2 < 3 > 1 & Ann <ann@example.org>":    {"2 < 3 > 1 & Ann <ann@example.org>", ""},
		"<p>Hello <b>Ann</b></p><p>Bye</p>":    {"Hello Ann\n\nBye", "<p>Hello <b>Ann</b></p><p>Bye</p>"},
		"a<br>b":                               {"a\nb", "a<br>b"},
		"<script>alert(1)</script><p>x</p>":    {"x", "<p>x</p>"},
		`<p onclick="x()">x</p>`:               {"x", "<p>x</p>"},
		`<a href="javascript:x()">x</a>`:       {"x", "x"},
		`<form action="//evil"><input></form>`: {"", ""},
		"<iframe src=//evil></iframe><p>x":     {"x", "<p>x"},
	} {
		text, html := mail.Clean(body)
		if text != want[0] || html != want[1] {
			t.Errorf("%q became %q and %q; want %q", body, text, html, want)
		}
	}
	if text, html := mail.Clean(`<p>See <a href="https://weft.test/">here</a>.</p>`); text != "See here (https://weft.test/)." || !strings.Contains(html, `href="https://weft.test/"`) {
		t.Errorf("a link became %q and %q; want its URL in parentheses in the text, and its href in the HTML", text, html)
	}
}

func TestPrintRemovesControlCharacters(t *testing.T) {
	var b bytes.Buffer
	m := mail.Message{Subject: "Hi\x1b[2J", Text: "line\r\nline\x07\u009b31m\ttab", Attachments: []mail.Attachment{{Name: "a.txt", Data: []byte("abc")}}}
	if err := mail.Print(&b).Send(t.Context(), mail.Email{Message: &m, To: "ann@example.org"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"\x1b", "\x07", "\r", "\u009b"} {
		if strings.Contains(b.String(), c) {
			t.Errorf("the control character %q was printed; want it removed", c)
		}
	}
	for _, want := range []string{"ann@example.org", "Hi", "line\nline", "\ttab", "a.txt, 3 bytes"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the printed e-mail has no %q:\n%s", want, b.String())
		}
	}
}

func TestDialSMTPChecksURLs(t *testing.T) {
	for _, url := range []string{
		"", "smtp://", "http://mail.test", "smtp://user:secret@mail.test", "smtp://mail.test?tls=maybe", "smtp://mail.test:port", "mail.test:25",
	} {
		if _, err := mail.DialSMTP(url, "", "weft@example.org"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("DialSMTP(%q) = %v; want an error without the password", url, err)
		}
	}
	for _, url := range []string{"smtp://mail.test", "smtp://ann@mail.test:587?tls=starttls", "smtps://mail.test", "smtp://mail.test:25?tls=none"} {
		if _, err := mail.DialSMTP(url, "secret", "Weft <weft@example.org>"); err != nil {
			t.Errorf("DialSMTP(%q) = %v; want no error", url, err)
		}
	}
	if _, err := mail.DialSMTP("smtp://mail.test", "", "nobody"); err == nil {
		t.Error("a sender without an address was accepted")
	}
}
