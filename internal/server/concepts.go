package server

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/wire"
)

// conceptAPI serves single concepts, lists of them, and types. A lookup without a result responds with a concept whose
// id is 0, because clients of the contract do not accept null.
type conceptAPI struct{ owned *ownedRecords }

func (a *conceptAPI) routes() []route {
	return []route{
		{"POST", "/api/getConcept", smallBody, jsonEndpoint(a.get), "A concept by its id; id 0 when there is none", fields("id int")},
		{"POST", "/api/get_concept_bulk", largeBody, jsonEndpoint(a.getAll), "Concepts by their ids; ids without a concept are left out", jsonBody[[]graph.ID]()},
		{"POST", "/api/get_concept_by_character_value", smallBody, withoutIdentity(withCookie, jsonEndpoint(a.byValue)), "A concept by its value, types first", fields("character_value text")},
		{"POST", "/api/get_concept_by_character_and_type", smallBody, jsonEndpoint(a.byValueAndType), "A concept by its value and type", fields("character_value text", "type_id int")},
		{"POST", "/api/get_concept_by_character_and_category_direct", smallBody, jsonEndpoint(a.byValueAndCategory), "A concept by its value and category", fields("character_value text", "category_id int")},
		{"POST", "/api/get_concept_by_character_and_category", smallBody, jsonEndpoint(a.byValue), "A concept by its value, types first; the category is ignored", fields("character_value text")},
		{"POST", "/api/get_character_by_character", smallBody, jsonEndpoint(a.characterByValue), "A value as a separate text record, with the id of its concept; id 0 when there is none", fields("character_value text")},
		{"POST", "/api/get_type_concept_by_character_bulk", largeBody, jsonEndpoint(a.typeIDs), "The ids of types by their names", jsonBody[[]string]()},
		{"POST", "/api/get_all_concepts_by_type", smallBody, jsonEndpoint(a.ofType), "Instances of a type", fields("type text", "user_id int?", "after int?")},
		{"POST", "/api/get_all_concepts_of_user", smallBody, jsonEndpoint(a.ofCaller), "The caller's own concepts", fields("user_id int", "inpage int?", "after text?")},
		{"POST", "/api/make_the_type_concept", smallBody, jsonEndpoint(a.makeType), "A type by its name; a new type is created with its whole chain", fields("type text")},
	}
}

func (a *conceptAPI) get(req *request) (wire.ResponseConcept, error) {
	id, err := req.idField("id")
	if err != nil {
		return wire.ResponseConcept{}, err
	}
	return req.concept(id)
}

func (a *conceptAPI) getAll(req *request) (wire.Concepts, error) {
	ids, err := req.idList()
	if err != nil {
		return nil, err
	}
	return req.concepts(ids)
}

func (a *conceptAPI) byValue(req *request) (wire.ResponseConcept, error) {
	value, err := req.textField("character_value")
	if err != nil {
		return wire.ResponseConcept{}, err
	}
	found, err := req.graph.ConceptsByValue(req.Context(), []graph.ValueKey{{Value: value}})
	slices.SortStableFunc(found, func(a, b graph.Concept) int { return cmp.Compare(valueRank(a), valueRank(b)) })
	return req.firstWithType(found, err)
}

// valueRank orders concepts with the same value for a request that names no type: the bare word first, then the type
// of that name, then instances.
func valueRank(c graph.Concept) int {
	switch {
	case c.Type == graph.Word:
		return 0
	case c.IsType():
		return 1
	default:
		return 2
	}
}

func (a *conceptAPI) byValueAndType(req *request) (wire.ResponseConcept, error) {
	value, typ, err := valueAndID(req, "type_id")
	if err != nil || typ == 0 { // the type does not exist, and 0 in a ValueKey would match any type
		return wire.ResponseConcept{}, err
	}
	found, err := req.graph.ConceptsByValue(req.Context(), []graph.ValueKey{{Value: value, Type: typ}})
	return req.firstWithType(found, err)
}

func (a *conceptAPI) byValueAndCategory(req *request) (wire.ResponseConcept, error) {
	value, category, err := valueAndID(req, "category_id")
	if err != nil || category == 0 {
		return wire.ResponseConcept{}, err
	}
	found, err := req.graph.ConceptsByValue(req.Context(), []graph.ValueKey{{Value: value, Category: category}})
	if err == nil && len(found) == 0 && category == graph.CategoryWord {
		// Clients send this request when they did not find the prefix of a longer type name.
		return req.typeNamed(value)
	}
	return req.firstWithType(found, err)
}

