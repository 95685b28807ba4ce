package page_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

func TestCSSIsAllowed(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                   "",
		"rules":                     ":scope { color: red } .a > b:not([c]) { --x: { y } }",
		"nested rules":              ".a { color: red; &:hover { color: blue } .b & { margin: calc(1px + (2px * 3)) } }",
		"conditions":                "@media (width > 40em) { .a { gap: 1px } } @supports (gap: 1px) { } @container (width > 1px) { }",
		"keyframes":                 "@keyframes weave { from { opacity: 0 } 50% { opacity: .5 } }",
		"an escape inside a string": `.a::before { content: "\201C }"; }`,
		"a string over two lines":   ".a::before { content: \"a\\\nb\" }",
		"a comment with braces":     "/* }}} */ .a { }",
		"a picture of this site":    `.a { background: url("/assets/thread.svg") }`,
		"a picture in the text":     `.a { background: url(data:image/png;base64,AAAA) }`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := page.CheckCSS(text); err != nil {
				t.Errorf("CheckCSS(%q): %v", text, err)
			}
		})
	}
}

func TestCSSIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a brace too many":                    ".a { } } body { display: none }",
		"a brace left open":                   ".a { color: red",
		"a bracket that closes another":       ".a { color: rgb(1,2,3} )",
		"a selector left open":                ".a[b { }",
		"a comment left open":                 ".a { } /* ",
		"a comment of three characters":       "/*/ .a { }",
		"a string left open":                  `.a { content: "x }`,
		"a string that escapes its end":       `.a { content: "x\"`,
		"a string over a line end":            ".a { content: \"x\n\" }",
		"the end of the element":              ".a { } </style><script>alert(1)</script>",
		"the end of the element in capitals":  ".a { } </STYLE >",
		"the end of the element in a comment": "/* </style> */",
		"an import":                           `@import "https://evil.test/a.css";`,
		"an import in capitals":               `@IMPORT url(/a.css);`,
		"an import with an escape":            `@\69mport "https://evil.test/a.css";`,
		"a font":                              `@font-face { font-family: a; src: url(/a.woff2) }`,
		"a layer":                             `@layer site { }`,
		"a rule @scope":                       `@scope (body) { }`,
		"a picture of another site":           `.a { background: url(https://evil.test/a.png) }`,
		"a picture of a host without scheme":  `.a { background: url("//evil.test/a.png") }`,
		"a picture behind a tab":              ".a { background: url(\"/\t/evil.test/a.png\") }",
		"a picture behind a backslash":        `.a { background: url("/\5c evil.test/a.png") }`,
		"a url with an escape":                `.a { background: u\72l(https://evil.test/a.png) }`,
		"a url in capitals":                   `.a { background: URL(https://evil.test/a.png) }`,
		"a malformed url":                     `.a { background: url(a"b) }`,
		"a url left open":                     `.a { background: url(/a`,
		"an image set":                        `.a { background: image-set("https://evil.test/a.png" 1x) }`,
		"an image set of a vendor":            `.a { background: -WebKit-image-set("https://evil.test/a.png" 1x) }`,
		"a src function":                      `.a { background: src("https://evil.test/a.png") }`,
		"an element of the document":          `.a { background: element(#app) }`,
		"an HTML document as picture":         `.a { background: url("data:text/html,x") }`,
		"a NUL":                               ".a { } \x00",
		"very deep nesting":                   strings.Repeat("a{", 1000) + strings.Repeat("}", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			if err := page.CheckCSS(text); graph.KindOf(err) != graph.Invalid {
				t.Errorf("CheckCSS(%q) is %v; want an Invalid error", text, err)
			}
		})
	}
}

// Accepted CSS has balanced braces outside strings and comments, and imports nothing.
func FuzzCheckCSS(f *testing.F) {
	for _, seed := range []string{
		`.a { color: red }`, `.a{content:"\"}"}`, "/**/a{}", `a{b:url( "/x" )}`, "a{b:url(/x", "\"\\\n\"", `a\`, "/*/*/",
		`@media(a){b{c:d(e[f])}}`, `a{--b:url(}`, "a{b:'\\\r\n'}", `a{b:url(x\)}`, "u+0-1{}", "<!--a{}-->", `--url(`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if page.CheckCSS(text) != nil {
			t.Skip("rejected, so none of it is shown")
		}
		bare, closed := withoutStringsAndComments(text)
		if !closed {
			t.Fatalf("%q is accepted, but a string or comment is open", text)
		}
		depth := 0
		for _, c := range bare {
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			case '\\':
				t.Fatalf("%q is accepted, but has an escape", text)
			}
			if depth < 0 {
				t.Fatalf("%q is accepted, but closes a brace that is not open", text)
			}
		}
		if depth != 0 || strings.Contains(strings.ToLower(bare), "@import") {
			t.Fatalf("%q is accepted", text)
		}
	})
}

func withoutStringsAndComments(text string) (bare string, closed bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return "", false
			}
			i += 2 + end + 1
		case text[i] == '"' || text[i] == '\'':
			quote := text[i]
			for i++; i < len(text) && text[i] != quote; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return "", false
			}
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String(), true
}
