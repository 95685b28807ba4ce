package composition

import (
	"slices"
	"strconv"

	"github.com/weft-graph/weft/graph"
)

// Fields builds a record. Setting a key takes constant time, however many fields there are.
type Fields struct {
	members []Member
	index   map[string]int // positions of keys; nil while there are few members
}

// Set replaces the value of a key, or appends the key.
func (f *Fields) Set(key string, v Value) {
	if i := f.find(key); i >= 0 {
		f.members[i].Value = v
		return
	}
	f.members = append(f.members, Member{key, v})
	const maxUnindexed = 16 // up to here, a linear search is fast enough
	if f.index != nil {
		f.index[key] = len(f.members) - 1
	} else if len(f.members) > maxUnindexed {
		f.index = make(map[string]int, 2*maxUnindexed)
		for i, m := range f.members {
			f.index[m.Key] = i
		}
	}
}

// Get returns the value of a key, or nil if it is not set. The pointer is valid until the next Set.
func (f *Fields) Get(key string) *Value {
	if i := f.find(key); i >= 0 {
		return &f.members[i].Value
	}
	return nil
}

// find returns the position of a key, or -1.
func (f *Fields) find(key string) int {
	if f.index != nil {
		if i, ok := f.index[key]; ok {
			return i
		}
		return -1
	}
	return slices.IndexFunc(f.members, func(m Member) bool { return m.Key == key })
}

// Record returns the fields as a record.
func (f *Fields) Record() Value { return Value{Kind: Record, Members: f.members} }

// List returns the values in the order of their keys if every key is an index (see IsIndex). If a key is not an
// index, or the record has no fields, it returns the record and ok is false. The Fields must not be used after
// a list is returned.
func (f *Fields) List() (v Value, ok bool) {
	if len(f.members) == 0 || slices.ContainsFunc(f.members, func(m Member) bool { return !IsIndex(m.Key) }) {
		return f.Record(), false
	}
	slices.SortFunc(f.members, func(a, b Member) int { return parseIndex(a.Key) - parseIndex(b.Key) })
	for i := range f.members {
		f.members[i].Key = ""
	}
	return Value{Kind: List, Members: f.members}, true
}

func parseIndex(key string) int {
	n, _ := strconv.Atoi(key) // List has checked the key with IsIndex
	return n
}

// withID returns the record with the id of its concept as the first member, which replaces a field named id.
func (f *Fields) withID(id graph.ID) Value {
	members := []Member{{"id", IDValue(id)}}
	for _, m := range f.members {
		if m.Key != "id" {
			members = append(members, m)
		}
	}
	return RecordValue(members...)
}

// IsIndex reports whether a key is a list index: a number of at most nine digits without leading zeros. A record
// with no other keys is a list.
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
