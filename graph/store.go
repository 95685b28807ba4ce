package graph

import (
	"context"
	"time"
)

// A Reader reads a graph. The methods that look up records or follow connections take many ids or keys, so that
// the number of calls that traverse a graph depends on the number of its levels, not on the number of its nodes.
// Package storetest tests this contract.
type Reader interface {
	// Concepts returns the concepts with the given ids, each once, in the order of their first
	// occurrence in ids. Unknown ids are left out. Values are complete, however long they are.
	Concepts(ctx context.Context, ids []ID) ([]Concept, error)

	// ConceptsByValue returns the concepts that match any of keys, in order of id. It never finds
	// values for which IsShared is false.
	ConceptsByValue(ctx context.Context, keys []ValueKey) ([]Concept, error)

	// ConceptsByType returns one page of the instances of a type, in order of id.
	ConceptsByType(ctx context.Context, typ ID, page Page) ([]Concept, error)

	// CountByType counts the instances of a type. It stops counting at atMost, unless atMost is 0.
	CountByType(ctx context.Context, typ ID, atMost int) (int, error)

	// Connections returns the connections with the given ids, each once, in the order of their first
	// occurrence in ids. Unknown ids are left out.
	Connections(ctx context.Context, ids []ID) ([]Connection, error)

	// Links returns the connections of the concepts in links.Of, grouped by concept in the order of
	// links.Of, each concept once, and by id within a group. The page applies to each group
	// separately.
	Links(ctx context.Context, links Links) ([]Connection, error)

	// CountLinks counts the connections that Links would return without a page. It returns one count
	// per concept and type, by concept in the order of links.Of, then by type. Zeros are left out.
	CountLinks(ctx context.Context, links Links) ([]LinkCount, error)

	// ResolveIDs returns the real ids of the concepts that a sender created under the given ids, which
	// are local ids or ids that were reserved for the sender's user. Ids under which no concept was
	// sent are left out.
	ResolveIDs(ctx context.Context, sender Sender, ids []ID) (map[ID]ID, error)

	// ResolveConnections is ResolveIDs for connections, whose local ids are independent of those of concepts. It also leaves out
	// connections that were skipped because both ends are one concept. The real id of a connection that was removed since is
	// part of the result.
	ResolveConnections(ctx context.Context, sender Sender, ids []ID) (map[ID]ID, error)

	// Changes returns up to limit changes (0 means all) after a number (0 means from the first), oldest first. The
	// error is NotFound if the store has deleted changes after that number, or has never reached it:
	// the caller must then reload its data and continue from LastSeq.
	Changes(ctx context.Context, after Seq, limit int) ([]Change, error)

	// LastSeq returns the number of the newest change, or 0 if the store has never changed.
	LastSeq(ctx context.Context) (Seq, error)

	// Identity returns a string that is unique to this store and never changes. Ids and change
	// numbers are only meaningful together with the identity: a client that finds another identity
	// at the same address must drop all cached data.
	Identity(ctx context.Context) (string, error)
}

// A RecordReader reads records by id, as Reader does.
type RecordReader interface {
	Concepts(ctx context.Context, ids []ID) ([]Concept, error)
	Connections(ctx context.Context, ids []ID) ([]Connection, error)
}

// A Store is a graph that can be written. It contains the Fixed concepts from the start. It is safe for
// concurrent use; readers see either all of a batch or none of it.
type Store interface {
	Reader

	// Write commits a batch. If it returns without an error, the batch is durable: it survives a crash
	// of the process and, for stores on disk, of the machine. If ctx ends first, the batch may or may
	// not have been written; writing it again is safe.
	//
	// Errors:
	//   - those of Batch.Check
	//   - Invalid for a reference to an unknown local id or to an id that does not exist, and for a
	//     draft whose ID was not reserved for the sender's user
	//   - Conflict for a local or reserved id that was already sent with another meaning, for a
	//     draft whose RequireOwner is violated, and if the condition Unchanged or Absent does not hold
	//   - Forbidden for the removal of a fixed concept or of a type in use
	//   - TooLarge beyond the quota of the user, in a UsageKeeper
	Write(ctx context.Context, b Batch) (Receipt, error)

	// Reserve reserves n ids for a user and returns them in ascending order. Only a draft of that user
	// can use a reserved id (see ConceptDraft.ID); neither this store nor another store on the same
	// database assigns it to any other record. A reservation expires if it is unused for
	// ReservationRetention. An id reserved for Anonymous belongs to the first user who sends it, because
	// users may sign in between reserving and sending. The errors are those of CheckReserve.
	Reserve(ctx context.Context, user ID, n int) ([]ID, error)

	// Check verifies the whole store and returns an error that describes the first violation: a
	// connection without an end or type, a duplicate value within a scope, or an inconsistent index.
	Check(ctx context.Context) error

	// Close completes pending work and releases the resources of the store.
	Close() error
}

// MaxReservedIDs is the maximum number of ids that one call can reserve.
const MaxReservedIDs = 1_000

// ReservationRetention is how long a reserved id remains usable if no draft uses it.
const ReservationRetention = 30 * 24 * time.Hour

// CheckReserve returns an Invalid error if user is not a valid owner or n is not within 1 and
// MaxReservedIDs. Implementations of Store.Reserve call it first.
func CheckReserve(user ID, n int) error {
	if user <= 0 || !user.inRange() {
		return Errorf(Invalid, "ids are reserved for a user, not %d", user)
	}
	if n < 1 || n > MaxReservedIDs {
		return Errorf(Invalid, "cannot reserve %d ids at once; the number must be 1 to %d", n, MaxReservedIDs)
	}
	return nil
}

// A ValueKey selects concepts by value. Zero fields match anything, but Value must always be equal.
type ValueKey struct {
	Value    string
	Type     ID
	Category ID
	// Viewer limits the result to the public scope and the scope of this user; 0 means all scopes.
	// The size of the result then grows with the number of users who have the same value.
	Viewer ID
	Types  bool // only types, no instances
}

// Matches reports whether the key selects c.
func (k ValueKey) Matches(c Concept) bool {
	return k.Value == c.Value &&
		(k.Type == 0 || k.Type == c.Type) &&
		(k.Category == 0 || k.Category == c.Category) &&
		(k.Viewer == 0 || c.Scope() == 0 || c.Scope() == k.Viewer) &&
		(!k.Types || c.IsType())
}

// Links selects the connections of many concepts.
type Links struct {
	Of        []ID
	Direction Direction // Out: Of are sources; In: Of are targets
	Types     []ID      // nil means all types; an empty slice means no type
	Page      Page      // applies to the connections of each concept of Of separately
}

// A LinkCount is the number of connections of one type that a concept has.
type LinkCount struct {
	Of, Type ID
	N        int
}

// A Page is a section of a list ordered by id. After applies first, then Skip, then Limit.
type Page struct {
	Descending bool
	After      ID  // cursor: only ids strictly beyond this one in the order of the list; 0 means from the start
	Skip       int // number of entries to leave out
	Limit      int // 0 means no limit
}

// As returns the first implementation of T among a store and the stores that it wraps. A wrapper has a
// method Unwrap() Store. Optional capabilities such as Selector are found this way.
func As[T any](store Store) (T, bool) {
	for {
		if found, ok := store.(T); ok {
			return found, true
		}
		wrapper, ok := store.(interface{ Unwrap() Store })
		if !ok {
			var none T
			return none, false
		}
		store = wrapper.Unwrap()
	}
}
