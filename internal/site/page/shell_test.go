package page_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/internal/site/page"
)

const index = `<html><head><title>Old</title><meta property="og:title" content="Old"><meta property="og:site_name" content="Weft">` +
	`<script src="/theme.js"></script><script type="module" src="/app.js"></script>` +
	`<link rel="stylesheet" crossorigin href="/site.css"><link rel="stylesheet" href="/odd.css"></head><body><div id="app"></div></body></html>`

// files are files of the site; one of them cannot be inlined.
var files = map[string]string{
	"/theme.js": "theme()", "/app.js": "app()", "/site.css": "a > b { color: red }", "/odd.css": "/* </style> */",
}

func TestTheDocumentOfAPage(t *testing.T) {
	shell, err := page.NewShell([]byte(index), func(address string) string { return files[address] })
	if err != nil {
		t.Fatal(err)
	}
	fill := func(p page.Page, libraries page.Libraries) (document page.Document, data page.Page) {
		t.Helper()
		document, err := shell.Fill(p, "https://weft.test", page.Policy{Libraries: libraries})
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(document.HTML), `id="weft-page">`)
		text, _, _ = strings.Cut(text, "</script>")
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			t.Fatal(err)
		}
		return document, data
	}
	f := newFixture(t)
	body, child := f.widget("Body", placeholder), f.widget("Child", "<p>child</p>")
	f.child(body, "in", child)
	f.page("/a", body)
	t.Run("keeps the children that have documentation, without text", func(t *testing.T) {
		inner := page.Child{Wrapper: "in", Widget: page.Widget{ID: 3, Name: "Inner", HTML: "<p>inner</p>", Documented: true}}
		middle := page.Child{Wrapper: "in", Widget: page.Widget{ID: 2, Name: "Middle", HTML: placeholder, Children: []page.Child{inner}}}
		plain := page.Child{Wrapper: "x", Widget: page.Widget{ID: 4, Name: "Plain", HTML: "<p>plain</p>"}}
		_, data := fill(page.Page{Body: &page.Widget{ID: 1, Name: "Body", HTML: placeholder, Children: []page.Child{middle, plain}}}, nil)
		inner.Widget.HTML, middle.Widget.HTML = "", ""
		inner.Widget.Children = []page.Child{}
		middle.Widget.Children = []page.Child{inner}
		if diff := cmp.Diff([]page.Child{middle}, data.Body.Children); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("omits text that the document shows from the data", func(t *testing.T) {
		document, data := fill(f.load("/a"), nil)
		if data.Body.HTML != "" || len(data.Body.Children) != 0 || data.Body.ID != body || data.Body.Root != body {
			t.Errorf("the data of the body = %+v; want only its ids", data.Body)
		}
		for want, n := range map[string]int{"<p>child</p>": 1, "og:title": 1, ">Old<": 0, `content="Weft"`: 1} {
			if got := strings.Count(string(document.HTML), want); got != n {
				t.Errorf("%s occurs %d times in %s", want, got, document.HTML)
			}
		}
	})
	t.Run("has the whole tree as data if a widget has code", func(t *testing.T) {
		f.text(child, "the_widget_before_render", "the_before_render", "'</script><!--<script>'")
		document, data := fill(f.load("/a"), nil)
		inner := data.Body.Children[0].Widget
		if data.Body.HTML == "" || inner.Code == nil || inner.Code.BeforeRender != "'</script><!--<script>'" || inner.Code.Modules["beforeRender"] == "" {
			t.Errorf("the data of the body = %+v; want the HTML of the body, and the code of its child", data.Body)
		}
		if !strings.Contains(string(document.HTML), "<p>child</p></div></div></div></div></div></body>") {
			t.Errorf("the document = %s; want the HTML of the child at its end", document.HTML)
		}
	})
	t.Run("inlines the files that block the first paint", func(t *testing.T) {
		document, _ := fill(f.load("/a"), nil)
		for _, want := range []string{
			"<script>theme()</script>", `<script type="module" src="/app.js"></script>`,
			"<style>" + files["/site.css"] + `</style><link rel="stylesheet" crossorigin="" href="/site.css" disabled=""/>`, `<link rel="stylesheet" href="/odd.css"/>`,
		} {
			if !strings.Contains(string(document.HTML), want) {
				t.Errorf("%s is not in %s", want, document.HTML)
			}
		}
		if want := "style-src 'self' " + page.HashSource(files["/site.css"]); !strings.Contains(document.Policy, want) {
			t.Errorf("%q is not in the policy %s", want, document.Policy)
		}
	})
	t.Run("allows frames of this site and libraries of the operator", func(t *testing.T) {
		hash := "sha384-" + strings.Repeat("a", 64)
		document, _ := fill(f.load("/a"), page.Libraries{{Address: "https://cdn.test/"}, {Address: "https://x.test/a.js", Integrity: hash}})
		for _, want := range []string{
			"; frame-src 'self'; ", "script-src 'self' " + page.HashSource("theme()") + " https://cdn.test/ '" + hash + "'; ",
			" https://cdn.test/ https://x.test/a.js; img-src",
		} {
			if !strings.Contains(document.Policy, want) {
				t.Errorf("%q is not in the policy %s", want, document.Policy)
			}
		}
		if strings.Contains(document.Policy, "unsafe") {
			t.Errorf("the policy = %s; want nothing unsafe", document.Policy)
		}
	})
	t.Run("has no canonical URL for a page without a slug", func(t *testing.T) {
		document, _ := fill(page.Page{Settings: page.Settings{Title: "Not found"}}, nil)
		if strings.Contains(string(document.HTML), "canonical") {
			t.Errorf("the document = %s; want no canonical URL", document.HTML)
		}
	})
}
