package composition

import (
	"context"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Shape is the form in which Read returns a composition.
type Shape int

// The shapes.
const (
	Plain       Shape = iota // {type: {…}}
	WithID                   // {data: {type: {…}}, id}
	WithIDs                  // {type: {id, …}}: like Plain, where the first member of every record is the id of its concept
	WithCreated              // {created_at, data: {type: {…}}, id}
)

// Read returns the compositions or single values with the given ids, in that order. Unknown ids are left out. A
// connection from a record back to a record that contains it is left out. If a key has several values, only the
// newest is returned.
//
// The error is TooLarge for a composition nested deeper than MaxDepth, for more than MaxValues values in total, and for
// more than a million connections in total.
func Read(ctx context.Context, r graph.Reader, ids []graph.ID, shape Shape) ([]Value, error) {
	l, err := load(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	read := reading{loaded: l, withIDs: shape == WithIDs, valuesLeft: MaxValues}
	values := make([]Value, 0, len(ids))
	for _, id := range ids {
		c, exists := l.concepts[id]
		name, typed := l.keys[c.Type]
		if !exists || !typed {
			continue
		}
		read.main = id
		content, err := read.value(c)
		if err != nil {
			return nil, err
		}
		values = append(values, applyShape(shape, c, RecordValue(Member{name, content})))
	}
	return values, nil
}

func applyShape(shape Shape, c graph.Concept, data Value) Value {
	switch shape {
	case WithID:
		return RecordValue(Member{"data", data}, Member{"id", IDValue(c.ID)})
	case WithCreated:
		return RecordValue(Member{"created_at", TimeValue(c.Created)}, Member{"data", data}, Member{"id", IDValue(c.ID)})
	default:
		return data
	}
}

// TimeValue returns a time as text in ISO 8601, in UTC with milliseconds.
func TimeValue(at time.Time) Value { return TextValue(at.UTC().Format("2006-01-02T15:04:05.000Z")) }

// A reading converts loaded compositions to values.
type reading struct {
	*loaded
	main       graph.ID
	withIDs    bool
	path       []graph.ID // the records around the current one
	valuesLeft int
}

// value returns the value of a concept: its text, or the record or list of its internal connections.
func (r *reading) value(c graph.Concept) (Value, error) {
	if r.valuesLeft--; r.valuesLeft < 0 {
		return Value{}, graph.Errorf(graph.TooLarge, "composition %d has too many values; at most %d can be read at once",
			r.main, MaxValues)
	}
	links := r.links[Node{c.ID, r.main}]
	if c.Value != "" || len(links) == 0 && !c.Composition {
		return TextValue(c.Value), nil
	}
	if len(r.path) >= MaxDepth {
		return Value{}, graph.Errorf(graph.TooLarge, "composition %d is nested deeper than %d levels", r.main, MaxDepth)
	}
	r.path = append(r.path, c.ID)
	defer func() { r.path = r.path[:len(r.path)-1] }()
	var fields Fields
	for _, link := range links {
		child, exists := r.concepts[link.To]
		name, typed := r.keys[child.Type]
		if !exists || !typed || slices.Contains(r.path, link.To) {
			continue
		}
		v, err := r.value(child)
		if err != nil {
			return Value{}, err
		}
		fields.Set(graph.WithoutPrefix(name), v)
	}
	if list, ok := fields.List(); ok || !r.withIDs {
		return list, nil
	}
	return fields.withID(c.ID), nil
}
