package memory

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
)

// Concepts implements graph.Reader.
func (s *Store) Concepts(ctx context.Context, of []graph.ID) ([]graph.Concept, error) {
	found, err := lookUp(ctx, s, s.concepts, of)
	if err != nil {
		return nil, err
	}
	return found, charge(ctx, found)
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
	for _, id := range distinct(of) {
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
		if !graph.IsShared(key.Value) {
			continue
		}
		listed := s.values[key.Value]
		if key.Viewer != 0 {
			listed = slices.Concat(s.valuesIn[scopedValue{key.Value, 0}], s.valuesIn[scopedValue{key.Value, key.Viewer}])
		}
		for _, id := range listed {
			s.reads.Add(1)
			if key.Matches(s.concepts[id]) {
				found = append(found, id)
			}
		}
	}
	slices.Sort(found)
	return s.conceptsOf(slices.Compact(found)), nil
}

// HasValue implements graph.ValueChecker.
func (s *Store) HasValue(ctx context.Context, typ graph.ID, value string) (bool, error) {
	if err := ctx.Err(); err != nil || !graph.IsShared(value) {
		return false, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.hasValue(graph.TypedValue{Type: typ, Value: value})
}

// hasValue reports whether there is an instance with a value. The caller holds the lock.
func (s *Store) hasValue(v graph.TypedValue) (bool, error) {
	key := graph.ValueKey{Value: v.Value, Type: v.Type, Category: graph.CategoryInstance}
	for _, id := range s.values[v.Value] {
		s.reads.Add(1)
		if key.Matches(s.concepts[id]) {
			return true, nil
		}
	}
	return false, nil
}

// ConceptsByType implements graph.Reader.
func (s *Store) ConceptsByType(ctx context.Context, typ graph.ID, page graph.Page) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := s.conceptsOf(pageOf(s.instances[typ], page))
	return found, charge(ctx, found)
}

// charge charges the values of concepts to the account in ctx. The store holds the values, too, but a response may
// hold them after their concepts were removed.
func charge(ctx context.Context, found []graph.Concept) error {
	bytes := 0
	for i := range found {
		bytes += len(found[i].Value)
	}
	return budget.Charge(ctx, int64(bytes))
}

func (s *Store) conceptsOf(of ids) []graph.Concept {
	s.reads.Add(int64(len(of)))
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
	for _, of := range distinct(links.Of) {
		for _, id := range pageOf(s.linksAt(of, links), links.Page) {
			found = append(found, s.connection(id))
		}
	}
	return found, nil
}

// linksAt returns the ids of the connections at one concept, before the page is cut.
func (s *Store) linksAt(of graph.ID, links graph.Links) ids {
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
	for _, typ := range distinct(links.Types) {
		if typ != 0 { // 0 is the key of all types, not a type
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
	for _, of := range distinct(links.Of) {
		counts = append(counts, s.countByType(of, s.linksAt(of, links))...)
	}
	return counts, nil
}

// countByType counts connections of one concept by type.
func (s *Store) countByType(of graph.ID, links ids) (counts []graph.LinkCount) {
	types := make(ids, 0, len(links))
	for _, id := range links {
		types = append(types, s.connection(id).Type)
	}
	slices.Sort(types)
	for len(types) > 0 {
		after, _ := slices.BinarySearch(types, types[0]+1)
		counts = append(counts, graph.LinkCount{Of: of, Type: types[0], N: after})
		types = types[after:]
	}
	return counts
}

// ResolveIDs implements graph.Reader.
func (s *Store) ResolveIDs(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	return s.resolve(ctx, sender, ids, false)
}

// ResolveConnections implements graph.Reader.
func (s *Store) ResolveConnections(ctx context.Context, sender graph.Sender, ids []graph.ID) (map[graph.ID]graph.ID, error) {
	return s.resolve(ctx, sender, ids, true)
}

func (s *Store) resolve(ctx context.Context, sender graph.Sender, ids []graph.ID, areConnections bool) (map[graph.ID]graph.ID, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := map[graph.ID]graph.ID{}
	for _, id := range ids {
		if real, ok := s.sent[refOf(sender, id, areConnections)]; ok && real != 0 {
			found[id] = real
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
	oldest := s.seq - graph.Seq(len(s.changes)) // changes up to this number are deleted
	if after < oldest || after > s.seq {
		return nil, graph.Errorf(graph.NotFound, "no changes after %d: the store keeps %d to %d", after, oldest, s.seq)
	}
	found := s.changes[after-oldest:]
	if limit > 0 {
		found = found[:min(limit, len(found))]
	}
	return slices.Clone(found), nil
}

// pageOf returns a page of ascending ids.
func pageOf(all ids, page graph.Page) ids {
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

// distinct returns ids without repetitions, in their order.
func distinct(of ids) ids {
	seen := make(map[graph.ID]bool, len(of))
	unique := make(ids, 0, len(of))
	for _, id := range of {
		if !seen[id] {
			seen[id] = true
			unique = append(unique, id)
		}
	}
	return unique
}
