package server

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/explore"
)

// exploreAPI serves the data for drawing the graph: a concept with the numbers of its links, pages of neighbours, the
// links among some concepts, and a path between two concepts.
type exploreAPI struct{}

func (a exploreAPI) routes() []route {
	return inTurns([]route{
		{"GET", "/api/v1/graph/node", noBody, jsonEndpoint(a.node), "A concept, the numbers of its links by type and direction, and, of the smallest groups, as many neighbours as nearest says", fields("id int", "nearest int 0")},
		{"GET", "/api/v1/graph/neighbors", noBody, jsonEndpoint(a.neighbors), "Neighbours of a concept by one type of link, newest first. A search reads up to 5,000 of them. An empty type means links inside compositions", fields("id int", "type text?", "reverse bool?", "after int?", "inpage int 50", "search text?")},
		{"POST", "/api/v1/graph/nodes", largeBody, jsonEndpoint(a.nodes), "Concepts with their labels, and the links between them; up to 10,000 ids", jsonBody[[]graph.ID]()},
		{"GET", "/api/v1/graph/path", noBody, jsonEndpoint(a.path), "A shortest path of up to 8 links between two concepts, in either direction of the links", fields("from int", "to int")},
	})
}

const (
	// maxNearest is the maximum number of neighbours in the response about a concept.
	maxNearest = 1_000
	// nearestPerGroup is the maximum number of neighbours in that response that are linked by one type.
	nearestPerGroup = 50
)

func (a exploreAPI) node(req *request) (explore.Opened, error) {
	fields, err := req.fields("id", "nearest")
	if err != nil {
		return explore.Opened{}, err
	}
	id, err := fields.ID("id")
	if err != nil {
		return explore.Opened{}, err
	}
	nearest, err := fields.Int("nearest", 0)
	if err != nil {
		return explore.Opened{}, err
	}
	return explore.Open(req.Context(), req.graph, id, min(max(nearest, 0), maxNearest), nearestPerGroup)
}

func (a exploreAPI) neighbors(req *request) (explore.Page, error) {
	fields, err := req.fields("id", "type", "reverse", "after", "inpage", "search")
	if err != nil {
		return explore.Page{}, err
	}
	q := explore.Request{Type: fields["type"], Reverse: fields["reverse"] == "true", Search: fields["search"]}
	if q.ID, err = fields.ID("id"); err != nil {
		return explore.Page{}, err
	}
	if fields["after"] != "" {
		if q.After, err = fields.ID("after"); err != nil {
			return explore.Page{}, err
		}
	}
	if q.Limit, err = fields.Int("inpage", nearestPerGroup); err != nil {
		return explore.Page{}, err
	}
	return explore.Neighbors(req.Context(), req.graph, q)
}

func (a exploreAPI) nodes(req *request) (explore.Drawing, error) {
	ids, err := req.idList()
	if err != nil {
		return explore.Drawing{}, err
	}
	return explore.Among(req.Context(), req.graph, ids)
}

func (a exploreAPI) path(req *request) (explore.PathResult, error) {
	fields, err := req.fields("from", "to")
	if err != nil {
		return explore.PathResult{}, err
	}
	from, err := fields.ID("from")
	if err != nil {
		return explore.PathResult{}, err
	}
	to, err := fields.ID("to")
	if err != nil {
		return explore.PathResult{}, err
	}
	return explore.Path(req.Context(), req.graph, from, to)
}
