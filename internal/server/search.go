package server

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/legacysearch"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// searchAPI serves the searches of the contract, which package legacysearch turns into queries.
type searchAPI struct{ queries *queryRunner }

func (a *searchAPI) routes() []route {
	words := []string{"composition text?", "search text?", "internalComposition text?", "type text?", "inpage int 10", "page int 1"}
	textAndSteps := jsonBody[[]wire.SearchQuery]()
	textAndSteps.fields = []string{"search text?", "type text?", "inpage int 10", "page int 1"}
	const cleanSearchPath = "/api-search-compositions-internal-clean-ccs" // the contract has no /api/ here
	return []route{
		{"POST", "/api/recursivesearch-concept-connection", largeBody, jsonEndpoint(a.recursive), "Compositions that are linked with a given composition, directly or through others, and contain a text", jsonBody[wire.SearchQuery]()},
		{"POST", "/api/Connection/search-link-multiple-all-ccs", largeBody, jsonEndpoint(a.links), "Compositions that are linked with a given composition, by one step for each query", jsonBody[[]wire.SearchQuery]()},
		{"POST", "/api/Connection/search-link-multiple-all", largeBody, jsonEndpoint(a.links), "The same as /api/Connection/search-link-multiple-all-ccs", jsonBody[[]wire.SearchQuery]()},
		{"POST", "/api/search-all-with-linker-ccs", largeBody, jsonEndpoint(a.textAndLinks), "Compositions of a type that contain a text, and compositions linked with them", textAndSteps},
		{"POST", cleanSearchPath, largeBody, jsonEndpoint(a.textAndLinks), "The same as /api/search-all-with-linker-ccs", textAndSteps},
		{"GET", cleanSearchPath, noBody, jsonEndpoint(a.textIDs), "The ids of compositions of a type that contain a text", fields(words...)},
		{"GET", "/api/search-composition-internal-authenticated-ccs", noBody, jsonEndpoint(a.textIDs), "The ids of compositions of a type that contain a text", fields(words...)},
		{"GET", "/api/search-compositions", noBody, jsonEndpoint(a.textConcepts), "The main concepts of compositions of a type that contain a text", fields(words...)},
		{"POST", "/api/view-api-internal-data-ccs-id-bulk", largeBody, jsonEndpoint(a.contents), "The concepts and connections inside compositions, without empty compositions", jsonBody[[]graph.ID]()},
	}
}

func (a *searchAPI) recursive(req *request) (wire.RecursiveSearchResult, error) {
	queries, err := wire.DecodeList[wire.SearchQuery](req.body)
	if err != nil {
		return wire.RecursiveSearchResult{}, err
	}
	steps, err := legacysearch.Steps(queries)
	if err != nil {
		return wire.RecursiveSearchResult{}, err
	}
	if len(steps) != 1 {
		return wire.RecursiveSearchResult{}, graph.Errorf(graph.Invalid, "the request has %d queries; want one", len(steps))
	}
	found, err := legacysearch.FollowRepeatedly(req.Context(), a.graph(req), legacysearch.StartIDs(queries), steps[0])
	return wire.RecursiveSearchResult{
		CompositionIDs: nonNil(found.Compositions), InternalConnections: nonNil(found.Internal), ExternalConnections: nonNil(found.Links),
	}, err
}

func (a *searchAPI) links(req *request) (wire.SearchResult, error) {
	queries, err := wire.DecodeList[wire.SearchQuery](req.body)
	if err != nil {
		return wire.SearchResult{}, err
	}
	return a.follow(req, legacysearch.StartIDs(queries), queries)
}

func (a *searchAPI) textAndLinks(req *request) (wire.SearchResult, error) {
	var queries []wire.SearchQuery
	if len(req.body) > 0 {
		var err error
		if queries, err = wire.DecodeList[wire.SearchQuery](req.body); err != nil {
			return wire.SearchResult{}, err
		}
	}
	roots, err := a.searchText(req)
	if err != nil {
		return wire.SearchResult{}, err
	}
	return a.follow(req, roots, queries)
}

func (a *searchAPI) follow(req *request, from []graph.ID, queries []wire.SearchQuery) (wire.SearchResult, error) {
	steps, err := legacysearch.Steps(queries)
	if err != nil {
		return wire.SearchResult{}, err
	}
	found, err := legacysearch.Follow(req.Context(), a.graph(req), from, steps)
	return wire.SearchResult{
		CompositionIDs: nonNil(found.Compositions), InternalConnections: nonNil(found.Internal),
		Linkers: nonNil(found.Links), Reverse: nonNil(found.Reverse), MainCompositionIDs: nonNil(from),
	}, err
}

func (a *searchAPI) textIDs(req *request) ([]graph.ID, error) {
	ids, err := a.searchText(req)
	return nonNil(ids), err
}

func (a *searchAPI) textConcepts(req *request) (wire.Concepts, error) {
	ids, err := a.searchText(req)
	if err != nil {
		return nil, err
	}
	found, err := req.graph.Concepts(req.Context(), ids)
	if err != nil {
		return nil, err
	}
	return req.withTypes(found)
}

// searchText returns the compositions that contain the words in the query string. Clients of the contract do not
// percent-encode the words.
func (a *searchAPI) searchText(req *request) ([]graph.ID, error) {
	names := []string{"composition", "search", "internalComposition", "type", "inpage", "page"}
	words, err := wire.ReadFields("", []byte(req.URL.RawQuery), names...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := graph.CheckText(name, words[name]); err != nil {
			return nil, err
		}
	}
	page, size, err := numberedPage(words)
	if err != nil {
		return nil, err
	}
	return legacysearch.FindCompositions(req.Context(), a.graph(req), legacysearch.TextSearch{
		Types: []string{words["composition"], words["type"]}, Fields: []string{words["internalComposition"], words["type"]},
		Text: words["search"], Page: page, PageSize: size,
	})
}

// graph returns the graph as the caller sees it, and queries that count towards the limits of the server.
func (a *searchAPI) graph(req *request) legacysearch.Graph {
	return legacysearch.Graph{Reader: req.graph, Find: func(ctx context.Context, q query.Query) (query.Answer, error) {
		return a.queries.runContext(ctx, req, q)
	}}
}

// contents returns the contents of each composition.
func (a *searchAPI) contents(req *request) ([]wire.CompositionContent, error) {
	ids, err := req.idList()
	if err != nil {
		return nil, err
	}
	links, err := a.queries.internalConnections(req, ids)
	if err != nil {
		return nil, err
	}
	byID := map[graph.ID]*wire.CompositionContent{}
	for _, c := range links {
		content := byID[c.Type]
		if content == nil {
			content = &wire.CompositionContent{ID: c.Type}
			byID[c.Type] = content
		}
		content.Concepts = append(content.Concepts, c.From, c.To)
		content.Connections = append(content.Connections, wire.ResponseConnection{Connection: c}.Wire())
	}
	all := []wire.CompositionContent{}
	for _, id := range ids {
		if content := byID[id]; content != nil {
			slices.Sort(content.Concepts)
			content.Concepts = slices.Compact(content.Concepts)
			all = append(all, *content)
			delete(byID, id)
		}
	}
	return all, nil
}
