package content

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// idName returns the name of a widget that refers to its original by id. Files refer to widgets by folder. Widgets
// from a store, and widgets that are compared with them, refer to widgets by id.
func idName(id graph.ID) string { return "#" + id.String() }

// parseIDName returns the id in a name from idName, or 0.
func parseIDName(name string) graph.ID {
	id, _ := graph.ParseID(strings.TrimPrefix(name, "#"))
	return id
}

// widgetParts lists the relations and types of the inner records of a widget.
var widgetParts = []struct{ relation, typ string }{
	{"the_widget_s_child", "the_child_widget"},
	{"the_widget_s_css_library", "the_css_library"},
	{"the_widget_s_js_library", "the_js_library"},
	{"the_widget_s_custom_function", "the_custom_function"},
	{"the_widget_s_documentation", "the_documentation"},
}

// innerRecords returns the inner records of a version.
func (s *recordReader) innerRecords(version graph.ID) []graph.ID {
	var all []graph.ID
	for _, part := range widgetParts {
		for _, id := range s.records(version, part.relation, part.typ) {
			all = append(append(all, id), s.records(id, "the_documentation_s_json_list", "the_json_list")...)
		}
	}
	return all
}

// readWidgets reads versions of widgets with their inner records, and the originals of their children.
func (s *recordReader) readWidgets(ctx context.Context, versions []graph.ID) error {
	if err := s.readRecords(ctx, versions); err != nil {
		return err
	}
	for range 2 { // the second pass reads the pairs inside documentation entries
		var inside, children []graph.ID
		for _, id := range versions {
			inside = append(inside, s.innerRecords(id)...)
		}
		if err := s.readRecords(ctx, inside); err != nil {
			return err
		}
		for _, id := range inside {
			children = append(children, s.childWidget(id))
		}
		if err := s.readRecords(ctx, children); err != nil {
			return err
		}
	}
	return nil
}

// childWidget returns the widget of a record of type the_child_widget, or 0. Older site builders stored the widget's id as text.
func (s *recordReader) childWidget(child graph.ID) graph.ID {
	if id := s.newestRecord(child, "the_child_widget_info", "the_widget"); id != 0 {
		return id
	}
	id, err := graph.ParseID(s.text(child, "the_child_widget_parent"))
	if err != nil || !id.IsReal() {
		return 0
	}
	return id
}

// originalOf returns the original of a version; for an original it returns the id itself.
func (s *recordReader) originalOf(id graph.ID) graph.ID {
	if root := s.newestRecord(id, "the_widget_root", "the_widget"); root != 0 {
		return root
	}
	if root, err := graph.ParseID(s.text(id, "the_widget_origin")); err == nil && root.IsReal() {
		return root
	}
	return id
}

// newestVersion returns the version of an original that was saved last.
func (s *recordReader) newestVersion(original graph.ID) graph.ID {
	return cmp.Or(s.newestRecord(original, "the_widget_recent", "the_widget"), s.publishedVersion(original))
}

// publishedVersion returns the version of an original that visitors see.
func (s *recordReader) publishedVersion(original graph.ID) graph.ID {
	return cmp.Or(s.newestRecord(original, "the_widget_latest", "the_widget"), original)
}

// versionNumber returns the number of a version, or 0 for an original.
func (s *recordReader) versionNumber(id graph.ID) int {
	n, err := strconv.Atoi(s.text(id, "the_widget_version"))
	if err != nil {
		return 0
	}
	return n
}

// assembleWidget returns a version that readWidgets has read. Children without a placeholder in the HTML of the
// version are left out.
func (s *recordReader) assembleWidget(version graph.ID) Widget {
	w := Widget{
		Name: s.text(version, "the_widget_name"), Type: s.text(version, "the_widget_type"),
		HTML: s.text(version, "the_widget_html"), CSS: s.text(version, "the_widget_css"), Code: map[string]string{},
		Libraries: Libraries{Styles: s.libraryURLs(version, "css"), Scripts: s.libraryURLs(version, "js")},
	}
	for _, hook := range Hooks {
		w.Code[hook.Name] = s.text(version, "the_widget_"+hook.Name)
	}
	for _, id := range s.records(version, "the_widget_s_custom_function", "the_custom_function") {
		w.Functions = append(w.Functions, s.assembleFunction(id, len(w.Functions)))
	}
	for _, id := range s.records(version, "the_widget_s_documentation", "the_documentation") {
		w.Documentation = append(w.Documentation, s.assembleEntry(id))
	}
	for _, id := range s.records(version, "the_widget_s_child", "the_child_widget") {
		child := Child{Wrapper: s.text(id, "the_child_widget_wrapper")}
		info := s.childWidget(id)
		if s.text(id, "the_child_widget_use_latest") != "true" {
			child.Fixed = info
		}
		child.Widget = idName(s.originalOf(info))
		if info != 0 {
			w.Children = append(w.Children, child)
		}
	}
	return w.normalized()
}

