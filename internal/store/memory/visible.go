package memory

import (
	"context"
	"iter"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// scoped is the key of an index of records by scope. In an index by type, the concept of the end is 0. Type 0 means records of
// all types.
type scoped struct {
	end
	scope graph.ID
}

// A scopedValue is the key of the index of values by scope.
type scopedValue struct {
	value string
	scope graph.ID
}

// A scopeIndex lists ids by scope. A connection is listed in the scope of the users who may read it and both its ends.
type scopeIndex map[scoped]ids

func (x scopeIndex) add(e end, scope, id graph.ID)  { add(x, scoped{e, scope}, id) }
func (x scopeIndex) drop(e end, scope, id graph.ID) { drop(x, scoped{e, scope}, id) }

// visible returns the ids that a viewer sees, in two lists.
func (x scopeIndex) visible(e end, viewer graph.ID) [2]ids {
	return [2]ids{x[scoped{e, 0}], x[scoped{e, viewer}]}
}

// page returns a page of the ids that a viewer sees. It reads at most the ids before the end of the page in each list.
func (x scopeIndex) page(e end, viewer graph.ID, page graph.Page) ids {
	return mergedPage(x.visible(e, viewer), page)
}

// mergedPage returns a page of two lists of ascending ids.
func mergedPage(lists [2]ids, page graph.Page) ids {
	part := graph.Page{Descending: page.Descending, After: page.After}
	if page.Limit > 0 {
		part.Limit = max(page.Skip, 0) + page.Limit
	}
	merged := slices.Concat(pageOf(lists[0], part), pageOf(lists[1], part))
	slices.Sort(merged)
	page.After = 0
	return pageOf(slices.Compact(merged), page)
}

// scopeOf returns the scope of the users who may read a connection and both its ends.
func (s *Store) scopeOf(c graph.Connection) graph.ID {
	return c.ScopeBetween(graph.EndpointOf(s.concepts[c.From]), graph.EndpointOf(s.concepts[c.To]))
}

// VisibleByType implements graph.VisibleReader.
func (s *Store) VisibleByType(ctx context.Context, typ, viewer graph.ID, page graph.Page) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := s.conceptsOf(s.scoped.instances.page(end{0, typ}, viewer, page))
	return found, charge(ctx, found)
}

// CountVisible implements graph.VisibleReader.
func (s *Store) CountVisible(ctx context.Context, typ, viewer graph.ID) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	lists := s.scoped.instances.visible(end{0, typ}, viewer)
	return len(lists[0]) + len(lists[1]), ctx.Err()
}

var _ graph.PairReader = (*Store)(nil)

// PairLinks implements graph.PairReader.
func (s *Store) PairLinks(ctx context.Context, p graph.LinkPairs) ([]graph.Connection, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := view{s, ctx, p.Viewer}
	found := []graph.Connection{}
	for _, pair := range p.Pairs {
		if pair.Type == 0 { // the key of all types, not a type
			continue
		}
		for _, id := range s.out[end{pair.From, pair.Type}] {
			if c := s.connection(id); v.seesLink(c) {
				found = append(found, c)
			}
		}
	}
	return found, ctx.Err()
}

// VisibleLinks implements graph.VisibleReader.
func (s *Store) VisibleLinks(ctx context.Context, viewer graph.ID, links graph.Links) ([]graph.Connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := []graph.Connection{}
	for _, of := range distinct(links.Of) {
		lists := s.visibleAt(of, viewer, links)
		for _, id := range mergedPage(lists, links.Page) {
			found = append(found, s.connection(id))
		}
	}
	return found, nil
}

// visibleAt returns the ids of the connections at one concept that a viewer sees, in two ascending lists.
func (s *Store) visibleAt(of, viewer graph.ID, links graph.Links) [2]ids {
	index := s.scoped.out
	if links.Direction == graph.In {
		index = s.scoped.in
	}
	if links.Types == nil {
		return index.visible(end{of, 0}, viewer)
	}
	var typed [2]ids
	for _, typ := range distinct(links.Types) {
		if typ == 0 { // the key of all types, not a type
			continue
		}
		for i, list := range index.visible(end{of, typ}, viewer) {
			typed[i] = append(typed[i], list...)
		}
	}
	slices.Sort(typed[0])
	slices.Sort(typed[1])
	return typed
}

// CountVisibleLinks implements graph.VisibleReader.
func (s *Store) CountVisibleLinks(ctx context.Context, viewer graph.ID, links graph.Links) ([]graph.LinkCount, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := []graph.LinkCount{}
	for _, of := range distinct(links.Of) {
		lists := s.visibleAt(of, viewer, links)
		counts = append(counts, s.countByType(of, slices.Concat(lists[0], lists[1]))...)
	}
	return counts, nil
}

// VisibleSizes implements graph.VisibleReader.
func (s *Store) VisibleSizes(ctx context.Context, viewer graph.ID, types []graph.ID) ([]graph.Size, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	sizes := make([]graph.Size, len(types))
	for i, typ := range types {
		instances, links := s.scoped.instances.visible(end{0, typ}, viewer), s.scoped.typed.visible(end{0, typ}, viewer)
		sizes[i].Instances = len(instances[0]) + len(instances[1])
		if !s.concepts[typ].Composition {
			sizes[i].Links = len(links[0]) + len(links[1])
		}
	}
	return sizes, ctx.Err()
}

// connection returns a connection and counts the read.
func (s *Store) connection(id graph.ID) graph.Connection {
	s.reads.Add(1)
	return s.connections[id]
}

// each returns the records that the viewer sees under a key: the records in the scopes of the viewer, or all records
// without a viewer.
func (v view) each(all ids, x scopeIndex, e end) iter.Seq[graph.ID] {
	lists := [2]ids{all}
	if v.viewer != 0 {
		lists = x.visible(e, v.viewer)
	}
	return func(yield func(graph.ID) bool) {
		for _, list := range lists {
			for _, id := range list {
				v.reads.Add(1)
				if !yield(id) {
					return
				}
			}
		}
	}
}
