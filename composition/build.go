package composition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Ghosts counts local ids down: the next concept gets Concept-1, the next connection Connection-1. The
// zero Ghosts starts at -1. What one sender sends must be counted by one Ghosts, or from where the last
// one stopped.
type Ghosts struct {
	Concept, Connection graph.ID
}

func (g *Ghosts) concept() graph.ID {
	g.Concept--
	return g.Concept
}

func (g *Ghosts) connection() graph.ID {
	g.Connection--
	return g.Connection
}

// Build appends to a batch what a nested record becomes, depth first in the order of its keys, and
// returns the ghost of its main concept. A scalar becomes a single value. Equal short texts of one type
// are one concept within the record. It returns an Invalid error that names the path for what cannot be
// kept, and leaves the batch as it was.
func Build(b *graph.Batch, typeName string, v Value, ghosts *Ghosts) (graph.ID, error) {
	concepts, connections := len(b.Concepts), len(b.Connections)
	build := builder{batch: b, ghosts: ghosts, leaves: map[leafKey]graph.ID{}}
	id, err := build.add(0, typeName, v, 1)
	if err != nil {
		b.Concepts, b.Connections = b.Concepts[:concepts], b.Connections[:connections]
		return 0, err
	}
	return id, nil
}

type builder struct {
	batch  *graph.Batch
	ghosts *Ghosts
	main   graph.ID
	leaves map[leafKey]graph.ID
	path   []string
}

type leafKey struct{ typeName, value string }

// add makes the concept of a field, its connection from the parent (0 when it has none), and then
// everything below.
func (b *builder) add(parent graph.ID, key string, v Value, depth int) (graph.ID, error) {
	b.path = append(b.path, key)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	var id graph.ID
	var err error
	if v.Nested() {
		id, err = b.head(key, depth)
	} else {
		id, err = b.leaf(key, v)
	}
	if err != nil {
		return 0, err
	}
	if parent != 0 {
		b.batch.Connections = append(b.batch.Connections, graph.ConnectionDraft{
			Ghost: b.ghosts.connection(), From: parent, To: id, Type: b.main, Order: graph.OrderInternal,
		})
	}
	return id, b.fields(id, v, depth)
}

func (b *builder) head(key string, depth int) (graph.ID, error) {
	if depth > MaxDepth {
		return 0, tooDeep(strings.Join(b.path, "."))
	}
	id, err := b.draft(graph.DraftComposition, key, "")
	if b.main == 0 {
		b.main = id
	}
	return id, err
}

func (b *builder) leaf(key string, v Value) (graph.ID, error) {
	leaf := leafKey{graph.WithPrefix(key), v.text()}
	if !graph.Shared(leaf.value) {
		return b.draft(graph.DraftValue, leaf.typeName, leaf.value)
	}
	if id, known := b.leaves[leaf]; known {
		return id, nil
	}
	id, err := b.draft(graph.DraftValue, leaf.typeName, leaf.value)
	b.leaves[leaf] = id
	return id, err
}

func (b *builder) fields(id graph.ID, v Value, depth int) error {
	if err := b.unique(v); err != nil {
		return err
	}
	for i, m := range v.Members {
		key := m.Key
		if v.Kind == List {
			key = strconv.Itoa(i)
		}
		if _, err := b.add(id, key, m.Value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// unique refuses a key beside another that differs only in its prefix: one of them would be lost.
func (b *builder) unique(v Value) error {
	if !slices.ContainsFunc(v.Members, func(m Member) bool { return m.Key != graph.WithoutPrefix(m.Key) }) {
		return nil
	}
	seen := make(map[string]string, len(v.Members))
	for _, m := range v.Members {
		bare := graph.WithoutPrefix(m.Key)
		if first, taken := seen[bare]; taken {
			return b.wrap(graph.Errorf(graph.Invalid, "has the keys %q and %q, which are the same", clip(first), clip(m.Key)))
		}
		seen[bare] = m.Key
	}
	return nil
}

func (b *builder) draft(kind graph.DraftKind, typeName, value string) (graph.ID, error) {
	if err := graph.CheckTypeName(typeName); err != nil {
		return 0, b.wrap(err)
	}
	if err := graph.CheckText("text", value); err != nil {
		return 0, b.wrap(err)
	}
	ghost := b.ghosts.concept()
	b.batch.Concepts = append(b.batch.Concepts, graph.ConceptDraft{
		Ghost: ghost, Kind: kind, TypeName: typeName, Value: value,
	})
	return ghost, nil
}

func (b *builder) wrap(err error) error {
	return graph.Errorf(graph.KindOf(err), "%s: %s", clip(strings.Join(b.path, ".")), err)
}

// text is a scalar as the graph keeps it.
func (v Value) text() string {
	if v.Kind == Null {
		return "null"
	}
	return v.Text
}
