package auth

import (
	"context"
	"sync"

	"github.com/weft-graph/weft/graph"
)

// circles remembers who may read which concept. It never goes stale: concepts are not edited and ids
// are not given twice. It keeps two generations and drops the older one when the younger is full.
type circles struct {
	mu         sync.RWMutex
	young, old map[graph.ID]graph.ID
}

const generation = 100_000

// get must be called under the lock.
func (c *circles) get(id graph.ID) (graph.ID, bool) {
	if circle, ok := c.young[id]; ok {
		return circle, true
	}
	circle, ok := c.old[id]
	return circle, ok
}

func (c *circles) put(concepts []graph.Concept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.young == nil || len(c.young)+len(concepts) > generation {
		c.young, c.old = make(map[graph.ID]graph.ID, len(concepts)), c.young
	}
	for _, concept := range concepts {
		c.young[concept.ID] = circleOf(concept)
	}
}

// visible keeps the connections that the caller may read, in place.
func (v *view) visible(ctx context.Context, connections []graph.Connection) ([]graph.Connection, error) {
	if len(connections) == 0 {
		return connections, nil
	}
	absent, err := v.learn(ctx, connections)
	if err != nil {
		return nil, err
	}
	v.circles.mu.RLock()
	defer v.circles.mu.RUnlock()
	kept := connections[:0]
	for _, c := range connections {
		if v.in(graph.ScopeOf(c.Owner, c.Access)) && v.reads(c.From, absent) && v.reads(c.To, absent) {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// reads must be called under the lock.
func (v *view) reads(id graph.ID, fresh map[graph.ID]graph.ID) bool {
	circle, ok := fresh[id]
	if !ok {
		circle, ok = v.circles.get(id)
	}
	return ok && v.in(circle)
}

// learn looks up the ends whose circle is not remembered. It returns what it learned as well, because
// the memory may let go of it again before the caller comes to it.
func (v *view) learn(ctx context.Context, connections []graph.Connection) (map[graph.ID]graph.ID, error) {
	unknown := v.circles.unknown(connections)
	if len(unknown) == 0 {
		return nil, nil
	}
	ends, err := v.store.Concepts(ctx, unknown)
	if err != nil {
		return nil, err
	}
	v.circles.put(ends)
	fresh := make(map[graph.ID]graph.ID, len(ends))
	for _, c := range ends {
		fresh[c.ID] = circleOf(c)
	}
	return fresh, nil
}

func (c *circles) unknown(connections []graph.Connection) []graph.ID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var unknown []graph.ID
	for _, connection := range connections {
		for _, id := range [...]graph.ID{connection.From, connection.To} {
			if _, ok := c.get(id); !ok {
				unknown = append(unknown, id)
			}
		}
	}
	return unknown
}
