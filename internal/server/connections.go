package server

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/raw"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// connectionAPI serves connections by id, at a concept, between concepts and inside compositions.
type connectionAPI struct {
	queries *queryRunner
	owned   *ownedRecords
}

func (a *connectionAPI) routes() []route {
	page := []string{"userId int?", "inpage int 10", "page int 1"}
	return []route{
		{"POST", "/api/get-connection-by-id", smallBody, jsonEndpoint(a.get), "A connection by its id; id 0 when there is none", fields("id int")},
		{"POST", "/api/get_connection_bulk", largeBody, jsonEndpoint(a.getAll), "Connections by their ids", jsonBody[[]graph.ID]()},
		{"POST", "/api/get_all_connections_of_composition", smallBody, withoutIdentity(withRecentRequest, jsonEndpoint(a.inComposition)), "The internal connections of a composition", fields("composition_id int")},
		{"POST", "/api/get_all_connections_of_composition_bulk", largeBody, jsonEndpoint(a.inCompositions), "The internal connections of compositions", jsonBody[[]graph.ID]()},
		{"POST", "/api/get-link-connections", smallBody, jsonEndpoint(a.pageFrom), "Connections of a type that start at a concept, newest first", fields(append([]string{"typeId int", "ofTheConceptId int"}, page...)...)},
		{"POST", "/api/get-link-reverse-connections", smallBody, jsonEndpoint(a.pageTo), "Connections of a type that end at a concept, newest first", fields(append([]string{"typeId int", "toTheConceptId int"}, page...)...)},
		{"POST", "/api/get-composition-connection-between-two-concepts", smallBody, withoutIdentity(withRecentRequest, jsonEndpoint(a.betweenTwo)), "Connections of a type, or inside a composition, between two concepts", fields("ofConceptId int", "mainKey int", "toConceptId int")},
		{"POST", "/api/get-connection-by-types", largeBody, jsonEndpoint(a.ofTypes), "Connections of the named types and legacy linkers that start at a concept, newest first", jsonBody[wire.LinksOfTypes]()},
		{"POST", "/api/get_all_connections_of_user", smallBody, jsonEndpoint(a.ofCaller), "The caller's own connections", fields("user_id int", "inpage int?", "after text?")},
		{"POST", "/api/get-connection-between", largeBody, jsonEndpoint(a.betweenPairs), "The ids of the connections between pairs of concepts", jsonBody[[]wire.LinksBetween]()},
		{"GET", "/api/get-all-linkers-from-concept", noBody, jsonEndpoint(a.allFrom), "All connections that start at a concept", fields("conceptId int", "after int?")},
		{"GET", "/api/get-all-linkers-to-concept", noBody, jsonEndpoint(a.allTo), "All connections that end at a concept", fields("conceptId int", "after int?")},
	}
}

func (a *connectionAPI) get(req *request) (wire.ResponseConnection, error) {
	id, err := req.idField("id")
	if err != nil {
		return wire.ResponseConnection{}, err
	}
	found, err := req.graph.Connections(req.Context(), []graph.ID{id})
	if err != nil || len(found) == 0 {
		return wire.ResponseConnection{}, err
	}
	return wire.ResponseConnection{Connection: found[0]}, nil
}

func (a *connectionAPI) getAll(req *request) (wire.Connections, error) {
	ids, err := req.idList()
	if err != nil {
		return nil, err
	}
	found, err := req.graph.Connections(req.Context(), ids)
	return wire.NewConnections(found), err
}

func (a *connectionAPI) pageFrom(req *request) (wire.Connections, error) {
	return a.page(req, "ofTheConceptId", graph.Out)
}

func (a *connectionAPI) pageTo(req *request) (wire.Connections, error) {
	return a.page(req, "toTheConceptId", graph.In)
}

// page returns one page of the connections of a type at a concept, newest first.
func (a *connectionAPI) page(req *request, endField string, direction graph.Direction) (wire.Connections, error) {
	fields, err := req.fields(endField, "typeId", "userId", "inpage", "page")
	if err != nil {
		return nil, err
	}
	end, err := fields.ID(endField)
	if err != nil {
		return nil, err
	}
	typ, err := fields.ID("typeId")
	if err != nil {
		return nil, err
	}
	page, size, err := numberedPage(fields)
	if err != nil {
		return nil, err
	}
	if typ == 0 {
		return nil, nil
	}
	found, err := req.retryWithAliases(func() ([]graph.Connection, error) {
		hop := query.Query{ConnectionID: typ, Reverse: direction == graph.In, Limit: true, Page: page, PageSize: size}
		return a.newest(req, query.Query{ConceptIDs: []graph.ID{end}, Hops: []query.Query{hop}})
	}, &end, &typ)
	return wire.NewConnections(found), err
}

