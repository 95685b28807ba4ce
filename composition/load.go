package composition

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// maxLinks is the most connections that are loaded at once.
const maxLinks = 1_000_000

// A place is a concept inside a composition. One record may stand in several.
type place struct{ concept, main graph.ID }

// A loaded is what compositions are read from.
type loaded struct {
	concepts map[graph.ID]graph.Concept
	links    map[place][]graph.Connection // oldest first
	keys     map[graph.ID]string          // by type
}

// load reads compositions level by level, two questions to the store for each, and the names of types at
// the end. What is deeper than MaxDepth is not loaded.
func load(ctx context.Context, r graph.Reader, mains []graph.ID) (*loaded, error) {
	l := &loaded{concepts: map[graph.ID]graph.Concept{}, links: map[place][]graph.Connection{}}
	level := make([]place, len(mains))
	for i, id := range mains {
		level[i] = place{id, id}
	}
	total := 0
	for depth := 1; len(level) > 0 && depth <= MaxDepth; depth++ {
		nodes, err := l.learn(ctx, r, level)
		if err != nil {
			return nil, err
		}
		found, err := l.follow(ctx, r, nodes)
		if err != nil {
			return nil, err
		}
		if total += len(found); total > maxLinks {
			return nil, graph.Errorf(graph.TooLarge, "%d compositions have more than %d connections; read fewer at once",
				len(mains), maxLinks)
		}
		level = level[:0]
		for _, c := range found {
			level = append(level, place{c.To, c.Type})
		}
	}
	if _, err := l.learn(ctx, r, level); err != nil {
		return nil, err
	}
	return l, l.learnKeys(ctx, r)
}

// learn fetches the concepts of places and returns those places, each once, that may hold records.
func (l *loaded) learn(ctx context.Context, r graph.Reader, places []place) ([]place, error) {
	var unknown []graph.ID
	for _, p := range places {
		if _, known := l.concepts[p.concept]; !known {
			unknown = append(unknown, p.concept)
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
	var nodes []place
	for _, p := range places {
		c, exists := l.concepts[p.concept]
		if _, seen := l.links[p]; exists && !seen && c.Value == "" {
			l.links[p] = nil
			nodes = append(nodes, p)
		}
	}
	return nodes, nil
}

// follow fetches the connections that leave places inside their compositions.
func (l *loaded) follow(ctx context.Context, r graph.Reader, nodes []place) ([]graph.Connection, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	var of, types []graph.ID
	seen := map[graph.ID]bool{}
	for _, p := range nodes {
		of = append(of, p.concept)
		if !seen[p.main] {
			seen[p.main] = true
			types = append(types, p.main)
		}
	}
	links, err := r.Links(ctx, graph.Links{Of: of, Direction: graph.Out, Types: types})
	if err != nil {
		return nil, err
	}
	asked := make(map[place]bool, len(nodes))
	for _, p := range nodes {
		asked[p] = true
	}
	found := make([]graph.Connection, 0, len(links))
	for _, c := range links {
		if p := (place{c.From, c.Type}); asked[p] {
			l.links[p] = append(l.links[p], c)
			found = append(found, c)
		}
	}
	return found, nil
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
