package server

import (
	"net/http"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// A widgetTree is a widget with everything inside it; null when there is none.
type widgetTree struct {
	Widget *page.Widget `json:"widget"`
}

// versions are the names of a widget's versions.
var versions = map[string]page.Version{"": page.Fixed, "fixed": page.Fixed, "latest": page.Latest, "recent": page.Recent}

// treeWeight is what a tree weighs among queries: so many texts may have to be cleaned.
const treeWeight = 200

func (s *Server) widgetTree(q *request) (widgetTree, error) {
	fields, err := q.fields("id", "version")
	if err != nil {
		return widgetTree{}, err
	}
	id, err := fields.ID("id")
	if err != nil {
		return widgetTree{}, err
	}
	version, ok := versions[fields["version"]]
	if !ok {
		return widgetTree{}, graph.Errorf(graph.Invalid, "version: %q is not fixed, latest or recent", graph.Clip(fields["version"]))
	}
	policy, err := s.options.Policies.at(q.Context())
	if err != nil {
		return widgetTree{}, err
	}
	release, err := s.queries.take(treeWeight)
	if err != nil {
		return widgetTree{}, err
	}
	defer release()
	w, err := page.LoadWidget(q.Context(), q.graph, *policy, id, version)
	if w != nil && s.options.DocumentationWidget != 0 {
		w.Documented = true
	}
	return widgetTree{w}, err
}

func (s *Server) documentation(q *request) (page.Documentation, error) {
	id, err := q.id("id")
	if err != nil {
		return page.Documentation{}, err
	}
	policy, err := s.options.Policies.at(q.Context())
	if err != nil {
		return page.Documentation{}, err
	}
	return page.Documented(q.Context(), q.graph, *policy, id)
}

// widgetModule answers with a part of a widget's code as a module. Whoever asks, it is what everybody may read:
// browsers import modules without a token.
func (s *Server) widgetModule(w http.ResponseWriter, q *request) error {
	fields, err := q.fields("id", "part", "hash")
	if err != nil {
		return err
	}
	id, err := fields.ID("id")
	if err != nil {
		return err
	}
	policy, err := s.options.Policies.at(q.Context())
	if err != nil {
		return err
	}
	everybody := s.as(auth.Caller{User: graph.Anonymous})
	text, err := page.LoadModule(q.Context(), everybody, *policy, id, fields["part"], fields["hash"])
	if err != nil {
		return err
	}
	v := represent("text/javascript; charset=utf-8", []byte(text))
	v.cache = "public, max-age=31536000, immutable" // another text has another hash
	v.serve(w, q.Request, http.StatusOK)
	return nil
}
