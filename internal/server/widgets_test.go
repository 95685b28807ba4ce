package server_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/wire"
)

// A widgetWriter creates widgets in a store.
type widgetWriter struct {
	t     *testing.T
	store graph.Store
}

// concept writes a value, or an empty composition if the value is "".
func (w widgetWriter) concept(typ, value string) graph.ID {
	w.t.Helper()
	d := graph.ConceptDraft{TypeName: typ, Value: value}
	if value == "" {
		d.Kind = graph.DraftComposition
	}
	r, err := w.store.Write(w.t.Context(), graph.Batch{
		Sender: graph.Sender{User: graph.Anonymous}, Concepts: []graph.ConceptDraft{d},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Concepts[0].ID
}

func (w widgetWriter) link(from graph.ID, name string, to graph.ID) graph.ID {
	w.t.Helper()
	r, err := w.store.Write(w.t.Context(), graph.Batch{
		Sender:      graph.Sender{User: graph.Anonymous},
		Connections: []graph.ConnectionDraft{{From: from, To: to, TypeName: name, Order: graph.OrderLink}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Connections[0].ID
}

// widget writes a widget with a name, HTML and CSS.
func (w widgetWriter) widget(name string) (widget graph.ID, links []graph.ID) {
	widget = w.concept("the_widget", "")
	for field, value := range map[string]string{"name": name, "html": "<p>" + name, "css": "p{}"} {
		links = append(links, w.link(widget, "the_widget_"+field, w.concept("the_"+field, value)))
	}
	return widget, links
}

// place puts a child into a widget and returns the connections to the place, to its wrapper and to the child.
func (w widgetWriter) place(parent, child graph.ID) []graph.ID {
	place := w.concept("the_child_widget", "")
	return []graph.ID{
		w.link(parent, "the_widget_s_child", place),
		w.link(place, "the_child_widget_wrapper", w.concept("the_wrapper", fmt.Sprint("w", child))),
		w.link(place, "the_child_widget_info", child),
	}
}

func TestWidgets(t *testing.T) {
	s := servertest.Start(t)
	c, w := newCaller(t, s), widgetWriter{t, s.Store}
	original, _ := w.widget("original")
	older, _ := w.widget("older")
	version, links := w.widget("version")
	child, childLinks := w.widget("child")
	links = append(links, childLinks...)
	named, namedLinks := w.widget("named by its id as text")
	links = append(links, namedLinks...)
	w.link(original, "the_widget_latest", older)
	w.link(original, "the_widget_latest", version)
	links = append(links, w.place(version, child)...)
	links = append(links, w.place(version, child)...) // twice in one parent
	place := w.concept("the_child_widget", "")
	links = append(links, w.link(child, "the_widget_s_child", place))
	links = append(links, w.link(place, "the_child_widget_parent", w.concept("the_parent", named.String())))
	cycle := w.place(named, version) // a widget inside itself
	links = append(links, cycle[:2]...)
	library := w.concept("the_css_library", "")
	links = append(links, w.link(version, "the_widget_s_css_library", library))
	links = append(links, w.link(library, "the_css_library_url", w.concept("the_url", "https://example.test/a.css")))
	w.link(version, "the_widget_s_copy", original) // not part of the widget

	for path, want := range map[string]graph.ID{
		fmt.Sprintf("/api/get-latest-widget?id=%d", original): version,
		fmt.Sprintf("/api/get-recent-widget?id=%d", version):  version,
		fmt.Sprintf("/api/get-widget?id=%d", version):         version,
	} {
		t.Run(path, func(t *testing.T) {
			var a wire.Answer
			c.in(t).get(path, &a)
			if a.MainID != want {
				t.Errorf("the main widget is %d; want %d", a.MainID, want)
			}
			checkSameIDs(t, "the widgets", a.MainCompositionIDs, []graph.ID{version, child, named})
			checkSameIDs(t, "the connections", a.Linkers, links)
			if a.Reverse == nil || a.CountInfo == nil {
				t.Errorf("some lists are null: %+v", a)
			}
		})
	}
	t.Run("the response for a record that is not a widget is empty", func(t *testing.T) {
		var a wire.Answer
		c.in(t).get("/api/get-latest-widget?id=404404", &a)
		if a.MainID != 0 || a.MainCompositionIDs == nil || len(a.MainCompositionIDs)+len(a.Linkers) != 0 {
			t.Errorf("response %+v", a)
		}
	})
	t.Run("refuses too deep or too many widgets", func(t *testing.T) {
		outermost := w.concept("the_widget", "")
		for range 40 {
			inner := outermost
			outermost = w.concept("the_widget", "")
			w.place(outermost, inner)
		}
		var e wire.Error
		if status := c.in(t).do("GET", fmt.Sprintf("/api/get-widget?id=%d", outermost), "", nil, &e); status != 413 {
			t.Errorf("status %d %+v; want 413", status, e)
		}
	})
}

// checkSameIDs checks that two lists have the same ids, in any order.
func checkSameIDs(t *testing.T, what string, got, want []graph.ID) {
	t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s are %v; want %v", what, got, want)
	}
}
