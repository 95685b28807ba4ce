package content

import (
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// check finds in the files what would otherwise be found by a visitor.
func (s Site) check() error {
	taken := map[string]string{}
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

func (s Site) checkPage(p Page, taken map[string]string) error {
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
	file := "widgets/" + w.Folder + "/widget"
	if w.Name == "" {
		return wrong(file+".json", "name", "is missing")
	}
	if err := graph.CheckText(file+".html", w.HTML); err != nil {
		return err
	}
	if err := page.CheckCSS(w.CSS); err != nil {
		return graph.Wrap(graph.Invalid, err, "%s.css", file)
	}
	waiting, err := page.Placeholders(w.HTML)
	if err != nil {
		return graph.Wrap(graph.Invalid, err, "%s.html", file)
	}
	for _, child := range w.Children {
		if !slices.Contains(waiting, child.Wrapper) {
			return wrong(file+".json", "children", "%s.html has no placeholder %q left", file, child.Wrapper)
		}
		waiting = slices.DeleteFunc(waiting, func(id string) bool { return id == child.Wrapper })
		if _, ok := s.widget(child.Widget); !ok {
			return wrong(file+".json", "children", "there is no widget %q", child.Widget)
		}
	}
	return s.checkLoop(w, nil)
}

func (s Site) checkLoop(w Widget, above []string) error {
	above = append(above, w.Folder)
	for _, child := range w.Children {
		if slices.Contains(above, child.Widget) {
			return wrong("widgets/"+w.Folder+"/widget.json", "children",
				"%s stands inside itself", strings.Join(append(above, child.Widget), " › "))
		}
		inner, _ := s.widget(child.Widget)
		if err := s.checkLoop(inner, above); err != nil {
			return err
		}
	}
	return nil
}

func wrong(file, member, format string, args ...any) error {
	return graph.Errorf(graph.Invalid, "%s: %s: "+format, append([]any{file, member}, args...)...)
}
