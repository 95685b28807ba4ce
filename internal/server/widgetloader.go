package server

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// The limits of one widget with everything inside it.
const (
	maxNestedWidgets = 1_000
	maxWidgetDepth   = 32
)

// loadWidgetAnswer lists every connection that a client needs to render a widget and its nested children, in the form
// of the answer to one query. It runs one query for each level. It leaves out a child that is its own ancestor,
// because clients follow children without checking for cycles.
func loadWidgetAnswer(ctx context.Context, r graph.Reader, id graph.ID) (wire.Answer, error) {
	w := widgetLoader{reader: r, children: map[graph.ID][]childWidget{}, cyclic: map[graph.ID]bool{}}
	level := []graph.ID{id}
	for depth := 0; len(level) > 0; depth++ {
		if depth == maxWidgetDepth || len(w.children) > maxNestedWidgets {
			return wire.Answer{}, graph.Errorf(graph.TooLarge,
				"widget %d has more than %d levels or %d widgets inside", id, maxWidgetDepth, maxNestedWidgets)
		}
		var err error
		if level, err = w.loadLevel(ctx, level); err != nil {
			return wire.Answer{}, err
		}
	}
	if len(w.roots) == 0 {
		return wire.NewAnswer(query.Answer{}), nil
	}
	w.markCycles(id, nil, map[graph.ID]bool{})
	a := wire.NewAnswer(w.answer())
	a.MainID = id
	return a, nil
}

// A widgetLoader collects a widget and its nested children, level by level.
type widgetLoader struct {
	reader   graph.Reader
	types    map[string]graph.Concept
	roots    []graph.ID
	links    []graph.Connection
	children map[graph.ID][]childWidget // keyed by parent
	cyclic   map[graph.ID]bool          // connections that lead back to an ancestor
}

// A childWidget is a widget inside another widget, and the connection that places it there.
type childWidget struct {
	widget graph.ID
	link   graph.ID
}

// loadLevel loads one level of widgets and returns the widgets inside them that were not loaded before.
func (w *widgetLoader) loadLevel(ctx context.Context, level []graph.ID) ([]graph.ID, error) {
	found, err := query.Run(ctx, w.reader, widgetQuery(level))
	if err != nil {
		return nil, err
	}
	w.roots = append(w.roots, found.Roots...)
	w.links = append(w.links, found.Connections...)
	if w.types == nil {
		w.types, err = graph.TypesNamed(ctx, w.reader, "the_widget_s_child", "the_child_widget_info", "the_child_widget_parent")
		if err != nil {
			return nil, err
		}
	}
	for _, id := range level {
		w.children[id] = nil
	}
	placed, err := w.placedWidgets(ctx, found.Connections)
	if err != nil {
		return nil, err
	}
	var next []graph.ID
	for _, c := range found.Connections {
		if c.Type != w.types["the_widget_s_child"].ID {
			continue
		}
		for _, child := range placed[c.To] {
			w.children[c.From] = append(w.children[c.From], child)
			if _, loaded := w.children[child.widget]; !loaded && !slices.Contains(next, child.widget) {
				next = append(next, child.widget)
			}
		}
	}
	return next, nil
}

// placedWidgets returns the widgets in places for children. A place has a connection to its widget or, in older
// data, text with the id of the widget.
func (w *widgetLoader) placedWidgets(ctx context.Context, links []graph.Connection) (map[graph.ID][]childWidget, error) {
	placed := map[graph.ID][]childWidget{}
	var texts []graph.ID
	for _, c := range links {
		if c.Type == w.types["the_child_widget_info"].ID {
			placed[c.From] = append(placed[c.From], childWidget{c.To, c.ID})
		}
		if c.Type == w.types["the_child_widget_parent"].ID {
			texts = append(texts, c.To)
		}
	}
	if len(texts) == 0 {
		return placed, nil
	}
	concepts, err := w.reader.Concepts(ctx, texts)
	if err != nil {
		return nil, err
	}
	idInText := map[graph.ID]graph.ID{}
	for _, c := range concepts {
		if id, err := graph.ParseID(c.Value); err == nil && id.IsReal() {
			idInText[c.ID] = id
		}
	}
	for _, c := range links {
		if c.Type == w.types["the_child_widget_parent"].ID && idInText[c.To] != 0 && len(placed[c.From]) == 0 {
			placed[c.From] = append(placed[c.From], childWidget{idInText[c.To], c.ID})
		}
	}
	return placed, nil
}

// markCycles marks the connections from a widget, or from a widget inside it, to one of its ancestors.
func (w *widgetLoader) markCycles(id graph.ID, ancestors []graph.ID, visited map[graph.ID]bool) {
	if visited[id] {
		return
	}
	ancestors = append(ancestors, id)
	for _, c := range w.children[id] {
		if slices.Contains(ancestors, c.widget) {
			w.cyclic[c.link] = true
			continue
		}
		w.markCycles(c.widget, ancestors, visited)
	}
	visited[id] = true
}

// answer returns the loaded widgets as the answer to a query.
func (w *widgetLoader) answer() query.Answer {
	a := query.Answer{Roots: w.roots, Total: len(w.roots)}
	listed := map[graph.ID]bool{}
	list := func(id graph.ID) {
		if !listed[id] {
			listed[id] = true
			a.Concepts = append(a.Concepts, id)
		}
	}
	for _, id := range w.roots {
		list(id)
	}
	listedLinks := map[graph.ID]bool{}
	for _, c := range w.links {
		if w.cyclic[c.ID] || listedLinks[c.ID] {
			continue
		}
		listedLinks[c.ID] = true
		a.Links = append(a.Links, c.ID)
		list(c.From)
		list(c.To)
	}
	return a
}

// widgetQuery returns a query for all parts of the given widgets, down to the places for children.
func widgetQuery(ids []graph.ID) query.Query {
	return query.Query{
		ConceptIDs: ids,
		PageSize:   len(ids),
		Selectors: prefixed("the_widget_", "name", "html", "css", "js", "timestamp", "version", "type", "clean",
			"update", "after_render", "before_render", "mount_child", "dependency", "origin", "root"),
		Hops: []query.Query{
			hop("the_widget_s_css_library", "the_css_library_", "order", "url"),
			hop("the_widget_s_js_library", "the_js_library_", "order", "url"),
			hop("the_widget_assistant", "the_assistant_", "id", "input", "type"),
			hop("the_widget_s_custom_function", "the_custom_function_", "name", "slug", "code"),
			hop("the_widget_s_child", "the_child_widget_", "info", "parent", "type", "wrapper", "use_latest"),
			hop("the_widget_documentation", "the_documentation_", "text"),
			documentationHop(),
		},
	}
}

func documentationHop() query.Query {
	n := hop("the_widget_s_documentation", "the_documentation_", "text", "content", "doc_title", "creator_email",
		"created_by", "folder", "type", "language", "return", "code_editor", "method", "method_url", "auth_type",
		"username", "password", "bearer_token", "api_script", "api_body", "s_doc_url", "s_image_url", "s_video_link")
	n.Hops = []query.Query{hop("the_documentation_s_json_list", "the_json_list_", "key", "value")}
	return n
}

// hop returns a query node that follows a connection and selects fields with a common prefix.
func hop(connection, prefix string, fields ...string) query.Query {
	return query.Query{Connection: connection, Selectors: prefixed(prefix, fields...)}
}

func prefixed(prefix string, fields ...string) []string {
	all := make([]string, len(fields))
	for i, field := range fields {
		all[i] = prefix + field
	}
	return all
}
