package query

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
)

// A loaded is what an answer is shaped from.
type loaded struct {
	concepts map[graph.ID]graph.Concept
	ends     map[graph.ID][]end // by the concept a connection was walked from, oldest first
	counts   map[graph.ID][]composition.Member
}

// An end is a connection as it stands in the output of the concept it was walked from.
type end struct {
	link graph.Connection
	far  graph.ID
	key  string
	own  bool // inside a composition
	back bool // walked from target to source
	many bool
}

// load reads what an answer names, with one question for the connections if they are not there yet, one
// for the concepts and one for their types.
func load(ctx context.Context, r graph.Reader, a Answer) (*loaded, error) {
	links := a.Connections
	if links == nil && len(a.Links) > 0 {
		var err error
		if links, err = r.Connections(ctx, a.Links); err != nil {
			return nil, err
		}
		slices.SortFunc(links, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	}
	l := &loaded{
		concepts: map[graph.ID]graph.Concept{}, ends: map[graph.ID][]end{}, counts: map[graph.ID][]composition.Member{},
	}
	if err := l.learn(ctx, r, mentioned(a, links)); err != nil {
		return nil, err
	}
	types := map[graph.ID]bool{}
	for _, c := range l.concepts {
		if _, known := l.concepts[c.Type]; !known {
			types[c.Type] = true
		}
	}
	if err := l.learn(ctx, r, types); err != nil {
		return nil, err
	}
	for _, c := range a.Counts {
		if typ, known := l.concepts[c.Type]; known {
			l.counts[c.Of] = append(l.counts[c.Of], at(typ.Value+"_count", composition.IDValue(graph.ID(c.N))))
		}
	}
	l.attach(a, links)
	return l, nil
}

func mentioned(a Answer, links []graph.Connection) map[graph.ID]bool {
	ids := map[graph.ID]bool{}
	for _, id := range a.Roots {
		ids[id] = true
	}
	for _, c := range links {
		ids[c.From], ids[c.To], ids[c.Type] = true, true, true
	}
	for _, c := range a.Counts {
		ids[c.Type] = true
	}
	return ids
}

func (l *loaded) learn(ctx context.Context, r graph.Reader, ids map[graph.ID]bool) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := r.Concepts(ctx, slices.Sorted(maps.Keys(ids)))
	for _, c := range found {
		l.concepts[c.ID] = c
	}
	return err
}

// named is a concept and the name of its type, if both are there.
func (l *loaded) named(id graph.ID) (c graph.Concept, name string, ok bool) {
	c, exists := l.concepts[id]
	typ, typed := l.concepts[c.Type]
	return c, typ.Value, exists && typed
}

// attach hangs every connection on the concept it was walked from. An answer does not say which reverse
// connections were also walked forwards: those whose target nothing else leads to.
func (l *loaded) attach(a Answer, links []graph.Connection) {
	reverse := make(map[graph.ID]bool, len(a.Reverse))
	for _, id := range a.Reverse {
		reverse[id] = true
	}
	var rest []graph.Connection
	for _, c := range links {
		l.hang(c, reverse[c.ID])
		if reverse[c.ID] {
			rest = append(rest, c)
		}
	}
	reached := map[graph.ID]bool{}
	l.reach(a.Roots, reached)
	for len(rest) > 0 {
		var both, other []graph.Connection
		for _, c := range rest {
			if reached[c.From] && !reached[c.To] {
				both = append(both, c)
			} else {
				other = append(other, c)
			}
		}
		if len(both) == 0 {
			return
		}
		for _, c := range both {
			l.hang(c, false)
			slices.SortStableFunc(l.ends[c.From], func(a, b end) int { return cmp.Compare(a.link.ID, b.link.ID) })
		}
		for _, c := range both {
			l.reach([]graph.ID{c.To}, reached)
		}
		rest = other
	}
}

// reach marks everything that can be walked to.
func (l *loaded) reach(from []graph.ID, reached map[graph.ID]bool) {
	queue := slices.Clone(from)
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if reached[id] {
			continue
		}
		reached[id] = true
		for _, end := range l.ends[id] {
			queue = append(queue, end.far)
		}
	}
}

func (l *loaded) hang(c graph.Connection, back bool) {
	typ, known := l.concepts[c.Type]
	if !known {
		return
	}
	at := end{link: c, far: c.To, own: typ.Value == "", back: back, key: typ.Value}
	near := c.From
	if back {
		near, at.far = c.To, c.From
		at.key += "_reverse"
	}
	if at.own {
		_, name, ok := l.named(at.far)
		if !ok {
			return
		}
		at.key = graph.WithoutPrefix(name)
	}
	at.many = !at.own && strings.Contains(typ.Value, "_s_")
	l.ends[near] = append(l.ends[near], at)
}
