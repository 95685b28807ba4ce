package server

import (
	"cmp"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// A conceptPair is the key of the connections of a type from one concept to another.
type conceptPair struct{ from, to, typ graph.ID }

const (
	// maxPairs is the maximum number of pairs in one request.
	maxPairs = 1_000
	// pairsPerQuery is the maximum number of pairs in one query; each is a filter of the query.
	pairsPerQuery = 20
)

// betweenTwo returns the connections of a type, which may be a composition, between two concepts.
func (a *connectionAPI) betweenTwo(req *request) (wire.Connections, error) {
	fields, err := req.fields("ofConceptId", "mainKey", "toConceptId")
	if err != nil {
		return nil, err
	}
	var ids [3]graph.ID
	for i, name := range []string{"ofConceptId", "toConceptId", "mainKey"} {
		if ids[i], err = fields.ID(name); err != nil {
			return nil, err
		}
	}
	pair := conceptPair{ids[0], ids[1], ids[2]}
	found, err := a.between(req, pair)
	return wire.NewConnections(found[pair]), err
}

// betweenPairs returns each pair of the request with the ids of its connections.
func (a *connectionAPI) betweenPairs(req *request) ([]wire.LinksBetween, error) {
	sent, err := wire.DecodeList[wire.LinksBetween](req.body)
	if err != nil {
		return nil, err
	}
	if len(sent) > maxPairs {
		return nil, graph.Errorf(graph.TooLarge, "%d pairs of concepts; the limit is %d", len(sent), maxPairs)
	}
	if err := req.resolveTypes(sent); err != nil {
		return nil, err
	}
	var pairs []conceptPair
	for _, b := range sent {
		if !b.IsComposition {
			pairs = append(pairs, pairOf(b))
		}
	}
	found, err := a.between(req, pairs...)
	if err != nil {
		return nil, err
	}
	for i := range sent {
		if err := a.setConnections(req, &sent[i], found); err != nil {
			return nil, err
		}
	}
	return append([]wire.LinksBetween{}, sent...), nil
}

// between returns the connections of each pair, newest first. A pair with type 0, a type that does not exist, has none.
func (a *connectionAPI) between(req *request, pairs ...conceptPair) (map[conceptPair][]graph.Connection, error) {
	byType := map[graph.ID][]conceptPair{}
	for _, p := range pairs {
		if p.typ != 0 {
			byType[p.typ] = append(byType[p.typ], p)
		}
	}
	found := map[conceptPair][]graph.Connection{}
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		for chunk := range slices.Chunk(withoutDuplicates(byType[typ]), pairsPerQuery) {
			answer, err := a.queries.run(req, pairQuery(typ, chunk))
			if err != nil {
				return nil, err
			}
			for _, c := range slices.Backward(answer.Connections) {
				p := conceptPair{c.From, c.To, c.Type}
				found[p] = append(found[p], c)
			}
		}
	}
	return found, nil
}

func pairQuery(typ graph.ID, pairs []conceptPair) query.Query {
	const to = "to"
	q := query.Query{
		PageSize: len(pairs), Hops: []query.Query{{ConnectionID: typ, Name: to}}, Logic: to,
	}
	for _, p := range pairs {
		q.ConceptIDs = append(q.ConceptIDs, p.from)
		q.Filters = append(q.Filters, query.Filter{Name: to, On: to, Type: query.FieldID, Search: p.to.String()})
	}
	return q
}

func withoutDuplicates(pairs []conceptPair) []conceptPair {
	pairs = slices.Clone(pairs)
	slices.SortFunc(pairs, func(a, b conceptPair) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return slices.Compact(pairs)
}

// pairOf returns the pair of a request that is not about a composition.
func pairOf(b wire.LinksBetween) conceptPair {
	p := conceptPair{graph.ID(b.OfTheConceptID), graph.ID(b.ToTheConceptID), graph.ID(b.TypeID)}
	if b.Reverse {
		p.from, p.to = p.to, p.from
	}
	return p
}

func (a *connectionAPI) setConnections(req *request, b *wire.LinksBetween, between map[conceptPair][]graph.Connection) error {
	p := pairOf(*b)
	found := between[p]
	var err error
	if b.IsComposition {
		found, err = a.queries.internalConnections(req, []graph.ID{p.typ})
	}
	b.ConnectionIDs = []graph.ID{}
	for _, c := range found {
		b.ConnectionIDs = append(b.ConnectionIDs, c.ID)
	}
	return err
}

// resolveTypes sets the type ids of pairs that name their type, or a legacy linker, instead.
func (req *request) resolveTypes(pairs []wire.LinksBetween) error {
	var names, linkerNames []wire.Text
	for _, b := range pairs {
		if b.TypeID == 0 && b.Type != "" {
			names = append(names, b.Type)
		}
		if b.TypeID == 0 && b.OldType != "" {
			linkerNames = append(linkerNames, b.OldType)
		}
	}
	types, err := req.typesNamed(names)
	if err != nil {
		return err
	}
	linkers, err := req.legacyLinkers(linkerNames)
	if err != nil {
		return err
	}
	linkerID := map[string]graph.ID{}
	for _, c := range slices.Backward(linkers) { // the oldest of several is written last
		linkerID[c.Value] = c.ID
	}
	for i := range pairs {
		b := &pairs[i]
		if b.TypeID == 0 {
			b.TypeID = wire.Int(types[string(b.Type)].ID)
		}
		if b.TypeID == 0 {
			b.TypeID = wire.Int(linkerID[string(b.OldType)])
		}
	}
	return nil
}

// legacyLinkers returns the legacy linkers with these names that the caller may read, in order of id. A name may have
// two: one in the public scope and one of the caller.
func (req *request) legacyLinkers(names []wire.Text) ([]graph.Concept, error) {
	keys := make([]graph.ValueKey, len(names))
	for i, name := range names {
		keys[i] = graph.ValueKey{Value: string(name), Type: graph.TypeConnection, Category: graph.CategoryInstance}
	}
	return req.graph.ConceptsByValue(req.Context(), keys)
}
