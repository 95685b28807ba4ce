// Package look provides the look of the site, its style sheets and its theme script, for pages that the server
// renders itself: the API reference and the documentation.
package look

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the fallback
	"encoding/base64"
	"html/template"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Fallback is CSS with the names that the style sheets of the site define, for a server without the built site. The CSS is
// in a layer, so that the style sheets of the site take precedence.
//
//go:embed fallback.css
var Fallback template.CSS

// A Look names the files that give a page the look of the site. The zero value names none.
type Look struct {
	Stylesheets []string // URLs
	Theme       string   // URL of the script that applies the stored theme, or ""
}

// Of returns the look of a site from index.html, the document of the site.
func Of(index []byte) Look {
	doc, err := html.Parse(bytes.NewReader(index))
	if err != nil {
		return Look{}
	}
	var found Look
	for node := range doc.Descendants() {
		switch {
		case node.DataAtom == atom.Link && attribute(node, "rel") == "stylesheet":
			found.Stylesheets = append(found.Stylesheets, attribute(node, "href"))
		case node.DataAtom == atom.Script && attribute(node, "type") == "" && attribute(node, "src") != "":
			found.Theme = attribute(node, "src")
		}
	}
	return found
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// HashSource returns the source for a Content-Security-Policy that allows an inline script or style by its hash.
func HashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
