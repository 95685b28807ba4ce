package content

import (
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// record is a version of a widget whose children are named by id.
func (w Widget) record() record {
	r := record{typ: "the_widget"}
	r.add("name", w.Name)
	r.add("type", w.Type)
	r.add("html", w.HTML)
	r.add("css", w.CSS)
	for _, hook := range Hooks {
		r.add(hook.Name, w.Code[hook.Name])
	}
	for _, child := range w.Children {
		r.lists = append(r.lists, list{"s_child", child.record()})
	}
	for i, url := range w.Libraries.Styles {
		r.lists = append(r.lists, list{"s_css_library", library("the_css_library", i, url)})
	}
	for i, url := range w.Libraries.Scripts {
		r.lists = append(r.lists, list{"s_js_library", library("the_js_library", i, url)})
	}
	for _, f := range w.Functions {
		inner := record{typ: "the_custom_function"}
		inner.add("name", f.Name)
		inner.add("slug", f.Slug)
		inner.add("code", f.Code)
		r.lists = append(r.lists, list{"s_custom_function", inner})
	}
	for _, e := range w.Documentation {
		r.lists = append(r.lists, list{"s_documentation", entryRecord(e)})
	}
	return r
}

func (c Child) record() record {
	r := record{typ: "the_child_widget"}
	r.add("wrapper", c.Wrapper)
	if c.Fixed != 0 {
		r.links = []link{{"info", c.Fixed}}
		return r
	}
	r.add("use_latest", "true")
	r.links = []link{{"info", idOf(c.Widget)}}
	return r
}

func library(typ string, i int, url string) record {
	return record{typ: typ, texts: []text{{"order", strconv.Itoa(i + 1)}, {"url", url}}}
}

func entryRecord(e page.StoredEntry) record {
	r := record{typ: "the_documentation"}
	for name, text := range e.Texts() {
		r.add(name, *text)
	}
	for name, texts := range e.Lists() {
		for _, text := range *texts {
			r.add(name, text)
		}
	}
	for _, pair := range e.JSONList {
		inner := record{typ: "the_json_list"}
		inner.add("key", pair.Key)
		inner.add("value", pair.Value)
		r.lists = append(r.lists, list{"s_json_list", inner})
	}
	return r
}

// copyOf makes a record a version of an original.
func (r record) copyOf(original graph.ID, version int) record {
	r.add("version", strconv.Itoa(version))
	r.add("origin", original.String())
	r.links = append(r.links, link{"root", original})
	return r
}

// guarded is the text of a page that is for signed-in visitors.
func (p Page) guarded() string {
	if p.Guarded {
		return "true"
	}
	return ""
}
