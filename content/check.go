package content

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// check finds in the files what would otherwise be found by a visitor.
func (s Site) check() error {
	taken := map[string]string{}
	if err := s.checkIDs(); err != nil {
		return err
	}
	for _, p := range s.Pages {
		if err := s.checkPage(p, taken); err != nil {
			return err
		}
	}
	for _, w := range s.Widgets {
		if err := s.checkWidget(w); err != nil {
			return err
		}
	}
	return nil
}

// checkIDs sees to two files that would be one thing.
func (s Site) checkIDs() error {
	taken := map[graph.ID]string{}
	claim := func(file string, id graph.ID) error {
		if other, ok := taken[id]; ok && id != 0 {
			return wrong(file, "id", "%d is already that of %s", id, other)
		}
		if id < 0 {
			return wrong(file, "id", "%d is not an id of a store", id)
		}
		taken[id] = file
		return nil
	}
	for _, p := range s.Pages {
		if err := claim(p.File, p.ID); err != nil {
			return err
		}
	}
	for _, w := range s.Widgets {
		if err := claim(w.file("widget.json"), w.ID); err != nil {
			return err
		}
	}
	return nil
}

func (s Site) checkPage(p Page, taken map[string]string) error {
	if name := fileName(p.File); name != safeName(name) {
		return graph.Errorf(graph.Invalid, "%s: the name of a file is made of lower-case letters, digits and dashes", p.File)
	}
	for _, slug := range append([]string{p.Slug}, p.Also...) {
		if slug != page.NormalSlug(slug) {
			return wrong(p.File, "slug", "%q must be lower case and start, but not end, with a slash", slug)
		}
		if other, ok := taken[slug]; ok {
			return wrong(p.File, "slug", "%q is already that of %s", slug, other)
		}
		taken[slug] = p.File
	}
	if p.Title == "" {
		return wrong(p.File, "title", "is missing")
	}
	if !slices.Contains([]string{"", "fixed", "fluid"}, p.Type) {
		return wrong(p.File, "type", `%q is neither "fixed" nor "fluid"`, p.Type)
	}
	if _, ok := s.widget(p.Body); !ok {
		return wrong(p.File, "body", "there is no widget %q", p.Body)
	}
	return nil
}

func (s Site) checkWidget(w Widget) error {
	if w.Folder != safeName(w.Folder) {
		return graph.Errorf(graph.Invalid, "widgets/%s: the name of a folder is made of lower-case letters, digits and dashes", w.Folder)
	}
	if w.Name == "" {
		return wrong(w.file("widget.json"), "name", "is missing")
	}
	if err := w.checkTexts(); err != nil {
		return err
	}
	waiting, err := page.Placeholders(w.HTML)
	if err != nil {
		return graph.Wrap(graph.Invalid, err, "%s", w.file("widget.html"))
	}
	for _, child := range w.Children {
		if !slices.Contains(waiting, child.Wrapper) {
			return wrong(w.file("widget.json"), "children", "%s has no placeholder %q left", w.file("widget.html"), child.Wrapper)
		}
		waiting = slices.DeleteFunc(waiting, func(id string) bool { return id == child.Wrapper })
		if _, ok := s.widget(child.Widget); !ok {
			return wrong(w.file("widget.json"), "children", "there is no widget %q", child.Widget)
		}
	}
	return s.checkLoop(w, nil)
}

func (w Widget) file(name string) string { return "widgets/" + w.Folder + "/" + name }

func (w Widget) checkTexts() error {
	files, err := w.files()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := graph.CheckText(w.file(name), files[name]); err != nil {
			return err
		}
	}
	if err := page.CheckCSS(w.CSS); err != nil {
		return graph.Wrap(graph.Invalid, err, "%s", w.file("widget.css"))
	}
	if err := w.checkFunctions(); err != nil {
		return err
	}
	for _, address := range slices.Concat(w.Libraries.Styles, w.Libraries.Scripts) {
		if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return wrong(w.file("widget.json"), "libraries", "%q is no address", address)
		}
	}
	for i, e := range w.Documentation {
		if !slices.Contains([]string{"", "api", "function", "imgAndLink"}, e.Type) {
			return wrong(w.file("widget.json"), "documentation", `entry %d: type: %q is neither "", "api", "function" nor "imgAndLink"`, i+1, e.Type)
		}
	}
	return nil
}

func (w Widget) checkFunctions() error {
	taken := map[string]bool{}
	for _, f := range w.Functions {
		switch {
		case f.Slug == "" || f.Name == "":
			return wrong(w.file("widget.json"), "functions", "functions/%s.js needs a slug and a name", f.file())
		case f.file() != safeName(f.file()):
			return wrong(w.file("widget.json"), "functions", "%q is no name of a file; it is made of lower-case letters, digits and dashes", f.file())
		case taken[f.file()]:
			return wrong(w.file("widget.json"), "functions", "functions/%s.js is there twice", f.file())
		}
		taken[f.file()] = true
	}
	return nil
}

func (s Site) checkLoop(w Widget, above []string) error {
	above = append(above, w.Folder)
	for _, child := range w.Children {
		if slices.Contains(above, child.Widget) {
			return wrong(w.file("widget.json"), "children",
				"%s stands inside itself", strings.Join(append(above, child.Widget), " › "))
		}
		inner, _ := s.widget(child.Widget)
		if err := s.checkLoop(inner, above); err != nil {
			return err
		}
	}
	return nil
}

// fileName is "about" of "pages/about.json".
func fileName(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(file, "pages/"), ".json")
}

func wrong(file, member, format string, args ...any) error {
	return graph.Errorf(graph.Invalid, "%s: %s: "+format, append([]any{file, member}, args...)...)
}
