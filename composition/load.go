package composition

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// maxLinks is the maximum number of connections in the compositions of one load.
const maxLinks = 1_000_000

// Connections returns all connections inside the compositions with the given main concepts, in order of id. The error
// is TooLarge in the same cases as for Read.
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

// loaded holds the concepts, connections and keys from which Read builds values.
type loaded struct {
	concepts map[graph.ID]graph.Concept
	links    map[Node][]graph.Connection // in order of id
	keys     map[graph.ID]string         // names of types, by id
}

// load reads the compositions with the given main concepts level by level, and then the names of all types in them.
func load(ctx context.Context, r graph.Reader, mains []graph.ID) (*loaded, error) {
	l := &loaded{concepts: map[graph.ID]graph.Concept{}, links: map[Node][]graph.Connection{}}
	level := make([]Node, len(mains))
	for i, id := range mains {
		level[i] = Node{id, id}
	}
	total := 0
	for depth := 1; len(level) > 0 && depth <= MaxDepth; depth++ {
		parents, err := l.loadConcepts(ctx, r, level)
		if err != nil {
			return nil, err
		}
		found, err := InternalLinks(ctx, r, parents)
		if err != nil {
			return nil, err
		}
		if total += len(found); total > maxLinks {
			return nil, graph.Errorf(graph.TooLarge, "%d compositions have more than %d connections; read fewer at once",
				len(mains), maxLinks)
		}
		level = level[:0]
		for _, c := range found {
			from := Node{c.From, c.Type}
			l.links[from] = append(l.links[from], c)
			level = append(level, Node{c.To, c.Type})
		}
	}
	// The nodes below the last level may be values, but not compositions.
	below, err := l.loadConcepts(ctx, r, level)
	if err != nil {
		return nil, err
	}
	for _, n := range below {
		if l.concepts[n.Concept].Composition {
			return nil, graph.Errorf(graph.TooLarge, "composition %d is nested deeper than %d levels", n.Main, MaxDepth)
		}
	}
	return l, l.loadKeys(ctx, r)
}

// loadConcepts reads the concepts of the nodes that are not loaded yet. It returns the nodes that may have connections
// to a next level: those that no earlier call returned, if their concept exists and has no value.
func (l *loaded) loadConcepts(ctx context.Context, r graph.Reader, nodes []Node) ([]Node, error) {
	var unknown []graph.ID
	for _, n := range nodes {
		if _, known := l.concepts[n.Concept]; !known {
			unknown = append(unknown, n.Concept)
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
	var parents []Node
	for _, n := range nodes {
		c, exists := l.concepts[n.Concept]
		if _, seen := l.links[n]; exists && !seen && c.Value == "" {
			l.links[n] = nil
			parents = append(parents, n)
		}
	}
	return parents, nil
}

// loadKeys reads the names of the types of all loaded concepts.
func (l *loaded) loadKeys(ctx context.Context, r graph.Reader) error {
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

// A Node is a concept as a part of one composition. A concept may be part of several compositions.
type Node struct{ Concept, Main graph.ID }

// compositionsPerRequest is the maximum number of compositions in one request of InternalLinks. A store looks for
// connections of every type at every concept, so the work per request grows with the square of this number.
const compositionsPerRequest = 32

// pairsPerRequest is the maximum number of pairs in one request to a graph.PairReader.
const pairsPerRequest = 1_000

// InternalLinks returns the connections from nodes to the next level inside their compositions. The connections of
// one node are in order of id. The nodes must be distinct.
func InternalLinks(ctx context.Context, r graph.Reader, nodes []Node) ([]graph.Connection, error) {
	if pairs, ok := r.(graph.PairReader); ok {
		found, err := linksOfPairs(ctx, pairs, nodes)
		if !errors.Is(err, errors.ErrUnsupported) {
			return found, err
		}
	}
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b Node) int { return cmp.Compare(a.Main, b.Main) })
	var found []graph.Connection
	for len(nodes) > 0 {
		request, mains := nextRequest(nodes)
		ids := make([]graph.ID, len(request))
		isRequested := make(map[Node]bool, len(request))
		for i, n := range request {
			ids[i] = n.Concept
			isRequested[n] = true
		}
		links, err := r.Links(ctx, graph.Links{Of: ids, Direction: graph.Out, Types: mains})
		if err != nil {
			return nil, err
		}
		// The request also returns connections of a concept in other compositions of the request.
		for _, c := range links {
			if isRequested[Node{c.From, c.Type}] {
				found = append(found, c)
			}
		}
		nodes = nodes[len(request):]
	}
	return found, nil
}

// linksOfPairs is InternalLinks for a reader that looks up no combinations of other nodes.
func linksOfPairs(ctx context.Context, r graph.PairReader, nodes []Node) (all []graph.Connection, err error) {
	for chunk := range slices.Chunk(nodes, pairsPerRequest) {
		pairs := make([]graph.LinkPair, len(chunk))
		for i, n := range chunk {
			pairs[i] = graph.LinkPair{From: n.Concept, Type: n.Main}
		}
		found, err := r.PairLinks(ctx, graph.LinkPairs{Pairs: pairs})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b graph.Connection) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.From, b.From), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// nextRequest returns the nodes of the first compositionsPerRequest compositions, and the ids of these compositions.
// The nodes must be sorted by Main.
func nextRequest(nodes []Node) (request []Node, mains []graph.ID) {
	for i, n := range nodes {
		if len(mains) > 0 && n.Main == mains[len(mains)-1] {
			continue
		}
		if len(mains) == compositionsPerRequest {
			return nodes[:i], mains
		}
		mains = append(mains, n.Main)
	}
	return nodes, mains
}
