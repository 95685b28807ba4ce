package server

import (
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// This file holds reads that several areas share. All of them see the graph as the caller of the request does.

// withTypes returns each concept with the concept of its type.
func (req *request) withTypes(concepts []graph.Concept) (wire.Concepts, error) {
	list := make(wire.Concepts, len(concepts))
	for i, c := range concepts {
		list[i].Concept = c
	}
	return list, req.addTypes(list)
}

// addTypes sets the type of each concept in a list, with one read for all of them.
func (req *request) addTypes(list wire.Concepts) error {
	byID := map[graph.ID]*graph.Concept{}
	var ids []graph.ID
	for i := range list {
		id := list[i].Concept.Type
		if _, known := byID[id]; !known && id != 0 {
			byID[id] = nil
			ids = append(ids, id)
		}
	}
	types, err := req.graph.Concepts(req.Context(), ids)
	for i := range types {
		byID[types[i].ID] = &types[i]
	}
	for i := range list {
		list[i].Type = byID[list[i].Concept.Type]
	}
	return err
}

// firstWithType returns the first concept with its type, or a concept with id 0 if the list is empty, because
// clients of the wire contract do not accept null. If err is not nil, it returns err.
func (req *request) firstWithType(concepts []graph.Concept, err error) (wire.ResponseConcept, error) {
	if err != nil || len(concepts) == 0 {
		return wire.ResponseConcept{}, err
	}
	typed, err := req.withTypes(concepts[:1])
	if err != nil {
		return wire.ResponseConcept{}, err
	}
	return typed[0], nil
}

// concept returns the concept with an id or alias, or a concept with id 0 when there is none.
func (req *request) concept(id graph.ID) (wire.ResponseConcept, error) {
	found, err := req.concepts([]graph.ID{id})
	if err != nil || len(found) == 0 {
		return wire.ResponseConcept{}, err
	}
	return found[0], nil
}

// concepts returns the concepts with these ids, each with its type. Concepts found by an alias come last.
func (req *request) concepts(ids []graph.ID) (wire.Concepts, error) {
	found, err := req.graph.Concepts(req.Context(), ids)
	if err != nil {
		return nil, err
	}
	list, err := req.withTypes(found)
	if err != nil || len(found) == len(ids) {
		return list, err
	}
	aliased, err := req.aliasedConcepts(missingIDs(ids, found))
	return append(list, aliased...), err
}

// missingIDs returns the real ids that are not among the concepts found.
func missingIDs(ids []graph.ID, found []graph.Concept) []graph.ID {
	exists := idSet(found)
	return slices.DeleteFunc(slices.Clone(ids), func(id graph.ID) bool { return exists[id] || !id.IsReal() })
}

func idSet(concepts []graph.Concept) map[graph.ID]bool {
	set := make(map[graph.ID]bool, len(concepts))
	for _, c := range concepts {
		set[c.ID] = true
	}
	return set
}

// aliasedConcepts returns the concepts for those of the given ids that are aliases, each with its alias as its id.
func (req *request) aliasedConcepts(ids []graph.ID) (wire.Concepts, error) {
	aliases, err := req.aliases(ids)
	if err != nil || len(aliases) == 0 {
		return nil, err
	}
	concepts, err := req.graph.Concepts(req.Context(), slices.Collect(maps.Values(aliases)))
	if err != nil {
		return nil, err
	}
	byID := make(map[graph.ID]graph.Concept, len(concepts))
	for _, c := range concepts {
		byID[c.ID] = c
	}
	var list wire.Concepts
	for _, id := range ids {
		if c, ok := byID[aliases[id]]; ok {
			list = append(list, wire.ResponseConcept{Concept: c, LocalID: id})
		}
	}
	return list, req.addTypes(list)
}

// aliases returns the ids of concepts for those of the given ids that are aliases, by the alias. A reserved id
// becomes an alias when a draft with this id becomes a value that already exists.
func (req *request) aliases(ids []graph.ID) (map[graph.ID]graph.ID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return req.graph.ResolveIDs(req.Context(), graph.Sender{User: req.caller.User}, ids)
}

// typeName returns the name of a type, or an Invalid error when no concept has its id.
func (req *request) typeName(id graph.ID) (string, error) {
	found, err := req.graph.Concepts(req.Context(), []graph.ID{id})
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", graph.Errorf(graph.Invalid, "unknown type %d", id)
	}
	return found[0].Value, nil
}

// maxTypeNames is the maximum number of names in one request: the lookup of a name also reads every prefix of its
// chain.
const maxTypeNames = 2_000

// typesNamed returns types by name, without those that do not exist. A malformed name is an Invalid error, and more
// than maxTypeNames names are a TooLarge error.
func (req *request) typesNamed(names []wire.Text) (map[string]graph.Concept, error) {
	if len(names) > maxTypeNames {
		return nil, graph.Errorf(graph.TooLarge, "%d type names; the limit is %d", len(names), maxTypeNames)
	}
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
		if err := graph.CheckTypeName(texts[i]); err != nil {
			return nil, err
		}
	}
	return graph.TypesNamed(req.Context(), req.graph, texts...)
}

// typeNamed returns a type, or a concept with id 0 when there is none. A malformed name is not an error: no type
// has it.
func (req *request) typeNamed(name string) (wire.ResponseConcept, error) {
	if graph.CheckTypeName(name) != nil {
		return wire.ResponseConcept{}, nil //nolint:nilerr // no type has a malformed name
	}
	types, err := graph.TypesNamed(req.Context(), req.graph, name)
	if err != nil || len(types) == 0 {
		return wire.ResponseConcept{}, err
	}
	return req.firstWithType([]graph.Concept{types[name]}, nil)
}

// nonNil returns an empty list for nil, so that JSON has [] and not null.
func nonNil(ids []graph.ID) []graph.ID {
	if ids == nil {
		return []graph.ID{}
	}
	return ids
}
