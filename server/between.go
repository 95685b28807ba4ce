package server

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// A pair of concepts is asked for the connections of a type that lead from the one to the other.
type pair struct{ from, to, typ graph.ID }

// together is how many pairs one query is about: each is a filter in it.
const together = 20

// between are the connections of pairs, newest first. A type that nobody made is 0, and has none.
func (s *Server) between(q *request, pairs ...pair) (map[pair][]graph.Connection, error) {
	byType := map[graph.ID][]pair{}
	for _, p := range pairs {
		if p.typ != 0 {
			byType[p.typ] = append(byType[p.typ], p)
		}
	}
	between := map[pair][]graph.Connection{}
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		for some := range slices.Chunk(once(byType[typ]), together) {
			found, err := s.find(q.Context(), q, linking(typ, some))
			if err != nil {
				return nil, err
			}
			for _, c := range slices.Backward(found.Connections) {
				p := pair{c.From, c.To, c.Type}
				between[p] = append(between[p], c)
			}
		}
	}
	return between, nil
}

// linking asks for the connections of a type from the sources of pairs to the targets of any.
func linking(typ graph.ID, pairs []pair) query.Query {
	const to = "to"
	linking := query.Query{
		PageSize: len(pairs), Hops: []query.Query{{ConnectionID: typ, Name: to}}, Logic: to,
	}
	for _, p := range pairs {
		linking.ConceptIDs = append(linking.ConceptIDs, p.from)
		linking.Filters = append(linking.Filters, query.Filter{Name: to, On: to, Type: query.FieldID, Search: p.to.String()})
	}
	return linking
}

func once(pairs []pair) []pair {
	pairs = slices.Clone(pairs)
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return slices.Compact(pairs)
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
	p := pair{ids[0], ids[1], ids[2]}
	found, err := s.between(q, p)
	return wire.LinksOf(found[p]), err
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
	named := query.Query{ConceptIDs: []graph.ID{graph.ID(asked.OfTheConceptID)}}
	for _, typ := range types {
		named.Hops = append(named.Hops, query.Query{ConnectionID: typ.ID, Limit: true, PageSize: most})
	}
	found, err := s.newest(q, named)
	return wire.LinksOf(cut(q, found, func(c graph.Connection) graph.ID { return c.ID })), err
}

// newest are the connections that a query finds, newest first.
func (s *Server) newest(q *request, asked query.Query) ([]graph.Connection, error) {
	found, err := s.find(q.Context(), q, asked)
	slices.Reverse(found.Connections)
	return found.Connections, err
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
	var pairs []pair
	for _, b := range asked {
		if !b.IsComposition {
			pairs = append(pairs, pairOf(b))
		}
	}
	between, err := s.between(q, pairs...)
	if err != nil {
		return nil, err
	}
	for i := range asked {
		if err := s.answerBetween(q, &asked[i], between); err != nil {
			return nil, err
		}
	}
	return append([]wire.Between{}, asked...), nil
}

// pairOf is what a question is about, unless that is a composition.
func pairOf(b wire.Between) pair {
	p := pair{graph.ID(b.OfTheConceptID), graph.ID(b.ToTheConceptID), graph.ID(b.TypeID)}
	if b.Reverse {
		p.from, p.to = p.to, p.from
	}
	return p
}

func (s *Server) answerBetween(q *request, b *wire.Between, between map[pair][]graph.Connection) error {
	p := pairOf(*b)
	found := between[p]
	var err error
	if b.IsComposition {
		found, err = s.madeOf(q, []graph.ID{p.typ})
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
