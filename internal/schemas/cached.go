package schemas

import (
	"context"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// refreshInterval is the time after which a server reads the stored schema again, because another server on the same database may have
// changed it. It limits the time for which servers can use different schemas after a push.
const refreshInterval = 5 * time.Second

// cachedRules is a cached schema and its rules. The rules are nil if the schema has no types. The schema and the rules are nil if the stored
// schema is invalid.
type cachedRules struct {
	rules    *rules
	schema   *schema.Schema
	document func() []byte // the canonical JSON of schema
	loaded   time.Time
	// version is Store.version before the schema was loaded. It differs from Store.version after a push.
	version int64
}

// Document returns the canonical JSON of the schema. The caller must not modify it. Document reads the store
// if the cached schema is outdated, and on every call while the stored schema is invalid. The error is that of Load.
func (s *Store) Document(ctx context.Context) ([]byte, error) {
	if _, err := s.rules(ctx); err != nil {
		return nil, err
	}
	if c := s.cached.Load(); c != nil && c.schema != nil {
		return c.document(), nil
	}
	found, err := Load(ctx, s.Store)
	if err != nil {
		return nil, err
	}
	return found.MarshalJSON()
}

// sharedStore is implemented by stores to which other processes can write, and by a cache of any store. Behind a cache, the schema is
// therefore always read again after refreshInterval.
type sharedStore interface {
	Listen(ctx context.Context, onChange func())
}

// rules returns the rules of the current schema, or nil if there are none. If the stored schema contradicts itself and Options.Log is
// set, rules logs the error and returns nil: writes are then not checked, because refusing all writes would stop all applications. Any
// other error, such as that of a failed read, is returned, and the write fails.
func (s *Store) rules(ctx context.Context) (*rules, error) {
	if c := s.cached.Load(); c != nil && s.isCurrent(c) {
		return c.rules, nil
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if c := s.cached.Load(); c != nil && s.isCurrent(c) {
		return c.rules, nil
	}
	loaded, version := time.Now(), s.version.Load() // before Load, so that a concurrent push makes the result outdated
	found, err := Load(ctx, s.Store)
	if schema.ProblemsOf(err) != nil && s.options.Log != nil {
		s.options.Log.Error("writes are not checked against the schema", "error", err)
		s.cached.Store(&cachedRules{loaded: loaded, version: version})
		return nil, nil //nolint:nilnil // nil rules mean that there is nothing to check
	}
	if err != nil {
		return nil, err
	}
	r, err := newRules(ctx, s.Store, found)
	if err != nil {
		return nil, err
	}
	document := sync.OnceValue(func() []byte { return found.Value().AppendJSON(nil) })
	s.cached.Store(&cachedRules{rules: r, schema: found, document: document, loaded: loaded, version: version})
	return r, nil
}

// isCurrent reports whether a cached schema may be used. A cached schema is outdated after a push by this process and, with a
// sharedStore, after refreshInterval.
func (s *Store) isCurrent(c *cachedRules) bool {
	if c.version != s.version.Load() {
		return false
	}
	if _, isShared := graph.As[sharedStore](s.Store); !isShared {
		return true
	}
	return time.Since(c.loaded) < refreshInterval
}

// invalidateIfPushed marks the cached schema as outdated if a batch of the system user may have changed the stored
// schema.
func (s *Store) invalidateIfPushed(b graph.Batch) {
	for _, d := range b.Concepts {
		if d.TypeName == valueType {
			s.version.Add(1)
			return
		}
	}
	if len(b.RemoveConcepts) > 0 {
		s.version.Add(1)
	}
}
