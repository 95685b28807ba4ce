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

// answerData holds the records from which an answer is shaped.
type answerData struct {
	concepts map[graph.ID]graph.Concept
	links    map[graph.ID][]outputLink         // keyed by near end, in order of id
	counts   map[graph.ID][]composition.Member // "<connection type>_count", by concept
}

// An outputLink is a connection as a field of the concept from which the query followed it.
type outputLink struct {
	link       graph.Connection
	far        graph.ID // the other end
	key        string   // key of the field
	isInternal bool     // inside a composition
	isReverse  bool     // followed from target to source
	isList     bool     // the field holds a list
}

// loadAnswer reads the records of an answer: one request for connections unless the answer has them, one for
// concepts, and one for their types.
func loadAnswer(ctx context.Context, r graph.Reader, a Answer) (*answerData, error) {
	links := a.Connections
	if links == nil && len(a.Links) > 0 {
		var err error
		if links, err = r.Connections(ctx, a.Links); err != nil {
			return nil, err
		}
		slices.SortFunc(links, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	}
	l := &answerData{
		concepts: map[graph.ID]graph.Concept{}, links: map[graph.ID][]outputLink{}, counts: map[graph.ID][]composition.Member{},
	}
	if err := l.loadConcepts(ctx, r, mentionedIDs(a, links)); err != nil {
		return nil, err
	}
	types := map[graph.ID]bool{}
	for _, c := range l.concepts {
		if _, known := l.concepts[c.Type]; !known {
			types[c.Type] = true
		}
	}
	if err := l.loadConcepts(ctx, r, types); err != nil {
		return nil, err
	}
	for _, c := range a.Counts {
		if typ, known := l.concepts[c.Type]; known {
			l.counts[c.Of] = append(l.counts[c.Of], member(typ.Value+"_count", composition.IDValue(graph.ID(c.N))))
		}
	}
	l.attachLinks(a, links)
	return l, nil
}

// mentionedIDs returns the ids of all roots, ends and connection types.
func mentionedIDs(a Answer, links []graph.Connection) map[graph.ID]bool {
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

// loadConcepts reads concepts in one request.
func (l *answerData) loadConcepts(ctx context.Context, r graph.Reader, ids map[graph.ID]bool) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := r.Concepts(ctx, slices.Sorted(maps.Keys(ids)))
	for _, c := range found {
		l.concepts[c.ID] = c
	}
	return err
}

// conceptWithType returns a concept and the name of its type. If one of them is missing, ok is false.
func (l *answerData) conceptWithType(id graph.ID) (c graph.Concept, name string, ok bool) {
	c, exists := l.concepts[id]
	typ, typed := l.concepts[c.Type]
	return c, typ.Value, exists && typed
}

// attachLinks attaches every connection to the concept from which it was followed. An answer does not record whether a
// reverse connection was also followed forwards. attachLinks assumes so if the source is reachable from the roots and the
// target is not.
func (l *answerData) attachLinks(a Answer, links []graph.Connection) {
	reverse := make(map[graph.ID]bool, len(a.Reverse))
	for _, id := range a.Reverse {
		reverse[id] = true
	}
	var rest []graph.Connection
	for _, c := range links {
		l.attach(c, reverse[c.ID])
		if reverse[c.ID] {
			rest = append(rest, c)
		}
	}
	reached := map[graph.ID]bool{}
	l.markReached(a.Roots, reached)
	for len(rest) > 0 {
		var bothWays, others []graph.Connection // others: not known to have been followed forwards
		for _, c := range rest {
			if reached[c.From] && !reached[c.To] {
				bothWays = append(bothWays, c)
			} else {
				others = append(others, c)
			}
		}
		if len(bothWays) == 0 {
			return
		}
		for _, c := range bothWays {
			l.attach(c, false)
			slices.SortStableFunc(l.links[c.From], func(a, b outputLink) int { return cmp.Compare(a.link.ID, b.link.ID) })
		}
		for _, c := range bothWays {
			l.markReached([]graph.ID{c.To}, reached)
		}
		rest = others
	}
}

// markReached marks all concepts that are reachable over attached connections.
func (l *answerData) markReached(from []graph.ID, reached map[graph.ID]bool) {
	queue := slices.Clone(from)
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if reached[id] {
			continue
		}
		reached[id] = true
		for _, end := range l.links[id] {
			queue = append(queue, end.far)
		}
	}
}

// attach adds a connection to the fields of its near end, unless its type is missing.
func (l *answerData) attach(c graph.Connection, isReverse bool) {
	typ, known := l.concepts[c.Type]
	if !known {
		return
	}
	out := outputLink{link: c, far: c.To, isInternal: typ.Value == "", isReverse: isReverse, key: typ.Value}
	near := c.From
	if isReverse {
		near, out.far = c.To, c.From
		out.key += "_reverse"
	}
	if out.isInternal {
		_, name, ok := l.conceptWithType(out.far)
		if !ok {
			return
		}
		out.key = graph.WithoutPrefix(name)
	}
	out.isList = !out.isInternal && strings.Contains(typ.Value, "_s_")
	l.links[near] = append(l.links[near], out)
}
