package page

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

func TestParseHost(t *testing.T) {
	for text, want := range map[string]string{
		"img.example.org":       "https://img.example.org",
		"*.example.org":         "https://*.example.org",
		"img.example.org:8443":  "https://img.example.org:8443",
		"http://127.0.0.1:8081": "http://127.0.0.1:8081",
		"https://localhost":     "https://localhost",
	} {
		if got, err := ParseHost(text); got != want || err != nil {
			t.Errorf("%q is parsed as %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "*", "*.org", "https://*", "https:", "data:", "'unsafe-inline'", "img.example.org/a", "img.example.org; script-src *",
		"img.example.org other.test", "ftp://img.example.org", "https://user@img.example.org", "a.*.example.org", ".example.org", "IMG.example.org", "img.example.org:",
	} {
		if got, err := ParseHost(text); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), text) {
			t.Errorf("%q is parsed as %q, %v", text, got, err)
		}
	}
}

func TestOnlyTrustedWidgetsDeclareFonts(t *testing.T) {
	const css = `p { color: red } @font-face { font-family: f; src: url(https://img.test/f) format("woff2") } @media print { @font-face { font-family: g } b { color: red } } i { color: red }`
	looks := NewLooks(false, []string{"https://img.test"})
	for trust, wantFont := range map[Trust]bool{Trusted: true, Static: false, Sandboxed: false} {
		w := Widget{ID: 7, Trust: trust}
		w.setCSS(css, looks)
		shown := scoped(w.ID, w.CSS)
		before, _, _ := strings.Cut(shown, "@scope")
		if got := strings.Contains(before, "font-family: f"); got != wantFont || strings.Contains(shown, "font-family: g") {
			t.Errorf("%q: the CSS = %s; want the first font outside of @scope: %t, and never the font in @media", trust, shown, wantFont)
		}
		for _, kept := range []string{"p { color: red }", "@media print", "b { color: red }", "i { color: red }"} {
			if !strings.Contains(shown, kept) {
				t.Errorf("%q: %q is not in the CSS: %s", trust, kept, shown)
			}
		}
	}
	w := Widget{ID: 7, Trust: Trusted}
	w.setCSS(css, Looks{})
	if strings.Contains(w.CSS, "font-face") {
		t.Errorf("without hosts the CSS = %s; want no font", w.CSS)
	}
}

func TestThePolicyOfAPageFollowsTheLooks(t *testing.T) {
	shell, err := NewShell([]byte(EmptyIndex), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	body := &Widget{ID: 1, Name: "A", HTML: "a"}
	for name, c := range map[string]struct {
		looks Looks
		want  []string
		not   string
	}{
		"none":   {Looks{}, []string{"img-src 'self' data:;", "font-src 'self';", "frame-src 'self';"}, "unsafe-inline"},
		"styles": {NewLooks(true, nil), []string{"style-src-attr 'unsafe-inline';", "img-src 'self' data:;"}, "style-src 'unsafe-inline'"},
		"hosts": {NewLooks(false, []string{"https://img.test", "https://*.cdn.test"}), []string{
			"img-src 'self' data: https://img.test https://*.cdn.test;", "font-src 'self' https://img.test https://*.cdn.test;",
			"frame-src 'self' https://img.test https://*.cdn.test;", "connect-src 'self';", "script-src 'self';",
		}, "unsafe-inline"},
	} {
		document, err := shell.Fill(Page{Body: body}, "", Policy{Looks: c.looks})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(document.Policy, want) {
				t.Errorf("%s: the policy is %s; want it to contain %s", name, document.Policy, want)
			}
		}
		if strings.Contains(document.Policy, c.not) {
			t.Errorf("%s: the policy = %s; want it without %s", name, document.Policy, c.not)
		}
	}
}

func TestATreeHasTheLooksOfItsRenderer(t *testing.T) {
	text, err := json.Marshal(Widget{Looks: &Looks{Styles: true, Hosts: []string{"https://img.test"}}})
	if err != nil || !strings.Contains(string(text), `"looks":{"styles":true,"hosts":["https://img.test"]}`) {
		t.Errorf("the JSON = %s, %v; want the looks in it", text, err)
	}
}
