package memory

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Concepts implements graph.Reader.
func (s *Store) Concepts(ctx context.Context, of []graph.ID) ([]graph.Concept, error) {
	return lookUp(ctx, s, s.concepts, of)
}

// Connections implements graph.Reader.
func (s *Store) Connections(ctx context.Context, of []graph.ID) ([]graph.Connection, error) {
	return lookUp(ctx, s, s.connections, of)
}

func lookUp[T any](ctx context.Context, s *Store, all map[graph.ID]T, of []graph.ID) ([]T, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := make([]T, 0, len(of))
	for _, id := range once(of) {
		if record, ok := all[id]; ok {
			found = append(found, record)
		}
	}
	return found, nil
}

// ConceptsByValue implements graph.Reader.
func (s *Store) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found ids
	for _, key := range keys {
		if !graph.Shared(key.Value) {
			continue
		}
		for _, id := range s.values[key.Value] {
			if key.Matches(s.concepts[id]) {
				found = append(found, id)
			}
		}
	}
	slices.Sort(found)
	return s.named(slices.Compact(found)), nil
}

// ConceptsByType implements graph.Reader.
func (s *Store) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.named(cut(s.instances[typ], page)), nil
}

func (s *Store) named(of ids) []graph.Concept {
	found := make([]graph.Concept, len(of))
	for i, id := range of {
		found[i] = s.concepts[id]
	}
	return found
}

// CountByType implements graph.Reader.
func (s *Store) CountByType(ctx context.Context, typ graph.ID, atMost int) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := len(s.instances[typ])
	if atMost > 0 {
		n = min(n, atMost)
	}
	return n, nil
}

// Links implements graph.Reader.
func (s *Store) Links(ctx context.Context, links graph.Links) ([]graph.Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []graph.Connection{}
	for _, of := range once(links.Of) {
		for _, id := range cut(s.at(of, links), links.Page) {
			found = append(found, s.connections[id])
		}
	}
	return found, nil
}

// at lists the connections at one concept, before the page is cut.
func (s *Store) at(of graph.ID, links graph.Links) ids {
	index := s.out
	if links.Direction == graph.In {
		index = s.in
	}
	if links.Types == nil {
		return index[end{of, 0}]
	}
	if len(links.Types) == 1 && links.Types[0] != 0 {
		return index[end{of, links.Types[0]}]
	}
	var typed ids
	for _, typ := range once(links.Types) {
		if typ != 0 { // that is no type; under it stand all
			typed = append(typed, index[end{of, typ}]...)
		}
	}
	slices.Sort(typed)
	return typed
}

// CountLinks implements graph.Reader.
func (s *Store) CountLinks(ctx context.Context, links graph.Links) ([]graph.LinkCount, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := []graph.LinkCount{}
	for _, of := range once(links.Of) {
		types := make(ids, 0)
		for _, id := range s.at(of, links) {
			types = append(types, s.connections[id].Type)
		}
		slices.Sort(types)
		for len(types) > 0 {
			after, _ := slices.BinarySearch(types, types[0]+1)
			counts = append(counts, graph.LinkCount{Of: of, Type: types[0], N: after})
			types = types[after:]
		}
	}
	return counts, nil
}

// Ghosts implements graph.Reader.
func (s *Store) Ghosts(ctx context.Context, sender graph.Sender, ghosts []graph.ID) (map[graph.ID]graph.ID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := map[graph.ID]graph.ID{}
	for _, g := range ghosts {
		if id, ok := s.ghosts[ghostOf(sender, g, false)]; ok {
			found[g] = id
		}
	}
	return found, nil
}

// Identity implements graph.Reader.
func (s *Store) Identity(ctx context.Context) (string, error) { return s.identity, ctx.Err() }

// LastSeq implements graph.Reader.
func (s *Store) LastSeq(ctx context.Context) (graph.Seq, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.seq, ctx.Err()
}

// Changes implements graph.Reader.
func (s *Store) Changes(ctx context.Context, after graph.Seq, limit int) ([]graph.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	oldest := s.seq - graph.Seq(len(s.changes)) // everything up to this one is forgotten
	if after < oldest || after > s.seq {
		return nil, graph.Errorf(graph.NotFound, "no changes after %d: the store remembers %d to %d", after, oldest, s.seq)
	}
	found := s.changes[after-oldest:]
	if limit > 0 {
		found = found[:min(limit, len(found))]
	}
	return slices.Clone(found), nil
}

// cut takes a page out of ascending ids.
func cut(all ids, page graph.Page) ids {
	if page.Descending {
		end := len(all)
		if page.After != 0 {
			end, _ = slices.BinarySearch(all, page.After)
		}
		all = slices.Clone(all[:end])
		slices.Reverse(all)
	} else if page.After != 0 {
		start, _ := slices.BinarySearch(all, page.After+1)
		all = all[start:]
	}
	all = all[min(max(page.Skip, 0), len(all)):]
	if page.Limit > 0 {
		all = all[:min(page.Limit, len(all))]
	}
	return all
}

// once leaves out repetitions and keeps the order.
func once(of ids) ids {
	seen := make(map[graph.ID]bool, len(of))
	kept := make(ids, 0, len(of))
	for _, id := range of {
		if !seen[id] {
			seen[id] = true
			kept = append(kept, id)
		}
	}
	return kept
}
