package query

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Run answers a query: one question to the reader for each level of the tree and direction, and two for
// each paged hop. A type or connection nobody knows has no instances and no connections.
//
// Errors: what Check says, and TooLarge when the results need more than MaxLinks connections.
func Run(ctx context.Context, r graph.Reader, q Query) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	if _, ok, _ := q.Expression(); ok {
		return Answer{}, graph.Errorf(graph.Invalid, "filters are not supported yet")
	}
	types, err := resolve(ctx, r, q)
	if err != nil {
		return Answer{}, err
	}
	roots, total, err := findRoots(ctx, r, q, types)
	if err != nil {
		return Answer{}, err
	}
	run := run{
		Reader: r, types: types,
		links: map[graph.ID]graph.Connection{}, reverse: map[graph.ID]bool{}, counts: map[countOf]int{},
	}
	level := []visit{{&q, roots}}
	for len(level) > 0 {
		if level, err = run.level(ctx, level); err != nil {
			return Answer{}, err
		}
	}
	a := run.answer(roots)
	a.Total, a.Order = total, q.order()
	return a, nil
}

func findRoots(ctx context.Context, r graph.Reader, q Query, types typeIDs) ([]graph.ID, int, error) {
	page := q.page()
	if len(q.ConceptIDs) > 0 {
		return rootsNamed(ctx, r, q, page)
	}
	typ := types.named[q.Type]
	if typ == 0 {
		return nil, 0, nil
	}
	total, err := r.CountByType(ctx, typ, 0)
	if err != nil {
		return nil, 0, err
	}
	found, err := r.ConceptsByType(ctx, typ, page)
	return idsOf(found), total, err
}

func rootsNamed(ctx context.Context, r graph.Reader, q Query, page graph.Page) ([]graph.ID, int, error) {
	found, err := r.Concepts(ctx, q.ConceptIDs)
	if err != nil {
		return nil, 0, err
	}
	ids := idsOf(found)
	switch q.Order {
	case Ascending:
		slices.Sort(ids)
	case Descending:
		slices.SortFunc(ids, func(a, b graph.ID) int { return cmp.Compare(b, a) })
	}
	from := min(page.Skip, len(ids))
	return ids[from:min(from+page.Limit, len(ids))], len(ids), nil
}

func idsOf(concepts []graph.Concept) []graph.ID {
	ids := make([]graph.ID, len(concepts))
	for i, c := range concepts {
		ids[i] = c.ID
	}
	return ids
}

// A visit is a node of the query with the concepts it found.
type visit struct {
	node *Query
	ids  []graph.ID
}

// A run collects what the levels find.
type run struct {
	graph.Reader
	types   typeIDs
	links   map[graph.ID]graph.Connection
	reverse map[graph.ID]bool
	counts  map[countOf]int
}

type countOf struct{ of, typ graph.ID }

// level follows everything that leads on from the visits, and returns the visits of the hops.
func (r *run) level(ctx context.Context, visits []visit) ([]visit, error) {
	var steps []*step
	for _, v := range visits {
		steps = append(steps, r.steps(v)...)
	}
	for _, direction := range []graph.Direction{graph.Out, graph.In} {
		if err := r.together(ctx, direction, steps); err != nil {
			return nil, err
		}
	}
	for _, s := range steps {
		if err := r.alone(ctx, s); err != nil {
			return nil, err
		}
	}
	if err := r.inside(ctx, steps); err != nil {
		return nil, err
	}
	var next []visit
	for _, s := range steps {
		if len(s.found) > 0 && (len(s.node.Hops) > 0 || len(s.node.Selectors) > 0) {
			next = append(next, visit{s.node, slices.Sorted(maps.Keys(s.found))})
		}
	}
	return next, nil
}

// A step follows one hop or selector from a set of concepts.
type step struct {
	node  *Query
	typ   graph.ID // 0 for Self
	from  []graph.ID
	at    map[graph.ID]bool // from
	found map[graph.ID]bool
}

