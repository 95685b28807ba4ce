package server

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
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
	page, err := pageOf(fields)
	if err != nil {
		return nil, err
	}
	found, err := q.links(graph.Links{Of: []graph.ID{of}, Direction: direction, Types: []graph.ID{typ}, Page: page})
	return wire.LinksOf(found), err
}

// links asks again when nothing is found and an id turns out to be another name of a concept.
func (q *request) links(links graph.Links) ([]graph.Connection, error) {
	found, err := q.graph.Links(q.Context(), links)
	if err != nil || len(found) > 0 {
		return found, err
	}
	others, err := q.otherNames(slices.Concat(links.Of, links.Types))
	if err != nil || len(others) == 0 {
		return nil, err
	}
	for _, ids := range [][]graph.ID{links.Of, links.Types} {
		for i, id := range ids {
			ids[i] = cmp.Or(others[id], id)
		}
	}
	return q.graph.Links(q.Context(), links)
}

// The largest page, and how deep in a list one may stand.
const (
	mostInPage = 1_000
	deepest    = 1_000_000
)

// pageOf is the page that inpage and page mean, newest first.
func pageOf(fields wire.Fields) (graph.Page, error) {
	page, inpage, err := pageIn(fields)
	return graph.Page{Descending: true, Skip: (page - 1) * inpage, Limit: inpage}, err
}

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
	found, err := q.links(graph.Links{Of: []graph.ID{id}, Direction: direction, Page: page})
	return wire.LinksOf(cut(q, found, func(c graph.Connection) graph.ID { return c.ID })), err
}
