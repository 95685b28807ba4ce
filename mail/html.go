package mail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A body that people write may hold formatting, pictures and links, and nothing that runs, asks for input or
// reaches beyond itself.
var policy = bluemonday.UGCPolicy()

// Clean makes the two forms of a body that somebody sent: its text, and, when it was HTML, what is safe of that.
func Clean(body string) (text, safe string) {
	if !isHTML(body) {
		return body, ""
	}
	safe = policy.Sanitize(body)
	return plain(safe), safe
}

// isHTML says whether there is a tag in the body. "Ann <ann@example.org>" is none.
func isHTML(body string) bool {
	tokens := html.NewTokenizer(strings.NewReader(body))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return false
		case html.DoctypeToken:
			return true
		case html.StartTagToken, html.SelfClosingTagToken, html.EndTagToken:
			if name, _ := tokens.TagName(); atom.Lookup(name) != 0 {
				return true
			}
		default:
		}
	}
}

var spaces, gaps = regexp.MustCompile(`\s+`), regexp.MustCompile(` *\n *(\n *)+`)

// plain is the text of HTML, with the addresses of its links.
func plain(body string) string {
	var b strings.Builder
	var link string
	tokens := html.NewTokenizer(strings.NewReader(body))
	for {
		kind := tokens.Next()
		token := tokens.Token()
		switch {
		case kind == html.ErrorToken:
			return strings.TrimSpace(gaps.ReplaceAllString(b.String(), "\n\n"))
		case kind == html.TextToken:
			b.WriteString(spaces.ReplaceAllString(token.Data, " "))
		case token.DataAtom == atom.A && kind == html.StartTagToken:
			link = attribute(token, "href")
		case token.DataAtom == atom.A && link != "":
			b.WriteString(" (" + link + ")")
			link = ""
		case slices.Contains(ownLine, token.DataAtom):
			b.WriteByte('\n')
		}
	}
}

var ownLine = []atom.Atom{
	atom.Br, atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.Tr, atom.Table, atom.Blockquote, atom.Pre,
	atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr,
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