// newest runs a query and returns its connections, newest first.
func (a *connectionAPI) newest(req *request, q query.Query) ([]graph.Connection, error) {
	answer, err := a.queries.run(req, q)
	slices.Reverse(answer.Connections)
	return answer.Connections, err
}

// retryWithAliases calls find and, if it finds nothing and one of the ids is an alias, replaces the aliases in ids
// and calls find again.
func (req *request) retryWithAliases(find func() ([]graph.Connection, error), ids ...*graph.ID) ([]graph.Connection, error) {
	found, err := find()
	if err != nil || len(found) > 0 {
		return found, err
	}
	var given []graph.ID
	for _, id := range ids {
		given = append(given, *id)
	}
	aliases, err := req.aliases(given)
	if err != nil || len(aliases) == 0 {
		return nil, err
	}
	for _, id := range ids {
		*id = cmp.Or(aliases[*id], *id)
	}
	return find()
}

func (a *connectionAPI) allFrom(req *request) (wire.Connections, error) { return a.all(req, graph.Out) }

func (a *connectionAPI) allTo(req *request) (wire.Connections, error) { return a.all(req, graph.In) }

func (a *connectionAPI) all(req *request, direction graph.Direction) (wire.Connections, error) {
	fields, err := req.fields("conceptId", "after")
	if err != nil {
		return nil, err
	}
	id, err := fields.ID("conceptId")
	if err != nil {
		return nil, err
	}
	page, err := listPage(fields)
	if err != nil {
		return nil, err
	}
	page.Descending = true
	found, err := req.retryWithAliases(func() ([]graph.Connection, error) {
		return req.graph.Links(req.Context(), graph.Links{Of: []graph.ID{id}, Direction: direction, Page: page})
	}, &id)
	return wire.NewConnections(cutList(req, found, connectionID)), err
}

// ofTypes returns the connections of some types that start at a concept.
func (a *connectionAPI) ofTypes(req *request) (wire.Connections, error) {
	var sent wire.LinksOfTypes
	if err := wire.Decode(req.body, &sent); err != nil {
		return nil, err
	}
	types, err := req.typesNamed(sent.ConnectionTypes)
	if err != nil {
		return nil, err
	}
	linkers, err := req.legacyLinkers(sent.ConnectionTypes)
	if err != nil {
		return nil, err
	}
	q := query.Query{ConceptIDs: []graph.ID{graph.ID(sent.OfTheConceptID)}}
	for _, typ := range slices.AppendSeq(linkers, maps.Values(types)) {
		q.Hops = append(q.Hops, query.Query{ConnectionID: typ.ID, Limit: true, PageSize: maxListed})
	}
	found, err := a.newest(req, q)
	return wire.NewConnections(cutList(req, found, connectionID)), err
}

func (a *connectionAPI) ofCaller(req *request) (wire.Connections, error) {
	ids, err := a.owned.list(req, raw.Connection, visibleIn(req.graph.Connections, connectionID))
	if err != nil {
		return nil, err
	}
	found, err := req.graph.Connections(req.Context(), ids)
	return wire.NewConnections(found), err
}

func (a *connectionAPI) inComposition(req *request) (wire.Connections, error) {
	id, err := req.idField("composition_id")
	if err != nil {
		return nil, err
	}
	found, err := a.queries.internalConnections(req, []graph.ID{id})
	return wire.NewConnections(found), err
}

func (a *connectionAPI) inCompositions(req *request) (wire.Connections, error) {
	ids, err := req.idList()
	if err != nil {
		return nil, err
	}
	found, err := a.queries.internalConnections(req, ids)
	return wire.NewConnections(found), err
}

// internalConnections returns the connections inside compositions, oldest first.
func (r *queryRunner) internalConnections(req *request, ids []graph.ID) ([]graph.Connection, error) {
	var all []graph.Connection
	for chunk := range slices.Chunk(ids, query.MaxConceptIDs) {
		answer, err := r.run(req, query.Query{ConceptIDs: chunk, PageSize: len(chunk), Selectors: []string{query.Self}})
		if err != nil {
			return nil, err
		}
		all = append(all, answer.Connections...)
	}
	if len(ids) > query.MaxConceptIDs {
		slices.SortFunc(all, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
		all = slices.CompactFunc(all, func(a, b graph.Connection) bool { return a.ID == b.ID })
	}
	return all, nil
}
