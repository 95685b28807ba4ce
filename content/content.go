// Package content holds the site as files, keeps it in a store as pages and widgets, and writes it back as files.
//
//	pages/<name>.json                  slug, title, settings, and the widget that is the body
//	widgets/<name>/widget.json         name, type, libraries, documentation, and which widgets stand in which placeholders
//	widgets/<name>/widget.html         HTML; a placeholder is <div id="…" class="added-widget-container">
//	widgets/<name>/widget.css          CSS for the widget alone
//	widgets/<name>/<hook>.js           code, see Hooks
//	widgets/<name>/functions/<slug>.js functions that the hooks use
//
// In the store a widget is an original and its versions: full copies, of which the original names the newest
// (the_widget_recent) and the published one (the_widget_latest, absent while it is the original itself). A site is
// a the_project of the system called "site", which knows its pages by the names of their files and its widgets by
// those of their folders.
package content

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

//go:embed pages widgets
var files embed.FS

// A Site is what the files say.
type Site struct {
	Pages   []Page
	Widgets []Widget
}

// A Page is a file of pages/. Empty texts are not stored.
type Page struct {
	File            string   `json:"-"`            // "pages/about.json"; the page keeps its id as long as its file keeps its name
	ID              graph.ID `json:"id,omitempty"` // of a page that is not the site's
	Slug            string   `json:"slug"`
	Also            []string `json:"also,omitempty"` // other slugs of the same page
	Title           string   `json:"title"`
	MetaTitle       string   `json:"metaTitle,omitempty"`
	MetaDescription string   `json:"metaDescription,omitempty"`
	MetaKeywords    string   `json:"metaKeywords,omitempty"`
	Type            string   `json:"type,omitempty"`
	Width           string   `json:"width,omitempty"`
	FontSize        string   `json:"fontSize,omitempty"`
	FontFamily      string   `json:"fontFamily,omitempty"`
	Guarded         bool     `json:"guarded,omitempty"` // for signed-in visitors
	Body            string   `json:"body"`              // folder of the widget
}

// A Widget is a folder of widgets/.
type Widget struct {
	Folder        string             `json:"-"`            // "header"; the widget keeps its id as long as its folder keeps its name
	ID            graph.ID           `json:"id,omitempty"` // of the original, when the widget is not the site's
	Name          string             `json:"name"`
	Type          string             `json:"type,omitempty"`
	Children      []Child            `json:"children,omitempty"`
	Libraries     Libraries          `json:"libraries,omitzero"`
	Documentation []page.StoredEntry `json:"documentation,omitempty"`
	Functions     []Function         `json:"functions,omitempty"` // in the file only when they are not in order of their slugs

	HTML string            `json:"-"`
	CSS  string            `json:"-"`
	Code map[string]string `json:"-"` // by Hook.Name
}

// A Child says which widget stands in the placeholder with id Wrapper: its published version, or a Fixed one.
type Child struct {
	Wrapper string   `json:"wrapper"`
	Widget  string   `json:"widget"` // folder
	Fixed   graph.ID `json:"fixed,omitempty"`
}

// Libraries are addresses of what the code needs, in order.
type Libraries struct {
	Styles  []string `json:"styles,omitempty"`
	Scripts []string `json:"scripts,omitempty"`
}

// A Function is code that the hooks call.
type Function struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
	File string `json:"file,omitempty"` // "price" for functions/price.js, where it is not the slug
	Code string `json:"-"`
}

// A Hook is a piece of a widget's code: the_widget_<Name>, in the file <Name>.js unless it says another.
type Hook struct{ Name, File string }

// Hooks are all there are.
var Hooks = []Hook{
	{"before_render", "before_render.js"},
	{"after_render", "after_render.js"},
	{"mount_child", "mount_child.js"},
	{"update", "update.js"},
	{"dependency", "dependency.js"},
	{"js", "main.js"},
}

// Load reads the site that was built in.
func Load() (Site, error) { return LoadFrom(files) }

// LoadFrom reads a site out of any folder. The error is Invalid and names the file and the member.
func LoadFrom(fsys fs.FS) (Site, error) {
	s, err := read(fsys)
	if err != nil {
		return s, err
	}
	return s, s.check()
}

func (s Site) widget(folder string) (Widget, bool) {
	i := slices.IndexFunc(s.Widgets, func(w Widget) bool { return w.Folder == folder })
	if i < 0 {
		return Widget{}, false
	}
	return s.Widgets[i], true
}
