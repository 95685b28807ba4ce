package query

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// What one query may look at.
const (
	// MaxRows is how many concepts and connections are read, one that is read twice counted twice.
	MaxRows = 5_000_000
	// MaxGather is how many members of one set are gathered.
	MaxGather = 1_000_000
)

// An asker asks a reader about sets, and counts what it is told.
type asker struct {
	graph.Reader
	selector graph.Selector // nil if the reader is none
	rows     int            // left to be read
	held     int            // connections that are needed again, at the moment
	room     int            // for those
	alike    int            // how many sets that are checked together may be
	slow     bool           // the selector: what is deep is no longer checked with it
}

func newAsker(r graph.Reader, e effort) *asker {
	selector, _ := r.(graph.Selector)
	return &asker{Reader: r, selector: selector, rows: e.rows, room: e.room, alike: e.alike}
}

// spend counts what was read and ends a query that has read, or holds, too much.
func (a *asker) spend(ctx context.Context, rows int) error {
	a.rows -= rows
	switch {
	case a.rows < 0:
		return graph.Errorf(graph.TooLarge,
			"the query looks at more than %d concepts and connections; start from fewer, or filter by something that is rarer", MaxRows)
	case a.held > a.room:
		return graph.Errorf(graph.TooLarge, "more than %d connections are on the way; start from fewer", MaxLinks)
	}
	return ctx.Err()
}

// letGo forgets the connections that are held beyond so many.
func (a *asker) letGo(held int) { a.held = held }

// gather finds the members of a set, in no order. It is not whole if there are more than a limit: then the ids
// are some of them or none.
func (a *asker) gather(ctx context.Context, set graph.Set, limit int) (ids []graph.ID, whole bool, err error) {
	if a.selector != nil {
		ids, err = a.selected(ctx, graph.Selection{Set: set, Page: graph.Page{Limit: limit + 1}, Unordered: true})
		if err == nil {
			return ids, len(ids) <= limit, a.spend(ctx, len(ids))
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, false, err
		}
	}
	found, err := plain{a, limit}.members(ctx, set)
	if errors.Is(err, errWide) {
		return nil, false, nil
	}
	return found.sorted(), err == nil, err
}

// patience is how long a selector checks what is more than one step away. It may go each way there on its own, and over a hub
// there are too many; the plain way goes from all concepts together, one step after the other.
const patience = time.Second

// selected asks the selector. The error is errors.ErrUnsupported too if that takes too long.
func (a *asker) selected(ctx context.Context, s graph.Selection) ([]graph.ID, error) {
	if !checksDeep(s.Set) {
		return a.selector.Select(ctx, s)
	}
	if a.slow {
		return nil, errors.ErrUnsupported
	}
	soon, done := context.WithTimeout(ctx, patience)
	defer done()
	found, err := a.selector.Select(soon, s)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		a.slow = true
		return nil, errors.ErrUnsupported
	}
	return found, err
}

// checksDeep says whether a member of a set is checked for what is more than one step away.
func checksDeep(set graph.Set) bool {
	switch set := set.(type) {
	case graph.Linked:
		return checksDeep(set.Far)
	case graph.Holders:
		return checksDeep(set.Of)
	case graph.Either:
		return slices.ContainsFunc(set, checksDeep)
	case graph.Both:
		return checksDeep(set[0]) || slices.ContainsFunc(set[1:], func(side graph.Set) bool { return steps(side) > 1 })
	default:
		return false
	}
}

// checked is how many ids are checked with one question.
const checked = 50_000

// check keeps of some ids those that are members of a set, in their order.
func (a *asker) check(ctx context.Context, ids []graph.ID, set graph.Set) ([]graph.ID, error) {
	var kept []graph.ID
	for some := range slices.Chunk(ids, checked) {
		members, err := a.among(ctx, some, set)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			if members[id] {
				kept = append(kept, id)
			}
		}
		if err := a.spend(ctx, len(some)); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

func (a *asker) among(ctx context.Context, ids []graph.ID, set graph.Set) (idSet, error) {
	if found, ok := set.(graph.These); ok {
		return setOf(ids).and(setOf(found)), nil
	}
	if a.selector != nil {
		if !crowded(set, a.alike) {
			found, err := a.selected(ctx, graph.Selection{Set: these(ids, set), Unordered: true})
			if !errors.Is(err, errors.ErrUnsupported) {
				return setOf(found), err
			}
		}
		if both, ok := set.(graph.Both); ok {
			return a.kindByKind(ctx, ids, both)
		}
	}
	return plain{a, MaxGather}.check(ctx, setOf(ids), set)
}

// kindByKind checks sets of each kind after the others, some of which the reader may well select from.
func (a *asker) kindByKind(ctx context.Context, ids []graph.ID, sets graph.Both) (idSet, error) {
	members := setOf(ids)
	for _, kind := range alike(sets) {
		if crowded(graph.Both(kind), a.alike) {
			found, err := plain{a, MaxGather}.check(ctx, members, graph.Both(kind))
			if err != nil {
				return nil, err
			}
			members = found
			continue
		}
		for _, set := range kind {
			found, err := a.among(ctx, members.sorted(), set)
			if err != nil {
				return nil, err
			}
			members = found
		}
	}
	return members, nil
}

// these are the members of a set among some ids.
func these(ids []graph.ID, set graph.Set) graph.Set {
	if both, ok := set.(graph.Both); ok {
		if everything(both[0]) {
			both = both[1:]
		}
		return append(graph.Both{graph.These(ids)}, both...)
	}
	return graph.Both{graph.These(ids), set}
}
