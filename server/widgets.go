package server

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) widget(q *request) (wire.Answer, error) {
	id, err := q.id("id")
	if err != nil {
		return wire.Answer{}, err
	}
	return widgetAnswer(q.Context(), q.graph, id)
}

func (s *Server) latestWidget(q *request) (wire.Answer, error) { return s.versionOf(q, page.Latest) }

func (s *Server) recentWidget(q *request) (wire.Answer, error) { return s.versionOf(q, page.Recent) }

// versionOf answers with the widget that an original points to, or with the original while it points nowhere.
func (s *Server) versionOf(q *request, version page.Version) (wire.Answer, error) {
	id, err := q.id("id")
	if err != nil {
		return wire.Answer{}, err
	}
	policy, err := s.options.Policies.at(q.Context())
	if err != nil {
		return wire.Answer{}, err
	}
	if id, err = page.Current(q.Context(), q.graph, *policy, id, version); err != nil {
		return wire.Answer{}, err
	}
	return widgetAnswer(q.Context(), q.graph, id)
}

// What one widget may be made of.
const (
	mostWidgets  = 1_000
	deepestChild = 32
)

// widgetAnswer lists every connection that rendering a widget and its nested children needs. A child that
// is its own ancestor is left out, because clients follow children without looking back.
func widgetAnswer(ctx context.Context, r graph.Reader, id graph.ID) (wire.Answer, error) {
	w := widgets{reader: r, children: map[graph.ID][]child{}, drop: map[graph.ID]bool{}}
	level := []graph.ID{id}
	for depth := 0; len(level) > 0; depth++ {
		if depth == deepestChild || len(w.children) > mostWidgets {
			return wire.Answer{}, graph.Errorf(graph.TooLarge,
				"widget %d has more than %d levels or %d widgets inside", id, deepestChild, mostWidgets)
		}
		var err error
		if level, err = w.read(ctx, level); err != nil {
			return wire.Answer{}, err
		}
	}
	if len(w.roots) == 0 {
		return wire.AnswerOf(query.Answer{}), nil
	}
	w.cut(id, nil, map[graph.ID]bool{})
	a := wire.AnswerOf(w.answer())
	a.MainID = id
	return a, nil
}

type widgets struct {
	reader   graph.Reader
	types    map[string]graph.Concept
	roots    []graph.ID
	links    []graph.Connection
	children map[graph.ID][]child // by widget
	drop     map[graph.ID]bool    // connections that close a circle
}

// A child is a widget that another one holds; link is what says so.
type child struct {
	widget graph.ID
	link   graph.ID
}

// read gathers one level of widgets and returns those inside them that were not met before.
func (w *widgets) read(ctx context.Context, level []graph.ID) ([]graph.ID, error) {
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
	inside, err := w.inside(ctx, found.Connections)
	if err != nil {
		return nil, err
	}
	var next []graph.ID
	for _, c := range found.Connections {
		if c.Type != w.types["the_widget_s_child"].ID {
			continue
		}
		for _, in := range inside[c.To] {
			w.children[c.From] = append(w.children[c.From], in)
			if _, met := w.children[in.widget]; !met && !slices.Contains(next, in.widget) {
				next = append(next, in.widget)
			}
		}
	}
	return next, nil
}

// inside finds the widget in each place for a child: linked, or in older places named by its id as text.
func (w *widgets) inside(ctx context.Context, links []graph.Connection) (map[graph.ID][]child, error) {
	inside := map[graph.ID][]child{}
	var texts []graph.ID
	for _, c := range links {
		if c.Type == w.types["the_child_widget_info"].ID {
			inside[c.From] = append(inside[c.From], child{c.To, c.ID})
		}
		if c.Type == w.types["the_child_widget_parent"].ID {
			texts = append(texts, c.To)
		}
	}
	if len(texts) == 0 {
		return inside, nil
	}
	named, err := w.reader.Concepts(ctx, texts)
	if err != nil {
		return nil, err
	}
	ids := map[graph.ID]graph.ID{}
	for _, c := range named {
		if id, err := graph.ParseID(c.Value); err == nil && id.Real() {
			ids[c.ID] = id
		}
	}
	for _, c := range links {
		if c.Type == w.types["the_child_widget_parent"].ID && ids[c.To] != 0 && len(inside[c.From]) == 0 {
			inside[c.From] = append(inside[c.From], child{ids[c.To], c.ID})
		}
	}
	return inside, nil
}

// cut marks the links to a widget from somewhere inside it.
func (w *widgets) cut(id graph.ID, above []graph.ID, done map[graph.ID]bool) {
	if done[id] {
		return
	}
	above = append(above, id)
	for _, c := range w.children[id] {
		if slices.Contains(above, c.widget) {
			w.drop[c.link] = true
			continue
		}
		w.cut(c.widget, above, done)
	}
	done[id] = true
}

func (w *widgets) answer() query.Answer {
	a := query.Answer{Roots: w.roots, Total: len(w.roots)}
	concepts := map[graph.ID]bool{}
	note := func(id graph.ID) {
		if !concepts[id] {
			concepts[id] = true
			a.Concepts = append(a.Concepts, id)
		}
	}
	for _, id := range w.roots {
		note(id)
	}
	seen := map[graph.ID]bool{}
	for _, c := range w.links {
		if w.drop[c.ID] || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		a.Links = append(a.Links, c.ID)
		note(c.From)
		note(c.To)
	}
	return a
}

// widgetQuery asks for everything a widget is made of, one place for a child deep.
func widgetQuery(ids []graph.ID) query.Query {
	return query.Query{
		ConceptIDs: ids,
		PageSize:   len(ids),
		Selectors: names("the_widget_", "name", "html", "css", "js", "timestamp", "version", "type", "clean",
			"update", "after_render", "before_render", "mount_child", "dependency", "origin", "root"),
		Hops: []query.Query{
			node("the_widget_s_css_library", "the_css_library_", "order", "url"),
			node("the_widget_s_js_library", "the_js_library_", "order", "url"),
			node("the_widget_assistant", "the_assistant_", "id", "input", "type"),
			node("the_widget_s_custom_function", "the_custom_function_", "name", "slug", "code"),
			node("the_widget_s_child", "the_child_widget_", "info", "parent", "type", "wrapper", "use_latest"),
			node("the_widget_documentation", "the_documentation_", "text"),
			documentation(),
		},
	}
}

func documentation() query.Query {
	n := node("the_widget_s_documentation", "the_documentation_", "text", "content", "doc_title", "creator_email",
		"created_by", "folder", "type", "language", "return", "code_editor", "method", "method_url", "auth_type",
		"username", "password", "bearer_token", "api_script", "api_body", "s_doc_url", "s_image_url", "s_video_link")
	n.Hops = []query.Query{node("the_documentation_s_json_list", "the_json_list_", "key", "value")}
	return n
}

func node(connection, prefix string, fields ...string) query.Query {
	return query.Query{Connection: connection, Selectors: names(prefix, fields...)}
}

func names(prefix string, fields ...string) []string {
	all := make([]string, len(fields))
	for i, field := range fields {
		all[i] = prefix + field
	}
	return all
}
