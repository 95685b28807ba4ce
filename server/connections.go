package server

import (
	"cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) getConnection(q *request) (wire.Link, error) {
	id, err := q.id("id")
	if err != nil {
		return wire.Link{}, err
	}
	found, err := q.graph.Connections(q.Context(), []graph.ID{id})
	if err != nil || len(found) == 0 {
		return wire.Link{}, err
	}
	return wire.Link{Connection: found[0]}, nil
}

func (s *Server) getConnections(q *request) (wire.Connections, error) {
	ids, err := q.ids()
	if err != nil {
		return nil, err
	}
	found, err := q.graph.Connections(q.Context(), ids)
	return wire.LinksOf(found), err
}

func (s *Server) linksFrom(q *request) (wire.Connections, error) {
	return s.links(q, "ofTheConceptId", graph.Out)
}

func (s *Server) linksTo(q *request) (wire.Connections, error) {
	return s.links(q, "toTheConceptId", graph.In)
}

// links is one page of the connections of a type at a concept, newest first.
func (s *Server) links(q *request, end string, direction graph.Direction) (wire.Connections, error) {
	fields, err := q.fields(end, "typeId", "userId", "inpage", "page")
	if err != nil {
		return nil, err
	}
	of, err := fields.ID(end)
	if err != nil {
		return nil, err
	}
	typ, err := fields.ID("typeId")
	if err != nil {
		return nil, err
	}
	page, inpage, err := pageIn(fields)
	if err != nil {
		return nil, err
	}
	if typ == 0 {
		return nil, nil
	}
	found, err := q.orOtherwise(func() ([]graph.Connection, error) {
		hop := query.Query{ConnectionID: typ, Reverse: direction == graph.In, Limit: true, Page: page, PageSize: inpage}
		return s.newest(q, query.Query{ConceptIDs: []graph.ID{of}, Hops: []query.Query{hop}})
	}, &of, &typ)
	return wire.LinksOf(found), err
}

// orOtherwise asks again when nothing is found and an id turns out to be another name of a concept.
func (q *request) orOtherwise(ask func() ([]graph.Connection, error), ids ...*graph.ID) ([]graph.Connection, error) {
	found, err := ask()
	if err != nil || len(found) > 0 {
		return found, err
	}
	var names []graph.ID
	for _, id := range ids {
		names = append(names, *id)
	}
	others, err := q.otherNames(names)
	if err != nil || len(others) == 0 {
		return nil, err
	}
	for _, id := range ids {
		*id = cmp.Or(others[*id], *id)
	}
	return ask()
}

// The largest page, and how deep in a list one may stand.
const (
	mostInPage = 1_000
	deepest    = 1_000_000
)

// pageIn reads page and inpage, which count from 1.
func pageIn(fields wire.Fields) (page, inpage int, err error) {
	if inpage, err = fields.Int("inpage", 10); err != nil {
		return 0, 0, err
	}
	if page, err = fields.Int("page", 1); err != nil {
		return 0, 0, err
	}
	if inpage < 1 || page < 1 || page > deepest {
		return 0, 0, graph.Errorf(graph.Invalid, "there is no page %d of %d", page, inpage)
	}
	return page, min(inpage, mostInPage), nil
}

func (s *Server) allFrom(q *request) (wire.Connections, error) { return s.all(q, graph.Out) }

func (s *Server) allTo(q *request) (wire.Connections, error) { return s.all(q, graph.In) }

func (s *Server) all(q *request, direction graph.Direction) (wire.Connections, error) {
	fields, err := q.fields("conceptId", "after")
	if err != nil {
		return nil, err
	}
	id, err := fields.ID("conceptId")
	if err != nil {
		return nil, err
	}
	page, err := partOf(fields)
	if err != nil {
		return nil, err
	}
	page.Descending = true
	found, err := q.orOtherwise(func() ([]graph.Connection, error) {
		return q.graph.Links(q.Context(), graph.Links{Of: []graph.ID{id}, Direction: direction, Page: page})
	}, &id)
	return wire.LinksOf(cut(q, found, func(c graph.Connection) graph.ID { return c.ID })), err
}
