// Package content holds the site as files and puts it into a store as pages and widgets.
//
//	pages/<name>.json              slug, title, settings, and the widget that is the body
//	widgets/<name>/widget.json     name, and which widgets stand in which placeholders
//	widgets/<name>/widget.html     static HTML; a placeholder is <div id="…" class="added-widget-container">
//	widgets/<name>/widget.css      CSS for the widget alone
package content

import (
	"embed"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
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
	File            string   `json:"-"` // "pages/about.json"; the page keeps its id as long as its file keeps its name
	Slug            string   `json:"slug"`
	Also            []string `json:"also"` // other slugs of the same page
	Title           string   `json:"title"`
	MetaTitle       string   `json:"metaTitle"`
	MetaDescription string   `json:"metaDescription"`
	MetaKeywords    string   `json:"metaKeywords"`
	Type            string   `json:"type"`
	Width           string   `json:"width"`
	FontSize        string   `json:"fontSize"`
	FontFamily      string   `json:"fontFamily"`
	Body            string   `json:"body"` // folder of the widget
}

// A Widget is a folder of widgets/.
type Widget struct {
	Folder   string  `json:"-"` // "header"; the widget keeps its id as long as its folder keeps its name
	Name     string  `json:"name"`
	Children []Child `json:"children"`
	HTML     string  `json:"-"`
	CSS      string  `json:"-"`
}

// A Child says which widget stands in the placeholder with id Wrapper.
type Child struct {
	Wrapper string `json:"wrapper"`
	Widget  string `json:"widget"` // folder
}

// Load reads the site that was built in.
func Load() (Site, error) { return LoadFrom(files) }

// LoadFrom reads a site out of any folder. The error is Invalid and names the file and the member.
func LoadFrom(fsys fs.FS) (Site, error) {
	var s Site
	names, err := fs.Glob(fsys, "pages/*.json")
	if err != nil {
		return s, err
	}
	for _, name := range names {
		p := Page{File: name}
		if err := readJSON(fsys, name, &p); err != nil {
			return s, err
		}
		s.Pages = append(s.Pages, p)
	}
	folders, err := fs.Glob(fsys, "widgets/*/widget.json")
	if err != nil {
		return s, err
	}
	for _, name := range folders {
		w, err := readWidget(fsys, path.Dir(name))
		if err != nil {
			return s, err
		}
		s.Widgets = append(s.Widgets, w)
	}
	return s, s.check()
}

func readWidget(fsys fs.FS, folder string) (Widget, error) {
	w := Widget{Folder: path.Base(folder)}
	if err := readJSON(fsys, folder+"/widget.json", &w); err != nil {
		return w, err
	}
	var err error
	if w.HTML, err = readText(fsys, folder+"/widget.html"); err != nil {
		return w, err
	}
	w.CSS, err = readText(fsys, folder+"/widget.css")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // a widget need not have a look of its own
	}
	return w, err
}

func readText(fsys fs.FS, name string) (string, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return "", graph.Wrap(graph.Invalid, err, "%s cannot be read", name)
	}
	return strings.TrimSpace(string(text)), nil
}

func readJSON(fsys fs.FS, name string, into any) error {
	text, err := readText(fsys, name)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return graph.Wrap(graph.Invalid, err, "%s", name)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return graph.Errorf(graph.Invalid, "%s: there is more after the object", name)
	}
	return nil
}

func (s Site) widget(folder string) (Widget, bool) {
	i := slices.IndexFunc(s.Widgets, func(w Widget) bool { return w.Folder == folder })
	if i < 0 {
		return Widget{}, false
	}
	return s.Widgets[i], true
}
