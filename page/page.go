// Package page reads the stored pages of the site and turns them into documents.
//
// A page is a composite of title, slug, settings and a body widget; a widget is HTML, CSS and children
// placed inside it. Only what graph.System owns and shows to everybody is served. Whatever is stored is
// treated as hostile: a loaded Page holds no HTML that could run and no CSS that could leave its widget.
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
//	{ "page": { "id", "slug", "title", … }, "widget": { "id", "name", "html", "css", "children" } | null }
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
}

// A Widget is a piece of a page. One without a name does not exist: it shows InvalidWidget.
type Widget struct {
	ID       graph.ID `json:"id"`
	Name     string   `json:"name"`
	HTML     string   `json:"html"` // sanitised
	CSS      string   `json:"css"`  // checked; "" when it was refused
	Children []Child  `json:"children"`
}

// A Child is a widget that stands in its parent's element whose id is Wrapper.
type Child struct {
	Wrapper string `json:"wrapper"`
	Widget  Widget `json:"widget"`
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
