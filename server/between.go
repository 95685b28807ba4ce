package server

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// chunk is how many connections are looked at in one go when most of them are not meant.
const chunk = 5_000

// between are the connections of a type from one concept to another, newest first.
func (q *request) between(ctx context.Context, from, to, typ graph.ID) ([]graph.Connection, error) {
	links := graph.Links{Of: []graph.ID{from}, Types: []graph.ID{typ}, Page: graph.Page{Descending: true, Limit: chunk}}
	var all []graph.Connection
	for {
		found, err := q.graph.Links(ctx, links)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if c.To == to {
				all = append(all, c)
			}
		}
		if len(found) < chunk {
			return all, nil
		}
		links.Page.After = found[len(found)-1].ID
	}
}

// insideBetween are the connections of a type, which may be a composition, between two concepts.
func (s *Server) insideBetween(q *request) (wire.Connections, error) {
	fields, err := q.fields("ofConceptId", "mainKey", "toConceptId")
	if err != nil {
		return nil, err
	}
	var ids [3]graph.ID
	for i, name := range []string{"ofConceptId", "toConceptId", "mainKey"} {
		if ids[i], err = fields.ID(name); err != nil {
			return nil, err
		}
	}
	found, err := q.between(q.Context(), ids[0], ids[1], ids[2])
	return wire.LinksOf(found), err
}

// linksOfTypes are the connections of some types that leave a concept.
func (s *Server) linksOfTypes(q *request) (wire.Connections, error) {
	var asked wire.LinksOfTypes
	if err := wire.Decode(q.body, &asked); err != nil {
		return nil, err
	}
	types, err := q.typesNamed(asked.ConnectionTypes)
	if err != nil {
		return nil, err
	}
	ids := []graph.ID{} // none, rather than nil for every type
	for _, typ := range types {
		ids = append(ids, typ.ID)
	}
	slices.Sort(ids)
	page := graph.Page{Descending: true, Limit: most + 1}
	found, err := q.graph.Links(q.Context(), graph.Links{Of: []graph.ID{graph.ID(asked.OfTheConceptID)}, Types: ids, Page: page})
	return wire.LinksOf(cut(q, found, func(c graph.Connection) graph.ID { return c.ID })), err
}

// mostPairs bounds the questions of one request: each is looked up on its own.
const mostPairs = 1_000

// connectionsBetween answers each question in turn.
func (s *Server) connectionsBetween(q *request) ([]wire.Between, error) {
	asked, err := wire.DecodeList[wire.Between](q.body)
	if err != nil {
		return nil, err
	}
	if len(asked) > mostPairs {
		return nil, graph.Errorf(graph.TooLarge, "%d pairs of concepts; the most is %d", len(asked), mostPairs)
	}
	if err := q.resolve(asked); err != nil {
		return nil, err
	}
	for i := range asked {
		if err := s.answerBetween(q, &asked[i]); err != nil {
			return nil, err
		}
	}
	return append([]wire.Between{}, asked...), nil
}

func (s *Server) answerBetween(q *request, b *wire.Between) error {
	from, to, typ := graph.ID(b.OfTheConceptID), graph.ID(b.ToTheConceptID), graph.ID(b.TypeID)
	if b.Reverse {
		from, to = to, from
	}
	var found []graph.Connection
	var err error
	switch {
	case typ == 0: // nobody made such a type
	case bool(b.IsComposition):
		found, err = s.madeOf(q, []graph.ID{typ})
	default:
		found, err = q.between(q.Context(), from, to, typ)
	}
	b.ConnectionIDs = []graph.ID{}
	for _, c := range found {
		b.ConnectionIDs = append(b.ConnectionIDs, c.ID)
	}
	return err
}

// resolve puts the ids of types for their names, and of legacy linkers for theirs.
func (q *request) resolve(asked []wire.Between) error {
	var names []wire.Text
	var keys []graph.ValueKey
	for _, b := range asked {
		if b.TypeID == 0 && b.Type != "" {
			names = append(names, b.Type)
		}
		if b.TypeID == 0 && b.OldType != "" {
			keys = append(keys, graph.ValueKey{Value: string(b.OldType), Type: graph.TypeConnection, Category: graph.CategoryInstance})
		}
	}
	types, err := q.typesNamed(names)
	if err != nil {
		return err
	}
	linkers, err := q.graph.ConceptsByValue(q.Context(), keys)
	if err != nil {
		return err
	}
	linker := map[string]graph.ID{}
	for _, c := range slices.Backward(linkers) { // the oldest counts
		linker[c.Value] = c.ID
	}
	for i := range asked {
		b := &asked[i]
		if b.TypeID == 0 {
			b.TypeID = wire.Int(types[string(b.Type)].ID)
		}
		if b.TypeID == 0 {
			b.TypeID = wire.Int(linker[string(b.OldType)])
		}
	}
	return nil
}
