package content

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// Widgets are named by their folder in files, and by the id of the original in a store. Where widgets of both are
// compared, the names are ids.
func named(id graph.ID) string { return "#" + id.String() }

func idOf(name string) graph.ID {
	id, _ := graph.ParseID(strings.TrimPrefix(name, "#"))
	return id
}

// What a version of a widget consists of besides texts, by relation and type.
var parts = []struct{ relation, typ string }{
	{"the_widget_s_child", "the_child_widget"},
	{"the_widget_s_css_library", "the_css_library"},
	{"the_widget_s_js_library", "the_js_library"},
	{"the_widget_s_custom_function", "the_custom_function"},
	{"the_widget_s_documentation", "the_documentation"},
}

// insides are the records that a version consists of.
func (s *shelf) insides(version graph.ID) []graph.ID {
	var all []graph.ID
	for _, part := range parts {
		for _, id := range s.list(version, part.relation, part.typ) {
			all = append(append(all, id), s.list(id, "the_documentation_s_json_list", "the_json_list")...)
		}
	}
	return all
}

// takeWidgets reads versions of widgets whole, and which widgets their children are.
func (s *shelf) takeWidgets(ctx context.Context, versions []graph.ID) error {
	if err := s.take(ctx, versions); err != nil {
		return err
	}
	for range 2 { // pairs stand inside documentation
		var inside, children []graph.ID
		for _, id := range versions {
			inside = append(inside, s.insides(id)...)
		}
		if err := s.take(ctx, inside); err != nil {
			return err
		}
		for _, id := range inside {
			children = append(children, s.child(id))
		}
		if err := s.take(ctx, children); err != nil {
			return err
		}
	}
	return nil
}

// child is the widget that stands in a place; older builders wrote its id as a text.
func (s *shelf) child(place graph.ID) graph.ID {
	if id := s.record(place, "the_child_widget_info", "the_widget"); id != 0 {
		return id
	}
	id, err := graph.ParseID(s.text(place, "the_child_widget_parent"))
	if err != nil || !id.Real() {
		return 0
	}
	return id
}

// root is the original that a widget is a version of, or the widget itself.
func (s *shelf) root(id graph.ID) graph.ID {
	if root := s.record(id, "the_widget_root", "the_widget"); root != 0 {
		return root
	}
	if root, err := graph.ParseID(s.text(id, "the_widget_origin")); err == nil && root.Real() {
		return root
	}
	return id
}

// recent is the newest version of an original, latest the published one.
func (s *shelf) recent(original graph.ID) graph.ID {
	return cmp.Or(s.record(original, "the_widget_recent", "the_widget"), s.latest(original))
}

func (s *shelf) latest(original graph.ID) graph.ID {
	return cmp.Or(s.record(original, "the_widget_latest", "the_widget"), original)
}

func (s *shelf) version(id graph.ID) int {
	n, err := strconv.Atoi(s.text(id, "the_widget_version"))
	if err != nil {
		return 0
	}
	return n
}

// widget is a version that takeWidgets has read. Children without a place in its HTML are left out.
func (s *shelf) widget(version graph.ID) Widget {
	w := Widget{
		Name: s.text(version, "the_widget_name"), Type: s.text(version, "the_widget_type"),
		HTML: s.text(version, "the_widget_html"), CSS: s.text(version, "the_widget_css"), Code: map[string]string{},
		Libraries: Libraries{Styles: s.libraries(version, "css"), Scripts: s.libraries(version, "js")},
	}
	for _, hook := range Hooks {
		w.Code[hook.Name] = s.text(version, "the_widget_"+hook.Name)
	}
	for _, id := range s.list(version, "the_widget_s_custom_function", "the_custom_function") {
		w.Functions = append(w.Functions, s.function(id, len(w.Functions)))
	}
	for _, id := range s.list(version, "the_widget_s_documentation", "the_documentation") {
		w.Documentation = append(w.Documentation, s.entry(id))
	}
	for _, id := range s.list(version, "the_widget_s_child", "the_child_widget") {
		child := Child{Wrapper: s.text(id, "the_child_widget_wrapper")}
		info := s.child(id)
		if s.text(id, "the_child_widget_use_latest") != "true" {
			child.Fixed = info
		}
		child.Widget = named(s.root(info))
		if info != 0 {
			w.Children = append(w.Children, child)
		}
	}
	return w.inOrder()
}

