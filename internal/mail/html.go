package mail

import (
	"regexp"
	"slices"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// policy allows formatting, pictures and links. It removes scripts, forms, and elements that embed other documents, such as iframe.
var policy = bluemonday.UGCPolicy()

// Clean returns the text of a body written by a user and, if the body is HTML, the sanitised HTML.
func Clean(body string) (text, safe string) {
	if !isHTML(body) {
		return body, ""
	}
	safe = policy.Sanitize(body)
	return plain(safe), safe
}

// isHTML reports whether the body has an HTML tag. "Ann <ann@example.org>" has none.
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

// plain returns the text of HTML, with the URLs of its links in parentheses.
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

// ownLine lists the elements whose tags start a new line.
var ownLine = []atom.Atom{
	atom.Br, atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.Tr, atom.Table, atom.Blockquote, atom.Pre,
	atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hr,
}

// attribute returns the value of an attribute of a tag, or "".
func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
