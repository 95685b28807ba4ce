package server

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) composition(q *request) (wire.Connections, error) {
	id, err := q.id("composition_id")
	if err != nil {
		return nil, err
	}
	found, err := s.madeOf(q, []graph.ID{id})
	return wire.LinksOf(found), err
}

func (s *Server) compositions(q *request) (wire.Connections, error) {
	ids, err := q.ids()
	if err != nil {
		return nil, err
	}
	found, err := s.madeOf(q, ids)
	return wire.LinksOf(found), err
}

func (s *Server) inside(q *request) ([]wire.Inside, error) {
	ids, err := q.ids()
	if err != nil {
		return nil, err
	}
	links, err := s.madeOf(q, ids)
	if err != nil {
		return nil, err
	}
	inside := map[graph.ID]*wire.Inside{}
	for _, c := range links {
		in := inside[c.Type]
		if in == nil {
			in = &wire.Inside{ID: c.Type}
			inside[c.Type] = in
		}
		in.Concepts = append(in.Concepts, c.From, c.To)
		in.Connections = append(in.Connections, wire.Link{Connection: c}.Wire())
	}
	all := []wire.Inside{}
	for _, id := range ids {
		if in := inside[id]; in != nil {
			slices.Sort(in.Concepts)
			in.Concepts = slices.Compact(in.Concepts)
			all = append(all, *in)
			delete(inside, id)
		}
	}
	return all, nil
}

// madeOf are the connections inside compositions, oldest first.
func (s *Server) madeOf(q *request, ids []graph.ID) ([]graph.Connection, error) {
	var all []graph.Connection
	for some := range slices.Chunk(ids, query.MaxConceptIDs) {
		found, err := s.find(q.Context(), q, query.Query{ConceptIDs: some, PageSize: len(some), Selectors: []string{query.Self}})
		if err != nil {
			return nil, err
		}
		all = append(all, found.Connections...)
	}
	if len(ids) > query.MaxConceptIDs {
		slices.SortFunc(all, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
		all = slices.CompactFunc(all, func(a, b graph.Connection) bool { return a.ID == b.ID })
	}
	return all, nil
}
