package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// code returns the code of a widget. It restricts the widget when a part of the code is not public.
func (l *treeLoader) code(id graph.ID) *Code {
	text := func(name string) string { return l.text(id, "the_widget_"+name) }
	c := &Code{
		HTML: text("html"), CSS: text("css"), JS: text("js"), BeforeRender: text("before_render"), AfterRender: text("after_render"),
		MountChild: text("mount_child"), Update: text("update"), Dependency: text("dependency"),
		Functions: []Function{}, Styles: l.libraries(id, "css"), Scripts: l.libraries(id, "js"),
	}
	for _, part := range l.parts(id, "the_widget_s_custom_function", "the_custom_function") {
		text := func(name string) string { return l.text(part, "the_custom_function_"+name) }
		if f := (Function{text("name"), text("slug"), text("code")}); f.Code != "" {
			c.Functions = append(c.Functions, f)
		}
		if l.record(part).restricted {
			l.restrict(id)
		}
	}
	return c
}

// libraries returns the addresses of those libraries of a widget that have the given kind ("css" or "js") and that the
// operator allows, in their stored order.
func (l *treeLoader) libraries(id graph.ID, kind string) []string {
	type library struct {
		order   float64
		address string
	}
	var all []library
	for _, part := range l.parts(id, "the_widget_s_"+kind+"_library", "the_"+kind+"_library") {
		order, _ := strconv.ParseFloat(l.text(part, "the_"+kind+"_library_order"), 64)
		if address, ok := l.Libraries.find(l.text(part, "the_"+kind+"_library_url")); ok {
			all = append(all, library{order, address})
		}
		if l.record(part).restricted {
			l.restrict(id)
		}
	}
	slices.SortStableFunc(all, func(a, b library) int { return cmp.Compare(a.order, b.order) })
	addresses := []string{}
	for _, l := range all {
		if !slices.Contains(addresses, l.address) {
			addresses = append(addresses, l.address)
		}
	}
	return addresses
}
