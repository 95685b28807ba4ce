package page

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// code is what of a widget runs. What of it not everybody may read makes the widget private.
func (l *loader) code(id graph.ID) *Code {
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
		l.private[id] = l.private[id] || l.private[part]
	}
	return c
}

// libraries are the addresses of a widget's libraries of a kind, as far as the operator lets it load them.
func (l *loader) libraries(id graph.ID, kind string) []string {
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
		l.private[id] = l.private[id] || l.private[part]
	}
	slices.SortStableFunc(all, func(a, b library) int { return cmp.Compare(a.order, b.order) })
	addresses := []string{}
	for _, one := range all {
		if !slices.Contains(addresses, one.address) {
			addresses = append(addresses, one.address)
		}
	}
	return addresses
}
