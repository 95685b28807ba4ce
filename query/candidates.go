package query

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// candidates holds concepts whose membership in sets is checked. The concepts and the hops from them are read once,
// however many sets need them.
type candidates struct {
	ids      idSet
	concepts []graph.Concept  // nil until loadConcepts
	keys     []graph.Key      // keys of the values of concepts
	walks    map[hopKey]*walk // hops that were followed
}

// A walk is the result of following a hop from candidates: the connections, and the candidates that it leads to.
type walk struct {
	traversal
	far *candidates
}

// membersAmong returns the members of a set among candidates.
func (f fallback) membersAmong(ctx context.Context, cands *candidates, set graph.Set) (idSet, error) {
	if len(cands.ids) == 0 {
		return cands.ids, nil
	}
	switch set := set.(type) {
	case graph.IDs:
		return cands.ids.intersect(setOf(set)), nil
	case graph.Instances:
		return f.instancesAmong(ctx, cands, set)
	case graph.Linked:
		return f.leadingAmong(ctx, cands, hopKeyOf(set), set.Far)
	case graph.Holders:
		return f.leadingAmong(ctx, cands, hopKeyOfHolders(set), set.Of)
	case graph.Intersection:
		return f.inAll(ctx, cands, set)
	case graph.Union:
		return f.inAny(ctx, cands, set)
	case graph.Complement:
		found, err := f.membersAmong(ctx, cands, set.Of)
		return cands.ids.minus(found), err
	default:
		return cands.ids, nil
	}
}

// inAll returns the candidates that are in all sets. The sets of one kind are checked together, and only candidates
// that are in all of them are checked for the next kind.
func (f fallback) inAll(ctx context.Context, cands *candidates, sets graph.Intersection) (idSet, error) {
	kept := cands.ids
	for _, kind := range groupSimilar(sets) {
		cands = cands.subset(kept)
		for _, set := range kind {
			found, err := f.membersAmong(ctx, cands, set)
			if err != nil {
				return nil, err
			}
			if kept = kept.intersect(found); len(kept) == 0 {
				return kept, nil
			}
		}
	}
	return kept, nil
}

// inAny returns the candidates that are in any set. Candidates that are in a set of one kind are not checked for the
// next kind.
func (f fallback) inAny(ctx context.Context, cands *candidates, sets graph.Union) (idSet, error) {
	kept, remaining := idSet{}, cands.ids
	for _, kind := range groupSimilar(sets) {
		cands = cands.subset(remaining)
		for _, set := range kind {
			found, err := f.membersAmong(ctx, cands, set)
			if err != nil {
				return nil, err
			}
			maps.Copy(kept, found)
		}
		remaining = remaining.minus(kept)
	}
	return kept, nil
}

// subset returns the candidates with the given ids. It keeps the cache only if these are the ids of all candidates.
func (c *candidates) subset(ids idSet) *candidates {
	if len(ids) == len(c.ids) {
		return c
	}
	return &candidates{ids: ids}
}

// groupSimilar groups sets by the data that checking them requires: the concepts themselves, or the connections of
// one hop.
func groupSimilar(sets []graph.Set) (kinds [][]graph.Set) {
	indexOf := map[any]int{}
	for i, set := range sets {
		var key any = i // a set of another type forms a separate group
		checked := set
		if complement, ok := set.(graph.Complement); ok {
			checked = complement.Of
		}
		switch checked := checked.(type) {
		case graph.Instances:
			key = graph.Instances{}
		case graph.Linked:
			key = hopKeyOf(checked)
		case graph.Holders:
			key = hopKeyOfHolders(checked)
		}
		n, known := indexOf[key]
		if !known {
			n = len(kinds)
			indexOf[key], kinds = n, append(kinds, nil)
		}
		kinds[n] = append(kinds[n], set)
	}
	return kinds
}

