package content

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// check reports errors in the files. Without the check, such an error would appear only when a visitor loads the
// page.
func (s Site) check() error {
	if err := s.checkIDs(); err != nil {
		return err
	}
	slugs := map[string]string{}
	for _, p := range s.Pages {
		if err := s.checkPage(p, slugs); err != nil {
			return err
		}
	}
	cycles := cycleCheck{widgets: make(map[string]Widget, len(s.Widgets)), done: map[string]bool{}}
	for _, w := range s.Widgets {
		cycles.widgets[w.Folder] = w
	}
	for _, w := range s.Widgets {
		if err := s.checkWidget(w, cycles); err != nil {
			return err
		}
	}
	return nil
}

// checkIDs rejects negative ids and ids that occur in two files.
func (s Site) checkIDs() error {
	files := map[graph.ID]string{}
	register := func(file string, id graph.ID) error {
		if other, ok := files[id]; ok && id != 0 {
			return memberErrorf(file, "id", "%d is already used by %s", id, other)
		}
		if id < 0 {
			return memberErrorf(file, "id", "invalid id %d: it is negative", id)
		}
		files[id] = file
		return nil
	}
	for _, p := range s.Pages {
		if err := register(p.File, p.ID); err != nil {
			return err
		}
	}
	for _, w := range s.Widgets {
		if err := register(w.file("widget.json"), w.ID); err != nil {
			return err
		}
	}
	return nil
}

// checkPage checks the file of one page. slugs holds the slugs of the pages that were checked before, with their
// files.
func (s Site) checkPage(p Page, slugs map[string]string) error {
	if name := pageName(p.File); name != safeName(name) {
		return graph.Errorf(graph.Invalid, "%s: a file name may contain only lower-case letters, digits, dashes and underscores", p.File)
	}
	for _, slug := range append([]string{p.Slug}, p.Also...) {
		if slug != page.NormalizeSlug(slug) {
			return memberErrorf(p.File, "slug", "%q must be lower case and start, but not end, with a slash", slug)
		}
		if other, ok := slugs[slug]; ok {
			return memberErrorf(p.File, "slug", "%q is already used by %s", slug, other)
		}
		slugs[slug] = p.File
	}
	if p.Title == "" {
		return memberErrorf(p.File, "title", "is missing")
	}
	if !slices.Contains([]string{"", "fixed", "fluid"}, p.Type) {
		return memberErrorf(p.File, "type", `%q is neither "fixed" nor "fluid"`, p.Type)
	}
	if _, ok := s.widget(p.Body); !ok {
		return memberErrorf(p.File, "body", "there is no widget %q", p.Body)
	}
	return nil
}

func (s Site) checkWidget(w Widget, cycles cycleCheck) error {
	if w.Folder != safeName(w.Folder) {
		return graph.Errorf(graph.Invalid, "widgets/%s: a folder name may contain only lower-case letters, digits, dashes and underscores", w.Folder)
	}
	if w.Name == "" {
		return memberErrorf(w.file("widget.json"), "name", "is missing")
	}
	if err := w.checkTexts(); err != nil {
		return err
	}
	free, err := page.Placeholders(w.HTML)
	if err != nil {
		return graph.Wrap(graph.Invalid, err, "%s", w.file("widget.html"))
	}
	for _, child := range w.Children {
		if !slices.Contains(free, child.Wrapper) {
			return memberErrorf(w.file("widget.json"), "children", "%s has no free placeholder %q", w.file("widget.html"), child.Wrapper)
		}
		free = slices.DeleteFunc(free, func(id string) bool { return id == child.Wrapper })
		if _, ok := s.widget(child.Widget); !ok {
			return memberErrorf(w.file("widget.json"), "children", "there is no widget %q", child.Widget)
		}
	}
	return cycles.check(w, nil)
}

// file returns the path of a file of the widget.
func (w Widget) file(name string) string { return "widgets/" + w.Folder + "/" + name }

// checkTexts checks the encoding of each file, the CSS, the functions, the library addresses and the documentation.
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
	if err := page.CheckHTML(w.HTML); err != nil {
		return graph.Wrap(graph.Invalid, err, "%s", w.file("widget.html"))
	}
	if err := page.CheckCSS(w.CSS); err != nil {
		return graph.Wrap(graph.Invalid, err, "%s", w.file("widget.css"))
	}
	if err := w.checkFunctions(); err != nil {
		return err
	}
	for _, address := range slices.Concat(w.Libraries.Styles, w.Libraries.Scripts) {
		if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			return memberErrorf(w.file("widget.json"), "libraries", "%q is not an http or https URL", address)
		}
	}
	for i, e := range w.Documentation {
		if !slices.Contains([]string{"", "api", "function", "imgAndLink"}, e.Type) {
			return memberErrorf(w.file("widget.json"), "documentation", `entry %d: type: %q is neither "", "api", "function" nor "imgAndLink"`, i+1, e.Type)
		}
	}
	return nil
}

func (w Widget) checkFunctions() error {
	taken := map[string]bool{}
	for _, f := range w.Functions {
		switch {
		case f.Slug == "" || f.Name == "":
			return memberErrorf(w.file("widget.json"), "functions", "functions/%s.js needs a slug and a name", f.fileName())
		case f.fileName() != safeName(f.fileName()):
			return memberErrorf(w.file("widget.json"), "functions", "invalid file name %q: only lower-case letters, digits, dashes and underscores are allowed", f.fileName())
		case taken[f.fileName()]:
			return memberErrorf(w.file("widget.json"), "functions", "functions/%s.js is listed twice", f.fileName())
		}
		taken[f.fileName()] = true
	}
	return nil
}

// A cycleCheck rejects widgets that contain themselves. It visits each widget once, because the number of paths is exponential
// if widgets contain other widgets several times on several levels.
type cycleCheck struct {
	widgets map[string]Widget // keyed by folder
	done    map[string]bool   // folders of the widgets that contain no cycle
}

// check checks a widget and those inside it. ancestors lists the folders of the widgets that contain w.
func (c cycleCheck) check(w Widget, ancestors []string) error {
	if c.done[w.Folder] {
		return nil
	}
	ancestors = append(ancestors, w.Folder)
	for _, child := range w.Children {
		if slices.Contains(ancestors, child.Widget) {
			return memberErrorf(w.file("widget.json"), "children",
				"the widget contains itself: %s", strings.Join(append(ancestors, child.Widget), " › "))
		}
		if err := c.check(c.widgets[child.Widget], ancestors); err != nil {
			return err
		}
	}
	c.done[w.Folder] = true
	return nil
}

// pageName returns "about" for "pages/about.json".
func pageName(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(file, "pages/"), ".json")
}

// memberErrorf returns an Invalid error that begins with the file and the member.
func memberErrorf(file, member, format string, args ...any) error {
	return graph.Errorf(graph.Invalid, "%s: %s: "+format, append([]any{file, member}, args...)...)
}
