package server_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/wire"
)

// A weaver makes widgets in a store.
type weaver struct {
	t     *testing.T
	store graph.Store
}

func (w weaver) make(kind, value string) graph.ID {
	w.t.Helper()
	d := graph.ConceptDraft{TypeName: kind, Value: value}
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

func (w weaver) link(from graph.ID, name string, to graph.ID) graph.ID {
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

func (w weaver) widget(name string) (widget graph.ID, links []graph.ID) {
	widget = w.make("the_widget", "")
	for field, value := range map[string]string{"name": name, "html": "<p>" + name, "css": "p{}"} {
		links = append(links, w.link(widget, "the_widget_"+field, w.make("the_"+field, value)))
	}
	return widget, links
}

// place puts a child into a widget and returns the links: to the place, to its wrapper, to the child.
func (w weaver) place(parent, child graph.ID) []graph.ID {
	place := w.make("the_child_widget", "")
	return []graph.ID{
		w.link(parent, "the_widget_s_child", place),
		w.link(place, "the_child_widget_wrapper", w.make("the_wrapper", fmt.Sprint("w", child))),
		w.link(place, "the_child_widget_info", child),
	}
}

func TestWidgets(t *testing.T) {
	s := servertest.Start(t)
	c, w := call(t, s), weaver{t, s.Store}
	original, _ := w.widget("original")
	older, _ := w.widget("older")
	version, links := w.widget("version")
	child, more := w.widget("child")
	links = append(links, more...)
	named, more := w.widget("named by its id as text")
	links = append(links, more...)
	w.link(original, "the_widget_latest", older)
	w.link(original, "the_widget_latest", version)
	links = append(links, w.place(version, child)...)
	links = append(links, w.place(version, child)...) // twice in one parent
	place := w.make("the_child_widget", "")
	links = append(links, w.link(child, "the_widget_s_child", place))
	links = append(links, w.link(place, "the_child_widget_parent", w.make("the_parent", named.String())))
	circle := w.place(named, version) // a widget inside itself
	links = append(links, circle[:2]...)
	library := w.make("the_css_library", "")
	links = append(links, w.link(version, "the_widget_s_css_library", library))
	links = append(links, w.link(library, "the_css_library_url", w.make("the_url", "https://example.test/a.css")))
	w.link(version, "the_widget_s_copy", original) // not a part of it

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
			same(t, "the widgets", a.MainCompositionIDs, []graph.ID{version, child, named})
			same(t, "the connections", a.Linkers, links)
			if a.Reverse == nil || a.CountInfo == nil {
				t.Errorf("some lists are null: %+v", a)
			}
		})
	}
	t.Run("what is no widget has nothing to show", func(t *testing.T) {
		var a wire.Answer
		c.in(t).get("/api/get-latest-widget?id=404404", &a)
		if a.MainID != 0 || a.MainCompositionIDs == nil || len(a.MainCompositionIDs)+len(a.Linkers) != 0 {
			t.Errorf("answered %+v", a)
		}
	})
	t.Run("widgets without end are refused", func(t *testing.T) {
		outermost := w.make("the_widget", "")
		for range 40 {
			inner := outermost
			outermost = w.make("the_widget", "")
			w.place(outermost, inner)
		}
		var e wire.Error
		if status := c.in(t).do("GET", fmt.Sprintf("/api/get-widget?id=%d", outermost), "", nil, &e); status != 413 {
			t.Errorf("answered %d %+v", status, e)
		}
	})
}

func same(t *testing.T, what string, got, want []graph.ID) {
	t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s are %v; want %v", what, got, want)
	}
}
