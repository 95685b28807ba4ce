package server

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/track"
	"github.com/weft-graph/weft/wire"
)

// A single look-up that finds nothing is answered with a concept whose id is 0: clients cannot bear null.

func (s *Server) getConcept(q *request) (wire.Typed, error) {
	id, err := q.id("id")
	if err != nil {
		return wire.Typed{}, err
	}
	found, err := s.named(q, []graph.ID{id})
	if err != nil || len(found) == 0 {
		return wire.Typed{}, err
	}
	return found[0], nil
}

func (s *Server) getConcepts(q *request) (wire.Concepts, error) {
	ids, err := q.ids()
	if err != nil {
		return nil, err
	}
	return s.named(q, ids)
}

// named are the concepts that ids name, each with its type, those found by another name at the end.
func (s *Server) named(q *request, ids []graph.ID) (wire.Concepts, error) {
	found, err := q.graph.Concepts(q.Context(), ids)
	if err != nil {
		return nil, err
	}
	list, err := s.typed(q, found)
	if err != nil || len(found) == len(ids) {
		return list, err
	}
	others, err := s.otherwise(q, ids, found)
	return append(list, others...), err
}

// otherwise are the concepts that the ids mean which found lacks, each under the id that was asked for.
func (s *Server) otherwise(q *request, ids []graph.ID, found []graph.Concept) (wire.Concepts, error) {
	there := make(map[graph.ID]bool, len(found))
	for _, c := range found {
		there[c.ID] = true
	}
	missing := slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return there[id] || !id.Real() })
	others, err := q.otherNames(missing)
	if err != nil || len(others) == 0 {
		return nil, err
	}
	concepts, err := q.graph.Concepts(q.Context(), slices.Collect(maps.Values(others)))
	if err != nil {
		return nil, err
	}
	byID := make(map[graph.ID]graph.Concept, len(concepts))
	for _, c := range concepts {
		byID[c.ID] = c
	}
	var list wire.Concepts
	for _, id := range missing {
		if c, ok := byID[others[id]]; ok {
			list = append(list, wire.Typed{Concept: c, Ghost: id})
		}
	}
	return list, s.nameTypes(q.Context(), q.graph, list)
}

func (s *Server) conceptByValue(q *request) (wire.Typed, error) {
	fields, err := q.fields("character_value")
	if err != nil {
		return wire.Typed{}, err
	}
	value, err := fields.Text("character_value")
	if err != nil {
		return wire.Typed{}, err
	}
	found, err := q.graph.ConceptsByValue(q.Context(), []graph.ValueKey{{Value: value}})
	slices.SortStableFunc(found, func(a, b graph.Concept) int { return cmp.Compare(rank(a), rank(b)) })
	return s.first(q, found, err)
}

// rank says which of several concepts with one value is meant when the type is left open: the bare
// word, then the type of that name, then whatever carries it.
func rank(c graph.Concept) int {
	switch {
	case c.Type == graph.Word:
		return 0
	case c.IsType():
		return 1
	default:
		return 2
	}
}

func (s *Server) conceptByValueAndType(q *request) (wire.Typed, error) {
	value, typ, err := q.valueAnd("type_id")
	if err != nil || typ == 0 { // a client that knows no such type; in a key 0 is any
		return wire.Typed{}, err
	}
	found, err := q.graph.ConceptsByValue(q.Context(), []graph.ValueKey{{Value: value, Type: typ}})
	return s.first(q, found, err)
}

func (s *Server) conceptByValueAndCategory(q *request) (wire.Typed, error) {
	value, category, err := q.valueAnd("category_id")
	if err != nil || category == 0 {
		return wire.Typed{}, err
	}
	found, err := q.graph.ConceptsByValue(q.Context(), []graph.ValueKey{{Value: value, Category: category}})
	if err == nil && len(found) == 0 && category == graph.CategoryWord {
		// Clients ask this when they could not find the prefix of a longer name.
		return s.typeOrNothing(q, value)
	}
	return s.first(q, found, err)
}

// valueAnd reads a request for a value of a type or category.
func (q *request) valueAnd(name string) (value string, id graph.ID, err error) {
	fields, err := q.fields("character_value", name)
	if err != nil {
		return "", 0, err
	}
	if value, err = fields.Text("character_value"); err != nil {
		return "", 0, err
	}
	id, err = fields.ID(name)
	return value, id, err
}

func (s *Server) first(q *request, found []graph.Concept, err error) (wire.Typed, error) {
	if err != nil || len(found) == 0 {
		return wire.Typed{}, err
	}
	typed, err := s.typed(q, found[:1])
	if err != nil {
		return wire.Typed{}, err
	}
	return typed[0], nil
}

func (s *Server) conceptsOfType(q *request) (wire.Concepts, error) {
	fields, err := q.fields("type", "user_id", "after")
	if err != nil {
		return nil, err
	}
	name, err := fields.Text("type")
	if err != nil {
		return nil, err
	}
	user, err := fields.Int("user_id", 0)
	if err != nil {
		return nil, err
	}
	page, err := partOf(fields)
	if err != nil {
		return nil, err
	}
	types, err := graph.TypesNamed(q.Context(), q.graph, name)
	if err != nil || len(types) == 0 {
		return nil, err
	}
	found, err := q.graph.ConceptsByType(q.Context(), types[name].ID, page)
	if err != nil {
		return nil, err
	}
	found = cut(q, found, func(c graph.Concept) graph.ID { return c.ID })
	return s.typed(q, ofUser(user, found))
}

// ofUser keeps what belongs to a user, or to everybody. User 0 is none in particular.
func ofUser(user int, concepts []graph.Concept) []graph.Concept {
	if user == 0 {
		return concepts
	}
	return slices.DeleteFunc(concepts, func(c graph.Concept) bool {
		return c.Owner != graph.ID(user) && c.Owner != graph.Anonymous
	})
}

// preloaded are the fixed concepts and those used most.
func (s *Server) preloaded(q *request) (wire.Concepts, error) {
	list := graph.Fixed()
	if s.options.Tracker != nil {
		used, err := usedMost(s, q, track.Concepts, suggested, q.graph.Concepts)
		if err != nil {
			return nil, err
		}
		for _, c := range used {
			if c.ID >= graph.FirstFree {
				list = append(list, c)
			}
		}
	}
	return s.typed(q, list)
}