// steps lists what leads on from a visit, leaving out connections that nobody made.
func (r *run) steps(v visit) []*step {
	at := make(map[graph.ID]bool, len(v.ids))
	for _, id := range v.ids {
		at[id] = true
	}
	var steps []*step
	add := func(node *Query) {
		if typ, known := r.types.of(node); known && len(v.ids) > 0 {
			steps = append(steps, &step{node, typ, v.ids, at, map[graph.ID]bool{}})
		}
	}
	for _, name := range v.node.Selectors {
		add(&Query{Connection: name})
	}
	for i := range v.node.Hops {
		add(&v.node.Hops[i])
	}
	return steps
}

func (s *step) direction() graph.Direction {
	if s.node.Reverse {
		return graph.In
	}
	return graph.Out
}

// together follows the steps in one direction that are not paged. The reader is asked for the connections
// of all their types at all their concepts, and each step picks its own.
func (r *run) together(ctx context.Context, direction graph.Direction, steps []*step) error {
	byType := map[graph.ID][]*step{}
	of := map[graph.ID]bool{}
	for _, s := range steps {
		if s.typ != 0 && !s.node.Limit && s.direction() == direction {
			byType[s.typ] = append(byType[s.typ], s)
			maps.Copy(of, s.at)
		}
	}
	if len(of) == 0 {
		return nil
	}
	types := slices.Sorted(maps.Keys(byType))
	for some := range slices.Chunk(slices.Sorted(maps.Keys(of)), MaxPageSize) {
		found, err := r.Links(ctx, graph.Links{Of: some, Direction: direction, Types: types})
		if err != nil {
			return err
		}
		for _, c := range found {
			for _, s := range byType[c.Type] {
				if err := r.take(s, c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// alone follows a paged step and counts what there is in all.
func (r *run) alone(ctx context.Context, s *step) error {
	if !s.node.Limit || s.typ == 0 {
		return nil
	}
	links := graph.Links{Of: s.from, Direction: s.direction(), Types: []graph.ID{s.typ}}
	counts, err := r.CountLinks(ctx, links)
	if err != nil {
		return err
	}
	for _, c := range counts {
		key := countOf{c.Of, c.Type}
		r.counts[key] = max(r.counts[key], c.N) // the same type may be paged out of a concept and into it
	}
	links.Page = s.node.page()
	found, err := r.Links(ctx, links)
	if err != nil {
		return err
	}
	for _, c := range found {
		if err := r.take(s, c); err != nil {
			return err
		}
	}
	return nil
}

// take keeps a connection if it starts where the step does.
func (r *run) take(s *step, c graph.Connection) error {
	near, far := c.From, c.To
	if s.node.Reverse {
		near, far = far, near
	}
	if !s.at[near] {
		return nil
	}
	s.found[far] = true
	if s.node.Reverse {
		r.reverse[c.ID] = true
	}
	return r.keep(c)
}

func (r *run) keep(c graph.Connection) error {
	r.links[c.ID] = c
	if len(r.links) > MaxLinks {
		return graph.Errorf(graph.TooLarge, "the results need more than %d connections; ask for less", MaxLinks)
	}
	return nil
}

func (r *run) answer(roots []graph.ID) Answer {
	a := Answer{Roots: roots, Links: slices.Sorted(maps.Keys(r.links)), Reverse: slices.Sorted(maps.Keys(r.reverse))}
	concepts := make(map[graph.ID]bool, len(roots)+len(a.Links))
	for _, id := range roots {
		concepts[id] = true
	}
	a.Connections = make([]graph.Connection, len(a.Links))
	for i, id := range a.Links {
		c := r.links[id]
		a.Connections[i] = c
		concepts[c.From], concepts[c.To] = true, true
	}
	a.Concepts = slices.Sorted(maps.Keys(concepts))
	for key, n := range r.counts {
		a.Counts = append(a.Counts, graph.LinkCount{Of: key.of, Type: key.typ, N: n})
	}
	slices.SortFunc(a.Counts, func(a, b graph.LinkCount) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Type, b.Type))
	})
	return a
}
