package content

import (
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// record returns the record of a widget whose children are named by id.
func (w Widget) record() record {
	r := record{typ: "the_widget"}
	r.addText("name", w.Name)
	r.addText("type", w.Type)
	r.addText("html", w.HTML)
	r.addText("css", w.CSS)
	for _, hook := range Hooks {
		r.addText(hook.Name, w.Code[hook.Name])
	}
	for _, child := range w.Children {
		r.lists = append(r.lists, innerRecord{"s_child", child.record()})
	}
	for i, url := range w.Libraries.Styles {
		r.lists = append(r.lists, innerRecord{"s_css_library", libraryRecord("the_css_library", i, url)})
	}
	for i, url := range w.Libraries.Scripts {
		r.lists = append(r.lists, innerRecord{"s_js_library", libraryRecord("the_js_library", i, url)})
	}
	for _, f := range w.Functions {
		inner := record{typ: "the_custom_function"}
		inner.addText("name", f.Name)
		inner.addText("slug", f.Slug)
		inner.addText("code", f.Code)
		r.lists = append(r.lists, innerRecord{"s_custom_function", inner})
	}
	for _, e := range w.Documentation {
		r.lists = append(r.lists, innerRecord{"s_documentation", entryRecord(e)})
	}
	return r
}

func (c Child) record() record {
	r := record{typ: "the_child_widget"}
	r.addText("wrapper", c.Wrapper)
	if c.Fixed != 0 {
		r.links = []namedLink{{"info", c.Fixed}}
		return r
	}
	r.addText("use_latest", "true")
	r.links = []namedLink{{"info", parseIDName(c.Widget)}}
	return r
}

func libraryRecord(typ string, i int, url string) record {
	return record{typ: typ, texts: []namedText{{"order", strconv.Itoa(i + 1)}, {"url", url}}}
}

func entryRecord(e page.StoredEntry) record {
	r := record{typ: "the_documentation"}
	for name, text := range e.Texts() {
		r.addText(name, *text)
	}
	for name, texts := range e.Lists() {
		for _, text := range *texts {
			r.addText(name, text)
		}
	}
	for _, pair := range e.JSONList {
		inner := record{typ: "the_json_list"}
		inner.addText("key", pair.Key)
		inner.addText("value", pair.Value)
		r.lists = append(r.lists, innerRecord{"s_json_list", inner})
	}
	return r
}

// asVersionOf returns the record as a version of an original.
func (r record) asVersionOf(original graph.ID, version int) record {
	r.addText("version", strconv.Itoa(version))
	r.addText("origin", original.String())
	r.links = append(r.links, namedLink{"root", original})
	return r
}

// guardedText returns the stored form of Guarded.
func (p Page) guardedText() string {
	if p.Guarded {
		return "true"
	}
	return ""
}
