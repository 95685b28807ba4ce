package server

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// typed puts the concept of its type beside each concept.
func (s *Server) typed(q *request, concepts []graph.Concept) (wire.Concepts, error) {
	list := make(wire.Concepts, len(concepts))
	for i, c := range concepts {
		list[i].Concept = c
	}
	return list, s.nameTypes(q.Context(), q.graph, list)
}

func (s *Server) nameTypes(ctx context.Context, r graph.Reader, list wire.Concepts) error {
	byID := map[graph.ID]*graph.Concept{}
	var ids []graph.ID
	for i := range list {
		id := list[i].Concept.Type
		if _, known := byID[id]; !known && id != 0 {
			byID[id] = nil
			ids = append(ids, id)
		}
	}
	types, err := r.Concepts(ctx, ids)
	for i := range types {
		byID[types[i].ID] = &types[i]
	}
	for i := range list {
		list[i].Type = byID[list[i].Concept.Type]
	}
	return err
}

// mostNames bounds the look-ups of one request: a name is looked up with all it is made of.
const mostNames = 2_000

func (s *Server) typesByName(q *request) ([]graph.ID, error) {
	var names []wire.Text
	if err := wire.Decode(q.body, &names); err != nil {
		return nil, err
	}
	types, err := q.typesNamed(names)
	ids := []graph.ID{}
	for _, name := range names {
		if c, ok := types[string(name)]; ok {
			ids = append(ids, c.ID)
		}
	}
	return ids, err
}

// typesNamed finds types; names that cannot be one's are refused.
func (q *request) typesNamed(names []wire.Text) (map[string]graph.Concept, error) {
	if len(names) > mostNames {
		return nil, graph.Errorf(graph.TooLarge, "%d type names; the most is %d", len(names), mostNames)
	}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
		if err := graph.CheckTypeName(texts[i]); err != nil {
			return nil, err
		}
	}
	return graph.TypesNamed(q.Context(), q.graph, texts...)
}

func (s *Server) typeOrNothing(q *request, name string) (wire.Typed, error) {
	if graph.CheckTypeName(name) != nil {
		return wire.Typed{}, nil //nolint:nilerr // what cannot be a type's name names none
	}
	types, err := graph.TypesNamed(q.Context(), q.graph, name)
	if err != nil || len(types) == 0 {
		return wire.Typed{}, err
	}
	return s.first(q, []graph.Concept{types[name]}, nil)
}

// makeType finds a type or makes it with its whole chain. Finding is everybody's.
func (s *Server) makeType(q *request) (wire.Typed, error) {
	fields, err := q.fields("type")
	if err != nil {
		return wire.Typed{}, err
	}
	name, err := fields.Text("type")
	if err != nil {
		return wire.Typed{}, err
	}
	if err := graph.CheckTypeName(name); err != nil {
		return wire.Typed{}, err
	}
	found, err := s.typeOrNothing(q, name)
	if err != nil || found.Concept.ID != 0 {
		return found, err
	}
	receipt, err := q.graph.Write(q.Context(), graph.Batch{
		Sender:   q.sender(),
		Concepts: []graph.ConceptDraft{{Kind: graph.DraftType, TypeName: name}},
	})
	return s.first(q, receipt.Concepts, err)
}
