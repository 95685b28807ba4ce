package cache

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// types holds the types that were found by name. Types are cached separately from concepts, because there are few
// types and nearly every request looks up some of them.
type types struct {
	named map[string][]graph.Concept
	ids   map[graph.ID]bool
}

// maxTypes is the maximum number of cached types. A name may be as long as a shared value.
const maxTypes = 10_000

// ConceptsByValue implements graph.Reader.
func (s *Store) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, absent, evictions := s.lookUpTypes(keys)
	if len(absent) > 0 {
		read, err := s.Store.ConceptsByValue(ctx, absent)
		if err != nil {
			return nil, err
		}
		s.addTypes(absent, read, evictions)
		if len(found) == 0 {
			return read, nil
		}
		found = append(found, read...)
	}
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b graph.Concept) bool { return a.ID == b.ID }), nil
}

// lookUpTypes returns the cached types, and the keys that must be read.
func (s *Store) lookUpTypes(keys []graph.ValueKey) (found []graph.Concept, absent []graph.ValueKey, evictions int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.isUsable() {
		return nil, keys, s.evictions
	}
	for i, key := range keys {
		named := s.types.named[key.Value]
		if !isByName(key) || named == nil {
			absent = append(absent, keys[i])
			continue
		}
		found = append(found, named...)
	}
	return found, absent, s.evictions
}

// isByName reports whether a key selects types by their name only. The viewer of the key does not matter, because all
// users see all types.
func isByName(key graph.ValueKey) bool { return key.Types && key.Type == 0 && key.Category == 0 }

// addTypes caches types that were read, unless a removal was processed since they were read.
func (s *Store) addTypes(keys []graph.ValueKey, read []graph.Concept, evictions int) {
	requested := map[string]bool{}
	for _, key := range keys {
		if isByName(key) {
			requested[key.Value] = true
		}
	}
	if len(requested) == 0 {
		return
	}
	named := map[string][]graph.Concept{}
	for _, c := range read {
		if requested[c.Value] && c.IsType() {
			named[c.Value] = append(named[c.Value], c)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.evictions != evictions || !s.isUsable() {
		return
	}
	if len(s.types.ids)+len(read) > maxTypes {
		s.types = types{}
	}
	if s.types.named == nil {
		s.types = types{named: map[string][]graph.Concept{}, ids: map[graph.ID]bool{}}
	}
	for name, concepts := range named {
		if !slices.ContainsFunc(concepts, hasFinalName) {
			continue
		}
		s.types.named[name] = concepts
		for _, c := range concepts {
			s.types.ids[c.ID] = true
		}
	}
}

// hasFinalName reports whether c will remain the only type with its name. It returns false for fixed concepts such as
// "value", "root" or "instance", whose category is Root, because a type with that name may be created later as
// another concept.
func hasFinalName(c graph.Concept) bool { return c.Category != graph.Root || c.ID == graph.The }

// evictTypes evicts all types if one of ids is a cached type. Removals of types are rare. The caller holds the lock.
func (s *Store) evictTypes(ids []graph.ID) {
	if slices.ContainsFunc(ids, func(id graph.ID) bool { return s.types.ids[id] }) {
		s.types = types{}
	}
}
