package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

var _ graph.KeyReader = (*Store)(nil)

// ValueKeys implements graph.KeyReader. It sorts all instances that the viewer sees.
func (s *Store) ValueKeys(ctx context.Context, r graph.KeyRange) ([]graph.ValueSortKey, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := view{s, ctx, r.Viewer}
	var found []graph.ValueSortKey
	for _, id := range s.instances[r.Type] {
		key := graph.SortKeyOf(s.concepts[id].Value)
		if key != "" && key >= r.Min && key < r.Max && v.sees(id) {
			found = append(found, graph.ValueSortKey{ID: id, Key: key})
		}
	}
	slices.SortFunc(found, func(a, b graph.ValueSortKey) int {
		if r.Descending {
			a, b = b, a
		}
		return cmp.Compare(a.Key, b.Key)
	})
	if r.Limit > 0 {
		found = found[:min(r.Limit, len(found))]
	}
	return found, ctx.Err()
}

// Containers implements graph.KeyReader. It sorts all containers.
func (s *Store) Containers(ctx context.Context, c graph.Containers) ([]graph.ID, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := view{s, ctx, c.Viewer}
	found := set{}
	for _, link := range s.in[end{c.Value, 0}] {
		if l := s.connections[link]; l.From == l.Type && v.seesLink(l) {
			found[l.From] = true
		}
	}
	return pageOf(slices.Sorted(maps.Keys(found)), graph.Page{Descending: c.Page.Descending, After: c.Page.After, Limit: c.Page.Limit}), ctx.Err()
}

// PartKeys implements graph.KeyReader.
func (s *Store) PartKeys(ctx context.Context, p graph.Parts) ([]graph.PartSortKey, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := view{s, ctx, p.Viewer}
	var found []graph.PartSortKey
	for _, id := range distinct(p.Of) {
		for _, link := range s.out[end{id, cmp.Or(p.Connection, id)}] {
			c := s.connections[link]
			value := s.concepts[c.To]
			key := graph.SortKeyOf(value.Value)
			isWanted := value.Category == graph.CategoryInstance && (p.Type == 0 || value.Type == p.Type)
			if key != "" && isWanted && v.seesLink(c) {
				found = append(found, graph.PartSortKey{Of: id, Link: link, Key: key})
			}
		}
	}
	return found, ctx.Err()
}
