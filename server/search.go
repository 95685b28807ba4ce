package server

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/search"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) searchRoutes() []route {
	words := []string{"composition text?", "search text?", "internalComposition text?", "type text?", "inpage int 10", "page int 1"}
	both := sends[[]wire.SearchQuery]()
	both.fields = []string{"search text?", "type text?", "inpage int 10", "page int 1"}
	const clean = "/api-search-compositions-internal-clean-ccs" // the contract has it so
	return []route{
		{"POST", "/api/recursivesearch-concept-connection", many, answer(s.searchAround), "Compositions linked with one, over and over, that hold a text", sends[wire.SearchQuery]()},
		{"POST", "/api/Connection/search-link-multiple-all-ccs", many, answer(s.searchLinks), "Compositions linked with one, a step for each query", sends[[]wire.SearchQuery]()},
		{"POST", "/api/Connection/search-link-multiple-all", many, answer(s.searchLinks), "Compositions linked with one, as /api/Connection/search-link-multiple-all-ccs finds them", sends[[]wire.SearchQuery]()},
		{"POST", "/api/search-all-with-linker-ccs", many, answer(s.searchText), "Compositions of a type that hold a text, and what they are linked with", both},
		{"POST", clean, many, answer(s.searchText), "Compositions of a type that hold a text, as /api/search-all-with-linker-ccs finds them", both},
		{"GET", clean, none, answer(s.searchIDs), "The ids of compositions of a type that hold a text", fields(words...)},
		{"GET", "/api/search-composition-internal-authenticated-ccs", none, answer(s.searchIDs), "The ids of compositions of a type that hold a text", fields(words...)},
		{"GET", "/api/search-compositions", none, answer(s.searchConcepts), "The main concepts of compositions of a type that hold a text", fields(words...)},
		{"POST", "/api/view-api-internal-data-ccs-id-bulk", many, answer(s.inside), "What compositions are made of; those made of nothing are left out", sends[[]graph.ID]()},
	}
}

func (s *Server) searchAround(q *request) (wire.FoundAround, error) {
	queries, err := wire.DecodeList[wire.SearchQuery](q.body)
	if err != nil {
		return wire.FoundAround{}, err
	}
	steps, err := search.Steps(queries)
	if err != nil {
		return wire.FoundAround{}, err
	}
	if len(steps) != 1 {
		return wire.FoundAround{}, graph.Errorf(graph.Invalid, "the request holds %d queries; want one", len(steps))
	}
	found, err := search.Around(q.Context(), s.searched(q), search.Start(queries), steps[0])
	return wire.FoundAround{
		CompositionIDs: list(found.Compositions), InternalConnections: list(found.Inside), ExternalConnections: list(found.Links),
	}, err
}

func (s *Server) searchLinks(q *request) (wire.Found, error) {
	queries, err := wire.DecodeList[wire.SearchQuery](q.body)
	if err != nil {
		return wire.Found{}, err
	}
	return s.follow(q, search.Start(queries), queries)
}

func (s *Server) searchText(q *request) (wire.Found, error) {
	var queries []wire.SearchQuery
	if len(q.body) > 0 {
		var err error
		if queries, err = wire.DecodeList[wire.SearchQuery](q.body); err != nil {
			return wire.Found{}, err
		}
	}
	roots, err := s.words(q)
	if err != nil {
		return wire.Found{}, err
	}
	return s.follow(q, roots, queries)
}

func (s *Server) follow(q *request, from []graph.ID, queries []wire.SearchQuery) (wire.Found, error) {
	steps, err := search.Steps(queries)
	if err != nil {
		return wire.Found{}, err
	}
	found, err := search.Follow(q.Context(), s.searched(q), from, steps)
	return wire.Found{
		CompositionIDs: list(found.Compositions), InternalConnections: list(found.Inside),
		Linkers: list(found.Links), Reverse: list(found.Reverse), MainCompositionIDs: list(from),
	}, err
}

func (s *Server) searchIDs(q *request) ([]graph.ID, error) {
	ids, err := s.words(q)
	return list(ids), err
}

func (s *Server) searchConcepts(q *request) (wire.Concepts, error) {
	ids, err := s.words(q)
	if err != nil {
		return nil, err
	}
	found, err := q.graph.Concepts(q.Context(), ids)
	if err != nil {
		return nil, err
	}
	return s.typed(q, found)
}

// words are the compositions that the words in the address find. Clients do not encode those.
func (s *Server) words(q *request) ([]graph.ID, error) {
	names := []string{"composition", "search", "internalComposition", "type", "inpage", "page"}
	words, err := wire.ReadFields("", []byte(q.URL.RawQuery), names...)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := graph.CheckText(name, words[name]); err != nil {
			return nil, err
		}
	}
	page, inpage, err := pageIn(words)
	if err != nil {
		return nil, err
	}
	return search.Compositions(q.Context(), s.searched(q), search.Text{
		Types: []string{words["composition"], words["type"]}, Fields: []string{words["internalComposition"], words["type"]},
		Text: words["search"], Page: page, PageSize: inpage,
	})
}

// searched is the graph as the caller sees it, asked through the server.
func (s *Server) searched(q *request) search.Graph {
	return search.Graph{Reader: q.graph, Find: func(ctx context.Context, asked query.Query) (query.Answer, error) {
		return s.find(ctx, q, asked)
	}}
}

// list is never null in JSON.
func list(ids []graph.ID) []graph.ID {
	if ids == nil {
		return []graph.ID{}
	}
	return ids
}
