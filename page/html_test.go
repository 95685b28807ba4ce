package page_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/weft-graph/weft/page"
)

func TestCleanHTML(t *testing.T) {
	for _, c := range []struct{ name, given, want string }{
		{"rich text stays", `<h2 id="why">Why</h2><p class="lead">A <em>thread</em>.</p>`, `<h2 id="why">Why</h2><p class="lead">A <em>thread</em>.</p>`},
		{"of details with one name, one is open", `<details name="menu"><summary>a</summary>b</details>`, `<details name="menu"><summary>a</summary>b</details>`},
		{"a script goes with its text", `a<script>alert(1)</script>b`, `ab`},
		{"a handler goes", `<p onclick="alert(1)">x</p>`, `<p>x</p>`},
		{"a javascript link is no link", `<a href="javascript:alert(1)">x</a>`, `<a>x</a>`},
		{"a javascript link in disguise is no link", "<a href=\" java\tscript:alert(1)\">x</a>", `<a>x</a>`},
		{"a link with an entity in its scheme is no link", `<a href="java&#115;cript:alert(1)">x</a>`, `<a>x</a>`},
		{"a data link is no link", `<a href="data:text/html;base64,PHN2Zz4=">x</a>`, `<a>x</a>`},
		{"a picture in a link address is no link", `<a href="data:image/png;base64,AAAA">x</a>`, `<a>x</a>`},
		{"links to pages, sections, sites and people stay", `<a href="/about">a</a><a href="#b">b</a><a href="https://c.test/?d">c</a><a href="mailto:a@b.test">d</a>`, `<a href="/about">a</a><a href="#b">b</a><a href="https://c.test/?d">c</a><a href="mailto:a@b.test">d</a>`},
		{"a link opens where the visitor wants", `<a href="/a" target="_blank">x</a>`, `<a href="/a">x</a>`},
		{"inline style goes", `<p style="position:fixed">x</p>`, `<p>x</p>`},
		{"a style element goes with its text", `<style>body{display:none}</style>x`, `x`},
		{"nobody claims to be another widget", `<div data-widget="7">x</div>`, `<div>x</div>`},
		{"nobody takes the application's ids", `<div id="app"></div><div id="Weft-page"></div><input name="root">`, `<div></div><div></div><input/>`},
		{"a text cannot close its host", `</div></div><p>x</p>`, `<p>x</p>`},
		{"what is open is closed", `<section><p>x`, `<section><p>x</p></section>`},
		{"a form posts to this site", `<form action="/api/x" method="post"><input name="a"></form>`, `<form action="/api/x" method="post"><input name="a"/></form>`},
		{"a form posts nowhere else", `<form action="https://evil.test/"><button formaction="//evil.test">x</button></form>`, `<form><button>x</button></form>`},
		{"a form does not post to a host without scheme", `<form action="//evil.test/"></form>`, `<form></form>`},
		{"an image of this site stays", `<img src="/a/b.webp" alt="b" width="40">`, `<img src="/a/b.webp" alt="b" width="40"/>`},
		{"an image of elsewhere is not fetched", `<img src="https://evil.test/a.png" alt="a">`, `<img alt="a"/>`},
		{"an image of a host without scheme is not fetched", `<img src="//evil.test/a.png" alt="a">`, `<img alt="a"/>`},
		{"frames and objects go", `<iframe src="/x">y</iframe><object data="/x"></object><embed src="/x">`, ``},
		{"base and meta go", `<base href="https://evil.test/"><meta http-equiv="refresh" content="0">`, ``},
		{"comments go", `a<!-- <script>alert(1)</script> -->b`, `ab`},
		{"a drawing keeps the case of its names", `<svg viewBox="0 0 8 8" aria-hidden="true"><defs><linearGradient id="g"><stop offset="0" stop-color="var(--thread)"></stop></linearGradient></defs><path d="M0 0L8 8" stroke="url(#g)" fill="none"></path></svg>`, `<svg viewBox="0 0 8 8" aria-hidden="true"><defs><linearGradient id="g"><stop offset="0" stop-color="var(--thread)"></stop></linearGradient></defs><path d="M0 0L8 8" stroke="url(#g)" fill="none"></path></svg>`},
		{"a drawing does not paint with what is elsewhere", `<svg><rect fill="url(https://evil.test/#a)"></rect></svg>`, `<svg><rect></rect></svg>`},
		{"a drawing does not embed HTML", `<svg><foreignObject><p>x</p></foreignObject></svg>`, `<svg></svg><p>x</p>`},
		{"a drawing does not rewrite links", `<svg><a href="#a"><set attributeName="href" to="javascript:alert(1)"></set><text>x</text></a></svg>`, `<svg><a href="#a"><text>x</text></a></svg>`},
		{"a drawing does not reach out through use", `<svg><use href="//evil.test/a.svg#b"></use><use xlink:href="data:x"></use><use href="#c"></use></svg>`, `<svg><use></use><use></use><use href="#c"></use></svg>`},
		{"a style inside a drawing goes", `<svg><style><img src=x onerror=alert(1)></style></svg>`, `<svg></svg>`},
		{"a builder's marks go and the placeholder stays", `<div id="wdgtcopy1" class="added-widget-container widget_container" draggable="true" ondragstart="builder.drag()" data-widgetid="7"></div>`, `<div id="wdgtcopy1" class="added-widget-container"></div>`},
		{"an element that is only marked keeps no class", `<p class="hover-element wb-block wb-initial-empty widget_selected" onclick="selectMe()">x</p>`, `<p>x</p>`},
		{"classes that nobody's builder set stay as they are", `<p class=" a  b ">x</p>`, `<p class=" a  b ">x</p>`},
		{"a title inside a drawing is text", `<svg><title><img src=x onerror=alert(1)></title></svg>`, `<svg><title>&lt;img src=x onerror=alert(1)&gt;</title></svg>`},
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

func TestCleanHTMLRefusesWhatIsNestedTooDeep(t *testing.T) {
	if _, err := page.CleanHTML(strings.Repeat("<div>", 100_000)); err == nil {
		t.Error("a hundred thousand elements inside each other are accepted")
	}
}

// Whatever goes in, what comes out reads as the same harmless elements every time it is read.
func FuzzCleanHTML(f *testing.F) {
	f.Add(`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`)
	f.Add(`<svg><desc><title></svg><p id="</title><img src=x onerror=alert(1)>">`)
	f.Add(`<form><div></form><form action="/x">`)
	f.Add(`<textarea></svg><svg><title><a href="javascript:x">`)
	f.Add("<a\x00href=java\x00script:x>")
	f.Fuzz(func(t *testing.T, given string) {
		once, err := page.CleanHTML(given)
		if err != nil {
			t.Skip("refused whole, so nothing of it is shown")
		}
		tokens := html.NewTokenizer(strings.NewReader(once))
		for tokens.Next() != html.ErrorToken {
			harmless(t, once, tokens.Token())
		}
	})
}

func harmless(t *testing.T, text string, token html.Token) {
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
