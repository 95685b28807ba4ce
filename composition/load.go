package composition

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// maxLinks is the most connections that are loaded at once.
const maxLinks = 1_000_000

// Connections returns every connection inside the compositions named mains, by id. Errors are those of Read.
func Connections(ctx context.Context, r graph.Reader, mains []graph.ID) ([]graph.Connection, error) {
	l, err := load(ctx, r, mains)
	if err != nil {
		return nil, err
	}
	var all []graph.Connection
	for _, links := range l.links {
		all = append(all, links...)
	}
	slices.SortFunc(all, func(a, b graph.Connection) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// A loaded is what compositions are read from.
type loaded struct {
	concepts map[graph.ID]graph.Concept
	links    map[Place][]graph.Connection // oldest first
	keys     map[graph.ID]string          // by type
}

// load reads compositions level by level, and the names of types at the end.
func load(ctx context.Context, r graph.Reader, mains []graph.ID) (*loaded, error) {
	l := &loaded{concepts: map[graph.ID]graph.Concept{}, links: map[Place][]graph.Connection{}}
	level := make([]Place, len(mains))
	for i, id := range mains {
		level[i] = Place{id, id}
	}
	total := 0
	for depth := 1; len(level) > 0 && depth <= MaxDepth; depth++ {
		nodes, err := l.learn(ctx, r, level)
		if err != nil {
			return nil, err
		}
		found, err := Inside(ctx, r, nodes)
		if err != nil {
			return nil, err
		}
		if total += len(found); total > maxLinks {
			return nil, graph.Errorf(graph.TooLarge, "%d compositions have more than %d connections; read fewer at once",
				len(mains), maxLinks)
		}
		level = level[:0]
		for _, c := range found {
			from := Place{c.From, c.Type}
			l.links[from] = append(l.links[from], c)
			level = append(level, Place{c.To, c.Type})
		}
	}
	below, err := l.learn(ctx, r, level)
	if err != nil {
		return nil, err
	}
	for _, p := range below {
		if l.concepts[p.Concept].Composition {
			return nil, graph.Errorf(graph.TooLarge, "composition %d is nested deeper than %d levels", p.Main, MaxDepth)
		}
	}
	return l, l.learnKeys(ctx, r)
}

// learn fetches the concepts of places and returns those places, each once, that may hold records.
func (l *loaded) learn(ctx context.Context, r graph.Reader, places []Place) ([]Place, error) {
	var unknown []graph.ID
	for _, p := range places {
		if _, known := l.concepts[p.Concept]; !known {
			unknown = append(unknown, p.Concept)
		}
	}
	if len(unknown) > 0 {
		found, err := r.Concepts(ctx, unknown)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			l.concepts[c.ID] = c
		}
	}
	var nodes []Place
	for _, p := range places {
		c, exists := l.concepts[p.Concept]
		if _, seen := l.links[p]; exists && !seen && c.Value == "" {
			l.links[p] = nil
			nodes = append(nodes, p)
		}
	}
	return nodes, nil
}

func (l *loaded) learnKeys(ctx context.Context, r graph.Reader) error {
	l.keys = map[graph.ID]string{}
	var types []graph.ID
	for _, c := range l.concepts {
		if _, seen := l.keys[c.Type]; !seen {
			l.keys[c.Type] = ""
			types = append(types, c.Type)
		}
	}
	found, err := r.Concepts(ctx, types)
	if err != nil {
		return err
	}
	clear(l.keys)
	for _, c := range found {
		l.keys[c.ID] = c.Value
	}
	return nil
}
