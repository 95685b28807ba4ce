package query

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A plain asker answers the questions about sets with the methods that every reader has: it gathers backwards, from
// values to what is linked with them, and checks forwards.
type plain struct {
	*asker
	limit int
}

// errWide says that a set, or one on the way to it, is too large or cannot be gathered by such methods.
var errWide = errors.New("the set is too wide")

// few concepts are looked at first where it may be that already those have too many connections.
const few = 16

type idSet map[graph.ID]bool

func setOf(ids []graph.ID) idSet {
	s := make(idSet, len(ids))
	for _, id := range ids {
		s[id] = true
	}
	return s
}

func (s idSet) sorted() []graph.ID { return slices.Sorted(maps.Keys(s)) }

// members are all members of a set. The error is errWide for more than the limit.
func (p plain) members(ctx context.Context, set graph.Set) (idSet, error) {
	switch set := set.(type) {
	case graph.These:
		found, err := p.concepts(ctx, set)
		return setOf(idsOf(found)), err
	case graph.Instances:
		return p.instances(ctx, set)
	case graph.Linked:
		return p.linked(ctx, set)
	case graph.Holders:
		return p.holders(ctx, set)
	case graph.Both:
		found, err := p.members(ctx, set[0])
		if err != nil {
			return nil, err
		}
		return p.check(ctx, found, set[1:])
	case graph.Either:
		either := idSet{}
		for _, side := range set {
			found, err := p.members(ctx, side)
			if err != nil {
				return nil, err
			}
			maps.Copy(either, found)
		}
		return either, p.bound(either)
	default:
		return nil, errWide
	}
}

func (p plain) bound(found idSet) error {
	if len(found) > p.limit {
		return errWide
	}
	return nil
}

// looked is how many instances are looked at to find one.
const looked = 10

func (p plain) instances(ctx context.Context, set graph.Instances) (idSet, error) {
	if set.Type == 0 {
		return nil, errWide
	}
	most := p.limit
	if set.Where != nil {
		most *= looked
	}
	n, err := p.CountByType(ctx, set.Type, most+1)
	if err != nil {
		return nil, err
	}
	if n > most {
		return nil, errWide
	}
	found := idSet{}
	page := graph.Page{Limit: MaxPageSize}
	for {
		some, err := p.ConceptsByType(ctx, set.Type, page)
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			if set.Where == nil || set.Where.Holds(c) {
				found[c.ID] = true
			}
		}
		if err := p.spend(ctx, len(some)); err != nil {
			return nil, err
		}
		if len(some) < page.Limit {
			return found, p.bound(found)
		}
		page.After = some[len(some)-1].ID
	}
}

func (p plain) linked(ctx context.Context, set graph.Linked) (idSet, error) {
	far, err := p.members(ctx, set.Far)
	if err != nil {
		return nil, err
	}
	found := idSet{}
	back := graph.Links{Direction: graph.In, Types: set.Types}
	if set.Direction == graph.In {
		back.Direction = graph.Out
	}
	for range max(set.Depth, 1) {
		next := idSet{}
		err := p.links(ctx, far.sorted(), back, few, func(c graph.Connection) error {
			if near := farOf(c, back.Direction); !found[near] {
				found[near], next[near] = true, true
			}
			return p.bound(found)
		})
		if err != nil {
			return nil, err
		}
		far = next
	}
	return found, nil
}

// farOf is where a connection leads in a direction.
func farOf(c graph.Connection, d graph.Direction) graph.ID {
	if d == graph.In {
		return c.From
	}
	return c.To
}

func nearOf(c graph.Connection, d graph.Direction) graph.ID {
	if d == graph.In {
		return c.To
	}
	return c.From
}

func (p plain) holders(ctx context.Context, set graph.Holders) (idSet, error) {
	of, err := p.members(ctx, set.Of)
	if err != nil {
		return nil, err
	}
	types := idSet{}
	err = p.links(ctx, of.sorted(), graph.Links{Direction: graph.In}, few, func(c graph.Connection) error {
		types[c.Type] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, err := p.concepts(ctx, types.sorted())
	holders := idSet{}
	for _, c := range found {
		if c.Composition {
			holders[c.ID] = true
		}
	}
	return holders, errors.Join(err, p.bound(holders))
}

// check keeps of some ids those that are members.
func (p plain) check(ctx context.Context, ids idSet, set graph.Set) (idSet, error) {
	defer p.letGo(p.held)
	return p.among(ctx, &crowd{ids: ids}, set)
}

func (s idSet) and(other idSet) idSet {
	both := idSet{}
	for id := range s {
		if other[id] {
			both[id] = true
		}
	}
	return both
}

func (s idSet) without(other idSet) idSet {
	left := idSet{}
	for id := range s {
		if !other[id] {
			left[id] = true
		}
	}
	return left
}

// concepts reads what ids name.
func (p plain) concepts(ctx context.Context, ids []graph.ID) ([]graph.Concept, error) {
	var all []graph.Concept
	for some := range slices.Chunk(ids, MaxPageSize) {
		found, err := p.Concepts(ctx, some)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if err := p.spend(ctx, len(some)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// links hands over the connections at concepts, of so many at first, and then of more and more.
func (p plain) links(ctx context.Context, of []graph.ID, l graph.Links, first int, take func(graph.Connection) error) error {
	for n := first; len(of) > 0; n = min(4*n, MaxPageSize) {
		l.Of = of[:min(n, len(of))]
		of = of[len(l.Of):]
		found, err := p.Links(ctx, l)
		if err != nil {
			return err
		}
		if err := p.spend(ctx, len(found)); err != nil {
			return err
		}
		for _, c := range found {
			if err := take(c); err != nil {
				return err
			}
		}
	}
	return nil
}
