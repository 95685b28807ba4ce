package graph

import "context"

// A SortKey is the form of a value by which records are ordered: the Key of the value, cut to SortKeyBytes. Sort keys
// are compared by their bytes: numbers come first, then times, then text, and each kind is in the order of its keys. Because
// one byte is the kind, text is compared by the first 95 bytes of its Fold in UTF-8. An empty value has the SortKey "".
//
// The TypeScript twin is sortKey in web/client/src/query/order.ts.
type SortKey string

// SortKeyBytes is the maximum length of a SortKey.
const SortKeyBytes = 96

// SortKeyOf returns the sort key of a value.
func SortKeyOf(value string) SortKey {
	if value == "" {
		return ""
	}
	return KeyOf(value).SortKey()
}

// SortKey returns the sort key of a value that is not empty, given by its key.
func (k Key) SortKey() SortKey { return SortKey(k[:min(len(k), SortKeyBytes)]) }

// Next returns the smallest sort key that is greater than the keys of all values with the sort key k.
func (k SortKey) Next() SortKey {
	if len(k) < SortKeyBytes {
		return k + "\x00"
	}
	last := len(k) - 1
	for k[last] == 0xff { // ends at the kind at the latest
		last--
	}
	return k[:last] + SortKey([]byte{k[last] + 1})
}

// A KeyReader reads values by their sort keys. The capability is optional and serves speed only: without it, callers must
// obtain the same result from Reader. The error is errors.ErrUnsupported if a wrapped reader lacks the capability.
type KeyReader interface {
	// ValueKeys returns the instances of a type in order of their sort keys, in any order for equal keys. Empty values are
	// left out. The work depends on the number of results that the viewer sees, not on the size of the type.
	ValueKeys(ctx context.Context, r KeyRange) ([]ValueSortKey, error)

	// Containers returns the next compositions, in order of id, from which an internal connection leads directly to a value.
	// A composition may be repeated. The work depends on the size of the page only.
	Containers(ctx context.Context, c Containers) ([]ID, error)

	// PartKeys returns the targets of the connections that p selects, in any order. Empty values are left out.
	PartKeys(ctx context.Context, p Parts) ([]PartSortKey, error)
}

// A KeyRange selects the values of a type whose keys are at least Min and below Max. KeyReader returns the first Limit of
// them, beginning with the greatest key if Descending. For Viewer see Selection.
type KeyRange struct {
	Type       ID
	Min, Max   SortKey
	Descending bool
	Limit      int
	Viewer     ID
}

// A ValueSortKey is a concept with its sort key.
type ValueSortKey struct {
	ID  ID
	Key SortKey
}

// Containers selects a page of the compositions that contain a value as a direct part. Skip does not apply. For Viewer see Selection.
type Containers struct {
	Value  ID
	Page   Page
	Viewer ID
}

// Parts selects the connections of one type that start at given concepts. Connection is the type; 0 selects the internal
// connections of compositions that start at the composition itself. The targets must be instances of Type; 0 means any type.
// For Viewer see Selection.
type Parts struct {
	Of         []ID
	Connection ID
	Type       ID
	Viewer     ID
}

// A PartSortKey is a connection from a concept, with the sort key of its target.
type PartSortKey struct {
	Of, Link ID
	Key      SortKey
}