// hasManySimilar reports whether an intersection has more than maxSimilar sets of one kind (see groupSimilar). A selector
// would read the same data for each of them.
func hasManySimilar(set graph.Set, maxSimilar int) bool {
	inside := func(set graph.Set) bool { return hasManySimilar(set, maxSimilar) }
	switch set := set.(type) {
	case graph.Linked:
		return inside(set.Far)
	case graph.Holders:
		return inside(set.Of)
	case graph.Complement:
		return inside(set.Of)
	case graph.Union:
		return slices.ContainsFunc(set, inside)
	case graph.Intersection:
		hasMany := func(kind []graph.Set) bool { return len(kind) > maxSimilar }
		return slices.ContainsFunc(groupSimilar(set), hasMany) || slices.ContainsFunc(set, inside)
	default:
		return false
	}
}

// instancesAmong returns the candidates that are instances of a type and satisfy its predicate.
func (f fallback) instancesAmong(ctx context.Context, cands *candidates, set graph.Instances) (idSet, error) {
	if isEverything(set) {
		return cands.ids, nil
	}
	if err := f.loadConcepts(ctx, cands); err != nil {
		return nil, err
	}
	holds := func(int) bool { return true }
	switch where := set.Where; {
	case where == nil:
	case where.Field == graph.FieldValue && where.Op.ComparesKeys():
		key := graph.KeyOf(where.Text)
		holds = func(i int) bool { return where.Op.Holds(cands.keys[i], key) }
	default:
		holds = func(i int) bool { return where.Holds(cands.concepts[i]) }
	}
	kept := idSet{}
	for i, c := range cands.concepts {
		isInstance := c.Type == set.Type && c.Category == graph.CategoryInstance
		if (set.Type == 0 || isInstance) && holds(i) {
			kept[c.ID] = true
		}
	}
	return kept, f.spendRows(ctx, 0)
}

// loadConcepts reads the candidates and computes the keys of their values, unless they were read before.
func (f fallback) loadConcepts(ctx context.Context, cands *candidates) (err error) {
	if cands.concepts != nil {
		return nil
	}
	cands.concepts, err = f.readConcepts(ctx, cands.ids.sorted())
	cands.keys = make([]graph.Key, len(cands.concepts))
	for i, c := range cands.concepts {
		cands.keys[i] = graph.KeyOf(c.Value)
	}
	return err
}

// leadingAmong returns the candidates from which a hop leads to a member of far.
func (f fallback) leadingAmong(ctx context.Context, cands *candidates, h hopKey, far graph.Set) (idSet, error) {
	w, err := f.walkFrom(ctx, cands, h)
	if err != nil {
		return nil, err
	}
	targets, err := f.membersAmong(ctx, w.far, far)
	if err != nil {
		return nil, err
	}
	if !h.self {
		return w.startsLeadingTo(targets).intersect(cands.ids), nil
	}
	kept := idSet{}
	for _, c := range w.links {
		if targets[c.To] {
			kept[c.Type] = true
		}
	}
	return kept, nil
}

// walkFrom follows a hop from all candidates together, unless the hop was followed before.
func (f fallback) walkFrom(ctx context.Context, cands *candidates, h hopKey) (*walk, error) {
	if w := cands.walks[h]; w != nil {
		return w, nil
	}
	w := &walk{traversal: traversal{direction: h.direction, depth: max(h.depth, 1)}, far: &candidates{ids: idSet{}}}
	var err error
	if h.self {
		w.links, err = f.linksInside(ctx, cands.ids.sorted(), h.direct)
	} else {
		err = f.followHop(ctx, cands, h, w)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range w.links {
		w.far.ids[farOf(c, h.direction)] = true
	}
	if cands.walks == nil {
		cands.walks = map[hopKey]*walk{}
	}
	cands.walks[h] = w
	return w, nil
}

// followHop reads the connections of a hop, one request per level of its depth.
func (f fallback) followHop(ctx context.Context, cands *candidates, h hopKey, w *walk) error {
	seen, frontier := maps.Clone(cands.ids), cands.ids
	for range w.depth {
		next := idSet{}
		links := graph.Links{Of: frontier.sorted(), Direction: h.direction, Types: []graph.ID{h.typ}}
		err := f.visitLinks(ctx, links, MaxPageSize, func(c graph.Connection) error {
			w.links = append(w.links, c)
			f.heldLinks++
			if id := farOf(c, h.direction); !seen[id] {
				seen[id], next[id] = true, true
			}
			return nil
		})
		if err != nil {
			return err
		}
		frontier = next
	}
	return nil
}
