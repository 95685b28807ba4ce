package query

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// A crowd is concepts that sets are checked on, with what was read of them: that is read once, however many sets ask for it.
type crowd struct {
	ids      idSet
	concepts []graph.Concept // once read
	keys     []graph.Key     // of their values
	walks    map[hop]*walked
}

// A walked hop is the connections that it came upon from a crowd, and the crowd where they lead.
type walked struct {
	trail
	far *crowd
}

// among are the members of a set in a crowd.
func (p plain) among(ctx context.Context, of *crowd, set graph.Set) (idSet, error) {
	if len(of.ids) == 0 {
		return of.ids, nil
	}
	switch set := set.(type) {
	case graph.These:
		return of.ids.and(setOf(set)), nil
	case graph.Instances:
		return p.instancesAmong(ctx, of, set)
	case graph.Linked:
		return p.leading(ctx, of, hopOf(set), set.Far)
	case graph.Holders:
		return p.leading(ctx, of, hop{self: true}, set.Of)
	case graph.Both:
		return p.both(ctx, of, set)
	case graph.Either:
		return p.either(ctx, of, set)
	case graph.Except:
		found, err := p.among(ctx, of, set.Of)
		return of.ids.without(found), err
	default:
		return of.ids, nil
	}
}

// both are what is in all of some sets. What is in those of one kind is all that is asked about the next.
func (p plain) both(ctx context.Context, of *crowd, sets graph.Both) (idSet, error) {
	kept := of.ids
	for _, kind := range alike(sets) {
		of = of.only(kept)
		for _, set := range kind {
			found, err := p.among(ctx, of, set)
			if err != nil {
				return nil, err
			}
			if kept = kept.and(found); len(kept) == 0 {
				return kept, nil
			}
		}
	}
	return kept, nil
}

func (p plain) either(ctx context.Context, of *crowd, sets graph.Either) (idSet, error) {
	kept, left := idSet{}, of.ids
	for _, kind := range alike(sets) {
		of = of.only(left)
		for _, set := range kind {
			found, err := p.among(ctx, of, set)
			if err != nil {
				return nil, err
			}
			maps.Copy(kept, found)
		}
		left = left.without(kept)
	}
	return kept, nil
}

// only is a part of a crowd, of which nothing was read if it is not all of it.
func (c *crowd) only(ids idSet) *crowd {
	if len(ids) == len(c.ids) {
		return c
	}
	return &crowd{ids: ids}
}

// alike are sets by what is to be read for them: the concepts themselves, or where one hop leads.
func alike(sets []graph.Set) (kinds [][]graph.Set) {
	at := map[any]int{}
	for i, set := range sets {
		var kind any = i
		of := set
		if except, ok := set.(graph.Except); ok {
			of = except.Of
		}
		switch of := of.(type) {
		case graph.Instances:
			kind = graph.Instances{}
		case graph.Linked:
			kind = hopOf(of)
		case graph.Holders:
			kind = hop{self: true}
		}
		n, known := at[kind]
		if !known {
			n = len(kinds)
			at[kind], kinds = n, append(kinds, nil)
		}
		kinds[n] = append(kinds[n], set)
	}
	return kinds
}

// crowded says whether more than so many sets in a Both are alike: a selector would read the same for each.
func crowded(set graph.Set, most int) bool {
	of := func(set graph.Set) bool { return crowded(set, most) }
	switch set := set.(type) {
	case graph.Linked:
		return of(set.Far)
	case graph.Holders:
		return of(set.Of)
	case graph.Except:
		return of(set.Of)
	case graph.Either:
		return slices.ContainsFunc(set, of)
	case graph.Both:
		many := func(kind []graph.Set) bool { return len(kind) > most }
		return slices.ContainsFunc(alike(set), many) || slices.ContainsFunc(set, of)
	default:
		return false
	}
}

func (p plain) instancesAmong(ctx context.Context, of *crowd, set graph.Instances) (idSet, error) {
	if everything(set) {
		return of.ids, nil
	}
	if err := p.read(ctx, of); err != nil {
		return nil, err
	}
	holds := func(int) bool { return true }
	switch where := set.Where; {
	case where == nil:
	case where.Field == graph.FieldValue && where.Op != graph.Like:
		key := graph.KeyOf(where.Text)
		holds = func(i int) bool { return where.Op.HoldsOf(of.keys[i], key) }
	default:
		holds = func(i int) bool { return where.Holds(of.concepts[i]) }
	}
	kept := idSet{}
	for i, c := range of.concepts {
		instance := c.Type == set.Type && c.Category == graph.CategoryInstance
		if (set.Type == 0 || instance) && holds(i) {
			kept[c.ID] = true
		}
	}
	return kept, p.spend(ctx, 0)
}

func (p plain) read(ctx context.Context, of *crowd) (err error) {
	if of.concepts != nil {
		return nil
	}
	of.concepts, err = p.concepts(ctx, of.ids.sorted())
	of.keys = make([]graph.Key, len(of.concepts))
	for i, c := range of.concepts {
		of.keys[i] = graph.KeyOf(c.Value)
	}
	return err
}

// leading are those of a crowd from which a hop leads to a member of a set.
func (p plain) leading(ctx context.Context, of *crowd, h hop, far graph.Set) (idSet, error) {
	w, err := p.walk(ctx, of, h)
	if err != nil {
		return nil, err
	}
	good, err := p.among(ctx, w.far, far)
	if err != nil {
		return nil, err
	}
	if !h.self {
		return w.leading(good).and(of.ids), nil
	}
	kept := idSet{}
	for _, c := range w.links {
		if good[c.To] {
			kept[c.Type] = true
		}
	}
	return kept, nil
}

// walk follows a hop from all of a crowd together.
func (p plain) walk(ctx context.Context, of *crowd, h hop) (*walked, error) {
	if w := of.walks[h]; w != nil {
		return w, nil
	}
	w := &walked{trail: trail{direction: h.direction, depth: max(h.depth, 1)}, far: &crowd{ids: idSet{}}}
	var err error
	if h.self {
		w.links, err = p.within(ctx, of.ids.sorted())
	} else {
		err = p.follow(ctx, of, h, w)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range w.links {
		w.far.ids[farOf(c, h.direction)] = true
	}
	if of.walks == nil {
		of.walks = map[hop]*walked{}
	}
	of.walks[h] = w
	return w, nil
}

func (p plain) follow(ctx context.Context, of *crowd, h hop, w *walked) error {
	seen, at := maps.Clone(of.ids), of.ids
	for range w.depth {
		next := idSet{}
		links := graph.Links{Direction: h.direction, Types: []graph.ID{h.typ}}
		err := p.links(ctx, at.sorted(), links, MaxPageSize, func(c graph.Connection) error {
			w.links = append(w.links, c)
			p.held++
			if id := farOf(c, h.direction); !seen[id] {
				seen[id], next[id] = true, true
			}
			return nil
		})
		if err != nil {
			return err
		}
		at = next
	}
	return nil
}
