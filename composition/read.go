package composition

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A Shape is how a composition is handed over.
type Shape int

// The shapes.
const (
	Plain   Shape = iota // {type: {…}}
	WithID               // {data: {type: {…}}, id}
	WithIDs              // {type: {id, …}}: like Plain, with the id of every record first inside it
	Listed               // {created_at, data: {type: {…}}, id}
)

// Read returns the compositions, or single values, named ids, in that order. Ids that name nothing are
// left out. A connection back to a record around it would never end, so it is left out. Of several
// values of one key the newest counts.
//
// The error is TooLarge for compositions nested deeper than MaxDepth or made of more than MaxValues
// values together.
func Read(ctx context.Context, r graph.Reader, ids []graph.ID, shape Shape) ([]Value, error) {
	l, err := load(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	read := reading{loaded: l, withIDs: shape == WithIDs, left: MaxValues}
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
		values = append(values, shaped(shape, c, RecordValue(Member{name, content})))
	}
	return values, nil
}

func shaped(shape Shape, c graph.Concept, data Value) Value {
	switch shape {
	case WithID:
		return RecordValue(Member{"data", data}, Member{"id", IDValue(c.ID)})
	case Listed:
		return RecordValue(Member{"created_at", TimeValue(c.Created)}, Member{"data", data}, Member{"id", IDValue(c.ID)})
	default:
		return data
	}
}

// TimeValue is a moment as ISO 8601 text in UTC with milliseconds.
func TimeValue(at time.Time) Value { return TextValue(at.UTC().Format("2006-01-02T15:04:05.000Z")) }

// IsIndex says whether a key is the place of an item in a list. A record of nothing but these is a list.
func IsIndex(key string) bool {
	if key == "" || len(key) > 9 || key[0] == '0' && key != "0" {
		return false
	}
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return false
		}
	}
	return true
}

type reading struct {
	*loaded
	main    graph.ID
	withIDs bool
	path    []graph.ID
	left    int
}

func (r *reading) value(c graph.Concept) (Value, error) {
	if r.left--; r.left < 0 {
		return Value{}, graph.Errorf(graph.TooLarge, "composition %d is made of too many values; %d may be read at once",
			r.main, MaxValues)
	}
	links := r.links[Place{c.ID, r.main}]
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

// Fields is a record being filled.
type Fields struct {
	members []Member
	at      map[string]int // from many members on
}

// Set sets a key, where it stands or at the end.
func (f *Fields) Set(key string, v Value) {
	if i := f.find(key); i >= 0 {
		f.members[i].Value = v
		return
	}
	f.members = append(f.members, Member{key, v})
	const many = 16
	if f.at != nil {
		f.at[key] = len(f.members) - 1
	} else if len(f.members) > many {
		f.at = make(map[string]int, 2*many)
		for i, m := range f.members {
			f.at[m.Key] = i
		}
	}
}

// Get is the member with this key, nil when there is none. It is good until the next Set.
func (f *Fields) Get(key string) *Value {
	if i := f.find(key); i >= 0 {
		return &f.members[i].Value
	}
	return nil
}

func (f *Fields) find(key string) int {
	if f.at != nil {
		if i, ok := f.at[key]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(f.members, func(m Member) bool { return m.Key == key })
}

// Record is what has been set.
func (f *Fields) Record() Value { return Value{Kind: Record, Members: f.members} }

// List is the list that the fields are when every key is an index, in the order of the indexes; otherwise
// it is the record, and ok is false.
func (f *Fields) List() (v Value, ok bool) {
	if len(f.members) == 0 || slices.ContainsFunc(f.members, func(m Member) bool { return !IsIndex(m.Key) }) {
		return f.Record(), false
	}
	slices.SortFunc(f.members, func(a, b Member) int { return index(a.Key) - index(b.Key) })
	for i := range f.members {
		f.members[i].Key = ""
	}
	return Value{Kind: List, Members: f.members}, true
}

func index(key string) int {
	n, _ := strconv.Atoi(key) // IsIndex has looked
	return n
}

// withID is the record with the id of its concept first; a field called id gives way.
func (f *Fields) withID(id graph.ID) Value {
	members := []Member{{"id", IDValue(id)}}
	for _, m := range f.members {
		if m.Key != "id" {
			members = append(members, m)
		}
	}
	return RecordValue(members...)
}
