package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/internal/site/page"
)

func TestCleanHTML(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"keeps rich text", `<h2 id="why">Why</h2><p class="lead">A <em>thread</em>.</p>`, `<h2 id="why">Why</h2><p class="lead">A <em>thread</em>.</p>`},
		{"keeps the name that groups details elements", `<details name="menu"><summary>a</summary>b</details>`, `<details name="menu"><summary>a</summary>b</details>`},
		{"removes a script with its text", `a<script>alert(1)</script>b`, `ab`},
		{"removes event handlers", `<p onclick="alert(1)">x</p>`, `<p>x</p>`},
		{"removes a javascript URL", `<a href="javascript:alert(1)">x</a>`, `<a>x</a>`},
		{"removes a javascript URL with white space", "<a href=\" java\tscript:alert(1)\">x</a>", `<a>x</a>`},
		{"removes a javascript URL with a character reference", `<a href="java&#115;cript:alert(1)">x</a>`, `<a>x</a>`},
		{"removes a data URL from a link", `<a href="data:text/html;base64,PHN2Zz4=">x</a>`, `<a>x</a>`},
		{"removes an image URL from a link", `<a href="data:image/png;base64,AAAA">x</a>`, `<a>x</a>`},
		{"keeps links to pages, sections, sites and mail addresses", `<a href="/about">a</a><a href="#b">b</a><a href="https://c.test/?d">c</a><a href="mailto:a@b.test">d</a>`, `<a href="/about">a</a><a href="#b">b</a><a href="https://c.test/?d">c</a><a href="mailto:a@b.test">d</a>`},
		{"removes the target of a link", `<a href="/a" target="_blank">x</a>`, `<a href="/a">x</a>`},
		{"removes inline styles", `<p style="position:fixed">x</p>`, `<p>x</p>`},
		{"removes a style element with its text", `<style>body{display:none}</style>x`, `x`},
		{"removes data-widget, which identifies other widgets", `<div data-widget="7">x</div>`, `<div>x</div>`},
		{"removes ids and names of the application", `<div id="app"></div><div id="Weft-page"></div><input name="root">`, `<div></div><div></div><input/>`},
		{"drops end tags without a start tag", `</div></div><p>x</p>`, `<p>x</p>`},
		{"closes open elements", `<section><p>x`, `<section><p>x</p></section>`},
		{"keeps a form that posts to this site", `<form action="/api/x" method="post"><input name="a"></form>`, `<form action="/api/x" method="post"><input name="a"/></form>`},
		{"removes the action of a form that posts to another site", `<form action="https://evil.test/"><button formaction="//evil.test">x</button></form>`, `<form><button>x</button></form>`},
		{"removes an action with a host and no scheme", `<form action="//evil.test/"></form>`, `<form></form>`},
		{"keeps an image of this site", `<img src="/a/b.webp" alt="b" width="40">`, `<img src="/a/b.webp" alt="b" width="40"/>`},
		{"removes the source of an image from another site", `<img src="https://evil.test/a.png" alt="a">`, `<img alt="a"/>`},
		{"removes an image source with a host and no scheme", `<img src="//evil.test/a.png" alt="a">`, `<img alt="a"/>`},
		{"removes frames and objects", `<iframe src="/x">y</iframe><object data="/x"></object><embed src="/x">`, ``},
		{"removes base and meta", `<base href="https://evil.test/"><meta http-equiv="refresh" content="0">`, ``},
		{"removes comments", `a<!-- <script>alert(1)</script> -->b`, `ab`},
		{"keeps the case of names in SVG", `<svg viewBox="0 0 8 8" aria-hidden="true"><defs><linearGradient id="g"><stop offset="0" stop-color="var(--thread)"></stop></linearGradient></defs><path d="M0 0L8 8" stroke="url(#g)" fill="none"></path></svg>`, `<svg viewBox="0 0 8 8" aria-hidden="true"><defs><linearGradient id="g"><stop offset="0" stop-color="var(--thread)"></stop></linearGradient></defs><path d="M0 0L8 8" stroke="url(#g)" fill="none"></path></svg>`},
		{"removes external paint servers from SVG", `<svg><rect fill="url(https://evil.test/#a)"></rect></svg>`, `<svg><rect></rect></svg>`},
		{"removes foreignObject from SVG", `<svg><foreignObject><p>x</p></foreignObject></svg>`, `<svg></svg><p>x</p>`},
		{"removes animations of links from SVG", `<svg><a href="#a"><set attributeName="href" to="javascript:alert(1)"></set><text>x</text></a></svg>`, `<svg><a href="#a"><text>x</text></a></svg>`},
		{"removes external references of use", `<svg><use href="//evil.test/a.svg#b"></use><use xlink:href="data:x"></use><use href="#c"></use></svg>`, `<svg><use></use><use></use><use href="#c"></use></svg>`},
		{"removes a field from SVG with what the parser puts into it", `<svg><rect></rect><input name="a"><circle r="4"></circle>x</svg><p>y</p>`, `<svg><rect></rect></svg><p>y</p>`},
		{"removes a form inside a form", `<form><div></form><form action="/x">`, `<form><div></div></form>`},
		{"removes a style element from SVG", `<svg><style><img src=x onerror=alert(1)></style></svg>`, `<svg></svg>`},
		{"removes the classes of builders and keeps the placeholder", `<div id="wdgtcopy1" class="added-widget-container widget_container" draggable="true" ondragstart="builder.drag()" data-widgetid="7"></div>`, `<div id="wdgtcopy1" class="added-widget-container"></div>`},
		{"removes a class attribute that has classes of builders only", `<p class="hover-element wb-block wb-initial-empty widget_selected" onclick="selectMe()">x</p>`, `<p>x</p>`},
		{"keeps other classes unchanged", `<p class=" a  b ">x</p>`, `<p class=" a  b ">x</p>`},
		{"escapes the title of an SVG", `<svg><title><img src=x onerror=alert(1)></title></svg>`, `<svg><title>&lt;img src=x onerror=alert(1)&gt;</title></svg>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := page.CleanHTML(c.given)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("CleanHTML(%s)\n got %s\nwant %s", c.given, got, c.want)
			}
		})
	}
}

func TestCleanHTMLRefusesDeepNesting(t *testing.T) {
	if _, err := page.CleanHTML(strings.Repeat("<div>", 100_000)); err == nil {
		t.Error("a hundred thousand nested elements are accepted")
	}
}

// Cleaned HTML must contain only allowed elements, and cleaning it again must not change it.
func FuzzCleanHTML(f *testing.F) {
	f.Add(`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`)
	f.Add(`<svg><desc><title></svg><p id="</title><img src=x onerror=alert(1)>">`)
	f.Add(`<form><div></form><form action="/x">`)
	f.Add(`<textarea></svg><svg><title><a href="javascript:x">`)
	f.Add(`<svg><rect width="9"/><input name="a"><br>text</svg>`)
	f.Add("<a\x00href=java\x00script:x>")
	f.Fuzz(func(t *testing.T, given string) {
		clean, err := page.CleanHTML(given)
		if err != nil {
			t.Skip("rejected, so none of it is shown")
		}
		again, err := page.CleanHTML(clean)
		if err != nil || again != clean {
			t.Errorf("%q is cleaned to %q, and that to %q, %v", given, clean, again, err)
		}
		tokens := html.NewTokenizer(strings.NewReader(clean))
		for tokens.Next() != html.ErrorToken {
			checkHarmless(t, clean, tokens.Token())
		}
	})
}

// checkHarmless fails the test if a token runs code, fetches, or links to something other than a page.
func checkHarmless(t *testing.T, text string, token html.Token) {
	if token.Type == html.TextToken {
		return
	}
	switch token.Data {
	case "script", "style", "iframe", "object", "embed", "base", "meta", "link", "foreignobject", "set", "animate":
		t.Errorf("%q has an element %s", text, token.Data)
	}
	for _, a := range token.Attr {
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "data-widget" {
			t.Errorf("%q has an attribute %s", text, a.Key)
		}
		value := strings.ToLower(strings.TrimSpace(a.Val))
		if a.Key == "href" && (strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:")) {
			t.Errorf("%q links to %s", text, value)
		}
	}
}
