// Package content converts the site between files and the pages and widgets of a store. The built-in site is embedded
// in the binary from pages/ and widgets/.
//
//	pages/<name>.json                  slug, title, settings, and the widget that is the body
//	widgets/<name>/widget.json         name, type, libraries, documentation, and the child widget of each placeholder
//	widgets/<name>/widget.html         HTML; a placeholder is <div id="…" class="added-widget-container">
//	widgets/<name>/widget.css          CSS for the widget alone
//	widgets/<name>/<hook>.js           code, see Hooks
//	widgets/<name>/functions/<slug>.js functions that the hooks use
//
// In the store a widget is an original and its versions, which are full copies:
//
//	original ── the_widget_s_copy ──► versions 1, 2, 3 …
//	original ── the_widget_recent ──► the version saved last
//	original ── the_widget_latest ──► the published version; absent while the original itself is published
//
// Pages have no versions. The site is a record of type the_project with the name "site", owned by the system. It links the
// pages and the originals of the site. A page is identified by the name of its file, a widget by the name of its folder,
// so an id stays the same as long as the name does.
//
// The operations, and the parts that each uses:
//
//	caller                function   steps
//	weft content push     Site.Push  LoadFrom → plan → one batch
//	weft content pull     Pull       loadStoredSite → assemble widgets level by level → Site.Save
//	weft content list     List       loadStoredSite
//	weft content publish  Publish    loadStoredSite → one link in one batch
//	weft serve            Seed       Load → plan (seeding) → one batch → prune old versions
//
// A push and a seed compare files and store in the same way. They differ in their writes:
//
//	                        push                              seed
//	changed widget          a version, published on request   a published version
//	changed page            written on request                written
//	page without a file     kept                              removed if it was seeded
//	pushed since last seed  overwritten                       kept until the built-in file changes
//
// Seeding stores the hash of each file (the_page_seed, the_widget_seed) to detect changes of the built-in file. Servers that
// start together use the same local ids, so the store writes the batch once.
//
// Costs: loadStoredSite reads the project, all pages and all originals in a constant number of reads. A plan needs a
// constant number of further reads for the versions that are compared; Pull needs a constant number for each level of nested
// widgets. A push without changes writes nothing.
package content

import (
	"embed"
	"io/fs"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

//go:embed pages widgets
var files embed.FS

// A Site is the content of a site directory.
type Site struct {
	Pages   []Page
	Widgets []Widget
}

// A Page is a file in pages/. Empty text is not stored. The fields with the tag relation are the fields of page.Settings;
// the comment there describes how to add a setting.
type Page struct {
	File            string   `json:"-"`            // "pages/about.json"; the page keeps its id as long as its file keeps its name
	ID              graph.ID `json:"id,omitempty"` // only set for a page that is not part of the site
	Slug            string   `json:"slug" relation:"slug"`
	Also            []string `json:"also,omitempty"` // other slugs of the same page
	Title           string   `json:"title" relation:"title"`
	MetaTitle       string   `json:"metaTitle,omitempty" relation:"meta_title"`
	MetaDescription string   `json:"metaDescription,omitempty" relation:"meta_description"`
	MetaKeywords    string   `json:"metaKeywords,omitempty" relation:"meta_keywords"`
	Type            string   `json:"type,omitempty" relation:"type"`
	Width           string   `json:"width,omitempty" relation:"width"`
	FontSize        string   `json:"fontSize,omitempty" relation:"font_size"`
	FontFamily      string   `json:"fontFamily,omitempty" relation:"font_family"`
	Guarded         bool     `json:"guarded,omitempty"` // only for signed-in visitors
	Body            string   `json:"body"`              // folder of the widget in files; "#" and the id of its original in a page from a store
}

// A Widget is a folder in widgets/.
type Widget struct {
	Folder        string             `json:"-"`            // "header"; the widget keeps its id as long as its folder keeps its name
	ID            graph.ID           `json:"id,omitempty"` // id of the original; only if the widget is not part of the site
	Name          string             `json:"name"`
	Type          string             `json:"type,omitempty"`
	Children      []Child            `json:"children,omitempty"`
	Libraries     Libraries          `json:"libraries,omitzero"`
	Documentation []page.StoredEntry `json:"documentation,omitempty"`
	Functions     []Function         `json:"functions,omitempty"` // in the file only if the file names do not determine their slugs, names and order

	HTML string            `json:"-"`
	CSS  string            `json:"-"`
	Code map[string]string `json:"-"` // keyed by Hook.Name
}

// A Child places a widget in the placeholder whose element id is Wrapper. It places the published version, or the
// version in Fixed.
type Child struct {
	Wrapper string   `json:"wrapper"`
	Widget  string   `json:"widget"` // folder; the #id of the original in a store
	Fixed   graph.ID `json:"fixed,omitempty"`
}

// Libraries are the URLs of the stylesheets and scripts that the code needs, in loading order.
type Libraries struct {
	Styles  []string `json:"styles,omitempty"`
	Scripts []string `json:"scripts,omitempty"`
}

// A Function is code that the hooks call.
type Function struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
	File string `json:"file,omitempty"` // "price" for functions/price.js; empty if it equals the slug
	Code string `json:"-"`
}

// A Hook is a piece of a widget's code. It is stored as the_widget_<Name>.
type Hook struct{ Name, File string }

// Hooks lists all hooks.
var Hooks = []Hook{
	{"before_render", "before_render.js"},
	{"after_render", "after_render.js"},
	{"mount_child", "mount_child.js"},
	{"update", "update.js"},
	{"dependency", "dependency.js"},
	{"js", "main.js"},
}

// Load reads the built-in site. Load does not check it: a test does, because the check would take almost half of the
// processor time of a server's start.
func Load() (Site, error) { return readSite(files) }

// LoadFrom reads and checks the site in a directory. Errors are Invalid and begin with the file and the member.
func LoadFrom(fsys fs.FS) (Site, error) {
	s, err := readSite(fsys)
	if err != nil {
		return s, err
	}
	return s, s.check()
}

// widget returns the widget of a folder.
func (s Site) widget(folder string) (Widget, bool) {
	i := slices.IndexFunc(s.Widgets, func(w Widget) bool { return w.Folder == folder })
	if i < 0 {
		return Widget{}, false
	}
	return s.Widgets[i], true
}