// normalized returns the widget in a form in which equal widgets are identical: text is trimmed, children are in the
// order of their placeholders, and only the last child of each placeholder remains.
func (w Widget) normalized() Widget {
	w.Name, w.Type = normalizeText(w.Name), normalizeText(w.Type)
	w.Documentation = slices.Clone(w.Documentation)
	for i := range w.Documentation {
		for _, text := range w.Documentation[i].Texts() {
			*text = normalizeText(*text)
		}
	}
	placeholders, err := page.Placeholders(w.HTML)
	if err != nil {
		placeholders = nil
	}
	newest := make(map[string]Child, len(w.Children)) // keyed by placeholder
	for _, child := range w.Children {
		newest[child.Wrapper] = child
	}
	var children []Child
	for _, wrapper := range placeholders {
		if child, ok := newest[wrapper]; ok {
			children = append(children, child)
			delete(newest, wrapper)
		}
	}
	w.Children = children
	return w
}

// libraryURLs returns the URLs of the libraries of a kind, "css" or "js", in their stored order.
func (s *recordReader) libraryURLs(version graph.ID, kind string) []string {
	typ := "the_" + kind + "_library"
	ids := s.records(version, "the_widget_s_"+kind+"_library", typ)
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

// assembleFunction returns the function with index n. Missing slugs and names are derived from each other.
func (s *recordReader) assembleFunction(id graph.ID, n int) Function {
	f := Function{Slug: s.text(id, "the_custom_function_slug"), Name: s.text(id, "the_custom_function_name"), Code: s.text(id, "the_custom_function_code")}
	f.Slug = cmp.Or(f.Slug, safeName(f.Name), "function-"+strconv.Itoa(n+1))
	f.Name = cmp.Or(f.Name, defaultFunctionName(f.Slug))
	if safeName(f.Slug) != f.Slug {
		f.File = safeName(f.Slug + "-" + strconv.Itoa(n+1))
	}
	return f
}

func (s *recordReader) assembleEntry(id graph.ID) page.StoredEntry {
	var e page.StoredEntry
	for name, text := range e.Texts() {
		*text = s.text(id, "the_documentation_"+name)
	}
	for name, texts := range e.Lists() {
		*texts = slices.DeleteFunc(s.texts(id, "the_documentation_"+name), func(text string) bool { return text == "" })
	}
	for _, pair := range s.records(id, "the_documentation_s_json_list", "the_json_list") {
		e.JSONList = append(e.JSONList, page.Pair{Key: s.text(pair, "the_json_list_key"), Value: s.text(pair, "the_json_list_value")})
	}
	return e
}

// assemblePage returns a page that readRecords has read.
func (s *recordReader) assemblePage(id graph.ID) Page {
	var p Page
	for relation, text := range page.Texts(&p) {
		*text = s.text(id, "the_page_"+relation)
	}
	for _, slug := range s.texts(id, "the_page_s_slug") {
		if slug != "" && slug != p.Slug && !slices.Contains(p.Also, slug) {
			p.Also = append(p.Also, slug)
		}
	}
	slices.Sort(p.Also)
	p.Guarded = s.text(id, "the_page_guarded") == "true"
	if body := s.newestRecord(id, "the_page_body", "the_widget"); body != 0 {
		p.Body = idName(s.originalOf(body))
	}
	return p.normalized()
}

// normalized returns the page in a form in which equal pages are identical.
func (p Page) normalized() Page {
	for _, text := range page.Texts(&p) {
		*text = normalizeText(*text)
	}
	p.Also = slices.Sorted(slices.Values(p.Also))
	p.Also = slices.Compact(p.Also)
	if len(p.Also) == 0 {
		p.Also = nil
	}
	return p
}
