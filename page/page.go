// Package page reads the stored pages of the site and turns them into documents.
//
// A page is a composite of title, slug, settings and a body widget; a widget is HTML, CSS and children
// placed inside it. A Policy says whose pages are served and how far the code of whose widgets may go.
// Whatever is stored is treated as hostile: what is shown of it holds no HTML that could run and no CSS that
// could leave its widget. Code stands apart, and only that of owners who are trusted with it.
package page

import (
	"strings"

	"github.com/weft-graph/weft/graph"
)

// What a reader sees in place of something that is not there.
const (
	InvalidPage   = "Invalid or Page doesn't exist"
	InvalidWidget = "Invalid or Widget doesn't exist"
)

// A Page is a loaded page. Its JSON is what the browser's renderer starts from:
//
//	{ "page": { "id", "slug", "title", … }, "widget": { "id", "name", "html", "css", "children", … } | null }
type Page struct {
	Settings Settings `json:"page"`
	Body     *Widget  `json:"widget"` // nil when the page has none

	reads map[graph.ID]bool
}

// Settings are the values of a page; "" means that there is none. They are texts, as stored.
type Settings struct {
	ID              graph.ID `json:"id"`
	Slug            string   `json:"slug"`
	Title           string   `json:"title"`
	MetaTitle       string   `json:"metaTitle"`
	MetaDescription string   `json:"metaDescription"`
	MetaKeywords    string   `json:"metaKeywords"`
	Type            string   `json:"type"` // "fixed" or "fluid"
	Width           string   `json:"width"`
	FontSize        string   `json:"fontSize"` // in px
	FontFamily      string   `json:"fontFamily"`
	Guarded         bool     `json:"guarded,omitempty"` // for visitors who are signed in
}

// DocumentTitle is what the browser shows as the page's name.
func (s Settings) DocumentTitle() string {
	if s.MetaTitle != "" {
		return s.MetaTitle
	}
	return s.Title
}

// Touched says whether a change may have made the page another one than was loaded.
func (p Page) Touched(change graph.Change) bool {
	if change.Wide {
		return true
	}
	for _, id := range change.Concepts {
		if p.reads[id] {
			return true
		}
	}
	return false
}

// NormalSlug is the slug under which an address is looked up: "/About/" is "/about", "" is "/".
func NormalSlug(path string) string {
	return "/" + strings.ToLower(strings.Trim(path, "/"))
}
