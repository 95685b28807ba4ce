package cache

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Types are asked for by name with nearly every request, and there are few: those that were found are
// remembered by name, apart from the concepts.
type types struct {
	named map[string][]graph.Concept
	ids   map[graph.ID]bool
}

// mostTypes bounds how many types are remembered. A name may be as long as a shared value.
const mostTypes = 10_000

// ConceptsByValue implements graph.Reader.
func (s *Store) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, absent, removals := s.lookUpTypes(keys)
	if len(absent) > 0 {
		read, err := s.Store.ConceptsByValue(ctx, absent)
		if err != nil {
			return nil, err
		}
		s.keepTypes(absent, read, removals)
		if len(found) == 0 {
			return read, nil
		}
		found = append(found, read...)
	}
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b graph.Concept) bool { return a.ID == b.ID }), nil
}

// lookUpTypes returns the types that are remembered, and the keys that are left to ask for.
func (s *Store) lookUpTypes(keys []graph.ValueKey) (found []graph.Concept, absent []graph.ValueKey, removals int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.upToDate() {
		return nil, keys, s.removals
	}
	for i, key := range keys {
		named := s.types.named[key.Value]
		if !byName(key) || named == nil {
			absent = append(absent, keys[i])
			continue
		}
		found = append(found, named...)
	}
	return found, absent, s.removals
}

// byName says whether a key asks for types by nothing but their name. Types are everybody's, so that it
// does not matter who asks.
func byName(key graph.ValueKey) bool { return key.Types && key.Type == 0 && key.Category == 0 }

// keepTypes remembers the types that were read, unless something was removed since.
func (s *Store) keepTypes(keys []graph.ValueKey, read []graph.Concept, removals int) {
	asked := map[string]bool{}
	for _, key := range keys {
		if byName(key) {
			asked[key.Value] = true
		}
	}
	if len(asked) == 0 {
		return
	}
	named := map[string][]graph.Concept{}
	for _, c := range read {
		if asked[c.Value] && c.IsType() {
			named[c.Value] = append(named[c.Value], c)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.removals != removals || !s.upToDate() {
		return
	}
	if len(s.types.ids)+len(read) > mostTypes {
		s.types = types{}
	}
	if s.types.named == nil {
		s.types = types{named: map[string][]graph.Concept{}, ids: map[graph.ID]bool{}}
	}
	for name, concepts := range named {
		if !slices.ContainsFunc(concepts, complete) {
			continue
		}
		s.types.named[name] = concepts
		for _, c := range concepts {
			s.types.ids[c.ID] = true
		}
	}
}

// complete says that no other type of this name can come. One can where only a fixed concept has the name
// that is not made of words: "value", "root" and "instance" are words as well once somebody uses them.
func complete(c graph.Concept) bool { return c.Category != graph.Root || c.ID == graph.The }

// forgetTypes must be called under the lock. One type seldom goes; then all are soon learned again.
func (s *Store) forgetTypes(ids []graph.ID) {
	if slices.ContainsFunc(ids, func(id graph.ID) bool { return s.types.ids[id] }) {
		s.types = types{}
	}
}
