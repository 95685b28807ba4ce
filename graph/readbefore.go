package graph

import (
	"context"
	"slices"
)

type readBeforeKey struct{}

// WithReadBefore returns a context for a write that carries the connections already read to prepare the write. The checks on the
// way to the store use them instead of reading them again.
func WithReadBefore(ctx context.Context, connections []Connection) context.Context {
	return context.WithValue(ctx, readBeforeKey{}, connections)
}

// ReadBefore returns the connections with the given ids, each once, from the context of a write. It returns false if the context
// lacks one of them.
func ReadBefore(ctx context.Context, ids []ID) ([]Connection, bool) {
	known, _ := ctx.Value(readBeforeKey{}).([]Connection)
	found := make([]Connection, 0, len(ids))
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		at := slices.IndexFunc(known, func(c Connection) bool { return c.ID == id })
		if at < 0 {
			return nil, false
		}
		found = append(found, known[at])
	}
	return found, true
}
