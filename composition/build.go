package composition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// LocalIDs assigns local ids in descending order. Concept and Connection are the last ids assigned; the zero
// LocalIDs starts at -1. All batches of a sender must share one LocalIDs, or continue where the last one ended.
type LocalIDs struct {
	Concept, Connection graph.ID
}

func (ids *LocalIDs) nextConcept() graph.ID {
	ids.Concept--
	return ids.Concept
}

func (ids *LocalIDs) nextConnection() graph.ID {
	ids.Connection--
	return ids.Connection
}

// Build appends drafts for a nested record to a batch, depth first in the order of its keys, and returns the
// local id of the main concept. A scalar becomes a single value. Equal shared values of one type become a
// single draft. If the record contains something that the graph cannot store, Build leaves the batch unchanged
// and returns an Invalid error with the path of the field.
func Build(b *graph.Batch, typeName string, v Value, localIDs *LocalIDs) (graph.ID, error) {
	concepts, connections := len(b.Concepts), len(b.Connections)
	build := builder{batch: b, localIDs: localIDs, leaves: map[leafKey]graph.ID{}}
	id, err := build.add(0, typeName, v, 1)
	if err != nil {
		b.Concepts, b.Connections = b.Concepts[:concepts], b.Connections[:connections]
		return 0, err
	}
	return id, nil
}

// A builder appends the drafts of one record to a batch.
type builder struct {
	batch    *graph.Batch
	localIDs *LocalIDs
	main     graph.ID
	access   graph.Access // access of all drafts; 0 means Private
	leaves   map[leafKey]graph.ID
	path     []string
}

type leafKey struct{ typeName, value string }

// add appends the concept of a field, its connection from the concept parent (0 for the main concept), and
// everything below it.
func (b *builder) add(parent graph.ID, key string, v Value, depth int) (graph.ID, error) {
	b.path = append(b.path, key)
	defer func() { b.path = b.path[:len(b.path)-1] }()
	var id graph.ID
	var err error
	if v.IsNested() {
		id, err = b.addHead(key, depth)
	} else {
		id, err = b.addLeaf(key, v)
	}
	if err != nil {
		return 0, err
	}
	if parent != 0 {
		b.batch.Connections = append(b.batch.Connections, graph.ConnectionDraft{
			LocalID: b.localIDs.nextConnection(), From: parent, To: id, Type: b.main, Order: graph.OrderInternal, Access: b.access,
		})
	}
	return id, b.addFields(id, v, depth)
}

// addHead appends the empty concept of a record or list. The first one is the main concept.
func (b *builder) addHead(key string, depth int) (graph.ID, error) {
	if depth > MaxDepth {
		return 0, tooDeep(strings.Join(b.path, "."))
	}
	id, err := b.addDraft(graph.DraftComposition, key, "")
	if b.main == 0 {
		b.main = id
	}
	return id, err
}

// addLeaf appends the concept of a scalar, or reuses the concept of an equal shared value.
func (b *builder) addLeaf(key string, v Value) (graph.ID, error) {
	leaf := leafKey{graph.WithPrefix(key), v.text()}
	if !graph.IsShared(leaf.value) {
		return b.addDraft(graph.DraftValue, leaf.typeName, leaf.value)
	}
	if id, known := b.leaves[leaf]; known {
		return id, nil
	}
	id, err := b.addDraft(graph.DraftValue, leaf.typeName, leaf.value)
	b.leaves[leaf] = id
	return id, err
}

// addFields appends the fields of a record or the items of a list.
func (b *builder) addFields(id graph.ID, v Value, depth int) error {
	if err := b.checkKeys(v); err != nil {
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

// checkKeys returns an error for two keys that differ only in the prefix "the_", because the graph would keep only
// one of them.
func (b *builder) checkKeys(v Value) error {
	if !slices.ContainsFunc(v.Members, func(m Member) bool { return m.Key != graph.WithoutPrefix(m.Key) }) {
		return nil
	}
	seen := make(map[string]string, len(v.Members))
	for _, m := range v.Members {
		bare := graph.WithoutPrefix(m.Key)
		if first, exists := seen[bare]; exists {
			return b.withPath(graph.Errorf(graph.Invalid, "has the keys %q and %q, which are the same", clip(first), clip(m.Key)))
		}
		seen[bare] = m.Key
	}
	return nil
}

// addDraft appends a draft and returns its local id.
func (b *builder) addDraft(kind graph.DraftKind, typeName, value string) (graph.ID, error) {
	if err := graph.CheckTypeName(typeName); err != nil {
		return 0, b.withPath(err)
	}
	if err := graph.CheckText("text", value); err != nil {
		return 0, b.withPath(err)
	}
	id := b.localIDs.nextConcept()
	b.batch.Concepts = append(b.batch.Concepts, graph.ConceptDraft{
		LocalID: id, Kind: kind, TypeName: typeName, Value: value, Access: b.access,
	})
	return id, nil
}

// withPath adds the path of the current field to an error.
func (b *builder) withPath(err error) error {
	return graph.Errorf(graph.KindOf(err), "%s: %s", clip(strings.Join(b.path, ".")), err)
}

// text returns the text that the graph stores for a scalar.
func (v Value) text() string {
	if v.Kind == Null {
		return "null"
	}
	return v.Text
}