// valueAndID returns the value in a request, and the id in the field idField.
func valueAndID(req *request, idField string) (value string, id graph.ID, err error) {
	fields, err := req.fields("character_value", idField)
	if err != nil {
		return "", 0, err
	}
	if value, err = fields.Text("character_value"); err != nil {
		return "", 0, err
	}
	id, err = fields.ID(idField)
	return value, id, err
}

func (a *conceptAPI) characterByValue(req *request) (wire.Character, error) {
	value, err := req.textField("character_value")
	if err != nil {
		return wire.Character{}, err
	}
	return req.character(value)
}

// character returns the oldest concept with a value as a text record, or a text record with id 0 if there is none.
func (req *request) character(value string) (wire.Character, error) {
	found, err := req.graph.ConceptsByValue(req.Context(), []graph.ValueKey{{Value: value}})
	if err != nil || len(found) == 0 {
		return wire.Character{Data: wire.Text(value)}, err
	}
	return wire.Character{ID: wire.Int(found[0].ID), UserID: wire.Int(found[0].Owner), Data: wire.Text(value)}, nil
}

func (a *conceptAPI) ofType(req *request) (wire.Concepts, error) {
	fields, err := req.fields("type", "user_id", "after")
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
	page, err := listPage(fields)
	if err != nil {
		return nil, err
	}
	types, err := graph.TypesNamed(req.Context(), req.graph, name)
	if err != nil || len(types) == 0 {
		return nil, err
	}
	var found []graph.Concept
	limit, err := req.readWithin(page.Limit, func(records int) (err error) {
		page.Limit = records
		found, err = req.graph.ConceptsByType(req.Context(), types[name].ID, page)
		return err
	})
	if err != nil {
		return nil, err
	}
	if limit == 1 && len(found) == 1 { // one record that fills the page
		req.responseHeader.Set(cursorHeader, found[0].ID.String())
	}
	found = cutListAt(req, found, max(limit-1, 1), conceptID)
	return req.withTypes(keepOwned(graph.ID(user), found))
}

// keepOwned returns the concepts of a user and the shared concepts, or all concepts for user 0.
func keepOwned(user graph.ID, concepts []graph.Concept) []graph.Concept {
	if user == 0 {
		return concepts
	}
	return slices.DeleteFunc(concepts, func(c graph.Concept) bool {
		return c.Owner != user && c.Owner != graph.Anonymous
	})
}

func (a *conceptAPI) ofCaller(req *request) (wire.Concepts, error) {
	ids, err := a.owned.list(req, raw.Concept, visibleIn(req.graph.Concepts, conceptID))
	if err != nil {
		return nil, err
	}
	var found []graph.Concept
	limit, err := req.readWithin(len(ids), func(records int) (err error) {
		found, err = req.graph.Concepts(req.Context(), ids[:records])
		return err
	})
	if err == nil && limit < len(ids) {
		err = a.owned.continueAfter(req, raw.Concept, raw.Row{int64(ids[limit-1])})
	}
	if err != nil {
		return nil, err
	}
	return req.withTypes(found)
}

func (a *conceptAPI) typeIDs(req *request) ([]graph.ID, error) {
	var names []wire.Text
	if err := wire.Decode(req.body, &names); err != nil {
		return nil, err
	}
	types, err := req.typesNamed(names)
	ids := []graph.ID{}
	for _, name := range names {
		if c, ok := types[string(name)]; ok {
			ids = append(ids, c.ID)
		}
	}
	return ids, err
}

// makeType returns a type. If the type does not exist, makeType creates it with its chain, which requires the right
// to write. Any caller may read a type.
func (a *conceptAPI) makeType(req *request) (wire.ResponseConcept, error) {
	name, err := req.textField("type")
	if err != nil {
		return wire.ResponseConcept{}, err
	}
	if err := graph.CheckTypeName(name); err != nil {
		return wire.ResponseConcept{}, err
	}
	found, err := req.typeNamed(name)
	if err != nil || found.Concept.ID != 0 {
		return found, err
	}
	receipt, err := req.graph.Write(req.Context(), graph.Batch{
		Sender:   req.sender(),
		Concepts: []graph.ConceptDraft{{Kind: graph.DraftType, TypeName: name}},
	})
	return req.firstWithType(receipt.Concepts, err)
}
