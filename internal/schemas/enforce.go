package schemas

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/keylock"
)

// A Store is a graph.Store that checks every batch against the schema of the store before it writes it. A batch that violates
// the schema is refused completely; RefusalsOf returns the reasons.
//
//	Write ──▶ collect   which records of the schema does the batch create or change?
//	          inspect   each of them: the changed fields and links, from the batch and the store
//	          lock      the unique values
//	          Write     of the store, under the condition that the unique values are new
//	            └─ they are not: look for another record that has them; if there is none, Write without the condition
//	          unlock
//
// These parts of a batch are checked:
//
//	new record                 all fields and required links
//	existing record            the fields and links that the batch changes. Fields that violated the schema before are accepted
//	new connection of a link   the type of its target, if its source is a record of the schema
//	removed part or link       required ones must be replaced in the same batch
//
// A batch may name records of earlier batches by the local or reserved ids under which they were sent, and send drafts again. The check
// resolves these ids as the store does, so that they have the meaning of the real ids; see doubts for the drafts.
//
// Not checked: batches of the system user; the removal of the record at the far end of a link, because a refusal would reveal
// records that the caller may not read; a record that is sent under a reserved id without its parts, because clients of the
// contract send the parts in a later request, which is checked.
//
// Cost: nothing without a schema. A batch that touches no record of the schema costs a look-up for each draft, and a cached read of the
// compositions that it changes. Otherwise, new records are checked without reading the store, changed fields require a read of the
// removed connections, and unique values require one look-up inside the transaction of the write. A unique value that exists, in this
// record, another one or none, requires a read by value and, on PostgreSQL, locks in further requests. So do all unique values
// with OnlyVisible.
//
// A push through this store drops the cached schema. Other servers on the same database use the new schema within
// refreshInterval.
type Store struct {
	graph.Store
	graph.SetForwarder
	options Options
	locks   *keylock.Locks // locks on unique values

	loading sync.Mutex
	cached  atomic.Pointer[cachedRules]
	version atomic.Int64 // version of the schemas that were pushed through this store
}

// Options are the operator's options for checks.
type Options struct {
	// OnlyTypedClients restricts the checks to batches of clients that use the schema; see Caller.
	OnlyTypedClients bool
	// Unique limits how unique values are checked.
	Unique UniqueLimits
	// Log is the log for a stored schema that cannot be used.
	Log *slog.Logger
}

// NewStore returns a store that checks the batches written to another store.
func NewStore(store graph.Store, o Options) *Store {
	return &Store{Store: store, SetForwarder: graph.ForwardSets(store), options: o, locks: keylock.New(valueLocks)}
}

// Unwrap returns the store behind the checks.
func (s *Store) Unwrap() graph.Store { return s.Store }

// A Caller describes the sender of a batch, in the context of the write.
type Caller struct {
	Key     string   // of the limit on refused unique values: the user, or the network of a guest
	Viewer  graph.ID // the user whose visible records are read for a unique value if the check is restricted to visible records
	IsAdmin bool     // no limit applies
	IsTyped bool     // the client uses the schema
}

type callerKey struct{}

// In returns a context that describes the sender of batches.
func In(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

func callerOf(ctx context.Context) Caller {
	caller, _ := ctx.Value(callerKey{}).(Caller)
	return caller
}

// AsTyped returns a context for a batch of a client that uses the schema.
func AsTyped(ctx context.Context) context.Context {
	caller := callerOf(ctx)
	caller.IsTyped = true
	return In(ctx, caller)
}

// Write implements graph.Store.
func (s *Store) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if b.Sender.User == graph.System {
		defer s.invalidateIfPushed(b)
		return s.Store.Write(ctx, b)
	}
	rules, err := s.rules(ctx)
	if err != nil {
		return graph.Receipt{}, err
	}
	if rules == nil || s.options.OnlyTypedClients && !callerOf(ctx).IsTyped {
		return s.Store.Write(ctx, b)
	}
	first := &check{store: s, rules: rules, batch: b}
	c, err := first.run(ctx)
	if err != nil {
		return graph.Receipt{}, err
	}
	return c.write(ctx, b)
}