// inOrder makes equal widgets look alike. Children stand in the order of their places, one for each: the last.
func (w Widget) inOrder() Widget {
	w.Name, w.Type = tidy(w.Name), tidy(w.Type)
	w.Documentation = slices.Clone(w.Documentation)
	for i := range w.Documentation {
		for _, text := range w.Documentation[i].Texts() {
			*text = tidy(*text)
		}
	}
	waiting, err := page.Placeholders(w.HTML)
	if err != nil {
		waiting = nil
	}
	var children []Child
	for _, wrapper := range waiting {
		for _, child := range slices.Backward(w.Children) {
			if child.Wrapper == wrapper && !slices.ContainsFunc(children, func(c Child) bool { return c.Wrapper == wrapper }) {
				children = append(children, child)
			}
		}
	}
	w.Children = children
	return w
}

func (s *shelf) libraries(version graph.ID, kind string) []string {
	typ := "the_" + kind + "_library"
	ids := s.list(version, "the_widget_s_"+kind+"_library", typ)
	order := func(id graph.ID) int { n, _ := strconv.Atoi(s.text(id, typ+"_order")); return n }
	slices.SortStableFunc(ids, func(a, b graph.ID) int { return cmp.Compare(order(a), order(b)) })
	var urls []string
	for _, id := range ids {
		if url := s.text(id, typ+"_url"); url != "" {
			urls = append(urls, url)
		}
	}
	return urls
}

func (s *shelf) function(id graph.ID, n int) Function {
	f := Function{Slug: s.text(id, "the_custom_function_slug"), Name: s.text(id, "the_custom_function_name"), Code: s.text(id, "the_custom_function_code")}
	f.Slug = cmp.Or(f.Slug, safeName(f.Name), "function-"+strconv.Itoa(n+1))
	f.Name = cmp.Or(f.Name, nameOf(f.Slug))
	if safeName(f.Slug) != f.Slug {
		f.File = safeName(f.Slug + "-" + strconv.Itoa(n+1))
	}
	return f
}

func (s *shelf) entry(id graph.ID) page.StoredEntry {
	var e page.StoredEntry
	for name, text := range e.Texts() {
		*text = s.text(id, "the_documentation_"+name)
	}
	for name, texts := range e.Lists() {
		*texts = slices.DeleteFunc(s.texts(id, "the_documentation_"+name), func(text string) bool { return text == "" })
	}
	for _, pair := range s.list(id, "the_documentation_s_json_list", "the_json_list") {
		e.JSONList = append(e.JSONList, page.Pair{Key: s.text(pair, "the_json_list_key"), Value: s.text(pair, "the_json_list_value")})
	}
	return e
}

// A field is a text and the name under which records hold it.
type field struct {
	name string
	text *string
}

func (p *Page) fields() []field {
	return []field{
		{"slug", &p.Slug},
		{"title", &p.Title},
		{"meta_title", &p.MetaTitle},
		{"meta_description", &p.MetaDescription},
		{"meta_keywords", &p.MetaKeywords},
		{"type", &p.Type},
		{"width", &p.Width},
		{"font_size", &p.FontSize},
		{"font_family", &p.FontFamily},
	}
}

// page is a page that was taken.
func (s *shelf) page(id graph.ID) Page {
	var p Page
	for _, f := range p.fields() {
		*f.text = s.text(id, "the_page_"+f.name)
	}
	for _, slug := range s.texts(id, "the_page_s_slug") {
		if slug != "" && slug != p.Slug && !slices.Contains(p.Also, slug) {
			p.Also = append(p.Also, slug)
		}
	}
	slices.Sort(p.Also)
	p.Guarded = s.text(id, "the_page_guarded") == "true"
	if body := s.record(id, "the_page_body", "the_widget"); body != 0 {
		p.Body = named(s.root(body))
	}
	return p.inOrder()
}

// inOrder makes equal pages look alike.
func (p Page) inOrder() Page {
	for _, f := range p.fields() {
		*f.text = tidy(*f.text)
	}
	p.Also = slices.Sorted(slices.Values(p.Also))
	p.Also = slices.Compact(p.Also)
	if len(p.Also) == 0 {
		p.Also = nil
	}
	return p
}
