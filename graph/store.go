package graph

import (
	"context"
	"time"
)

// A Reader answers questions about a graph. Every method works on sets, so that the cost of a walk is
// the number of its levels and not of its nodes. Package storetest states these promises as tests.
type Reader interface {
	// Concepts returns the concepts that ids name, each once, in the order first asked for. Ids that
	// name nothing are left out. Long texts come whole.
	Concepts(ctx context.Context, ids []ID) ([]Concept, error)

	// ConceptsByValue returns the concepts that match any of keys, in order of id. Values that are not
	// Shared are never found.
	ConceptsByValue(ctx context.Context, keys []ValueKey) ([]Concept, error)

	// ConceptsByType returns the instances of a type, in order of id, one page of them.
	ConceptsByType(ctx context.Context, typ ID, page Page) ([]Concept, error)

	// CountByType counts the instances of a type, up to atMost (0 means all of them).
	CountByType(ctx context.Context, typ ID, atMost int) (int, error)

	// Connections returns the connections that ids name, each once, in the order first asked for.
	Connections(ctx context.Context, ids []ID) ([]Connection, error)

	// Links returns the connections at the concepts asked about. They are grouped by concept in the
	// order of Links.Of, and by id inside a group; the page is cut from each group.
	Links(ctx context.Context, links Links) ([]Connection, error)

	// CountLinks counts what Links would return without a page, per concept in the order of Links.Of and
	// per type in order of id, leaving out zeros.
	CountLinks(ctx context.Context, links Links) ([]LinkCount, error)

	// Ghosts returns the real ids of the concepts a sender sent under these ghosts; unknown ones are
	// left out. A positive ghost is an id that the sender's user reserved, and is known once a concept was
	// sent under it.
	Ghosts(ctx context.Context, sender Sender, ghosts []ID) (map[ID]ID, error)

	// Changes returns up to limit changes after a number (0 means all), oldest first. If changes after it
	// were already forgotten, or the store never reached it, the error is NotFound: the reader must start
	// afresh from LastSeq.
	Changes(ctx context.Context, after Seq, limit int) ([]Change, error)

	// LastSeq is the number of the newest change, 0 in a store that never changed.
	LastSeq(ctx context.Context) (Seq, error)

	// Identity is a text that no other store has, and that this one keeps for as long as it lives. Ids and
	// change numbers mean something only together with it: a client that finds another identity at the
	// same address must forget what it knew.
	Identity(ctx context.Context) (string, error)
}

// A Store is a graph that can be written. A store holds Fixed from the start. It is safe for use by many
// goroutines; a batch is seen whole or not at all.
type Store interface {
	Reader

	// Write commits a batch. When it returns without an error the batch is durable: it survives the
	// process, and in stores on disk the machine, dying in the next instant. When ctx ends first, the batch
	// may have been written or not; sending it again is safe.
	//
	// Errors: what Batch.Check says; Invalid for a reference to a ghost nobody sent, an id that does not
	// exist or a draft's ID that its user did not reserve; Conflict for a ghost or ID that was sent before
	// with another meaning, and for a draft that is to be Own and is not; Forbidden for removing a fixed concept or a type in use.
	Write(ctx context.Context, b Batch) (Receipt, error)

	// Reserve takes n ids out of circulation for a user, for good, and returns them in ascending order: no
	// record gets one of them, in this store or any that shares its database, unless a draft of that user
	// names it. One that is not named for KeepReserved is nobody's any more. An id reserved for Anonymous goes
	// to whoever names it first, for people sign in while they work. A reserved id is a positive ghost: see
	// ConceptDraft.ID. The error is what CheckReserve says.
	Reserve(ctx context.Context, user ID, n int) ([]ID, error)

	// Check reads everything and returns an error that names the first broken promise: a connection
	// with a missing end or type, a value that stands twice in a scope, an index that disagrees.
	Check(ctx context.Context) error

	// Close ends what was begun and releases the store.
	Close() error
}

// MaxReserve is the most ids that can be reserved at once.
const MaxReserve = 1_000

// KeepReserved is how long an id stays reserved that nothing is sent under.
const KeepReserved = 30 * 24 * time.Hour

// CheckReserve returns an Invalid error for ids that cannot be reserved. Stores call it first.
func CheckReserve(user ID, n int) error {
	if user <= 0 || !user.inRange() {
		return Errorf(Invalid, "ids are reserved for a user, not %d", user)
	}
	if n < 1 || n > MaxReserve {
		return Errorf(Invalid, "%d ids cannot be reserved; 1 to %d can", n, MaxReserve)
	}
	return nil
}

// A ValueKey asks for concepts by value. What is zero matches anything.
type ValueKey struct {
	Value    string
	Type     ID
	Category ID
	// Viewer leaves out what stands in a scope other than everybody's and the viewer's own: an answer
	// must not grow with the number of people who wrote the same word.
	Viewer ID
	Types  bool // only types, no instances
}

// Matches says whether the key asks for c.
func (k ValueKey) Matches(c Concept) bool {
	return k.Value == c.Value &&
		(k.Type == 0 || k.Type == c.Type) &&
		(k.Category == 0 || k.Category == c.Category) &&
		(k.Viewer == 0 || c.Scope() == 0 || c.Scope() == k.Viewer) &&
		(!k.Types || c.IsType())
}

// Links asks for the connections of many concepts at once.
type Links struct {
	Of        []ID
	Direction Direction // Out: Of are sources; In: Of are targets
	Types     []ID      // nil means every type; empty but not nil means none
	Page      Page      // cut from the connections of each concept of Of
}

// A LinkCount says how many connections of a type a concept has.
type LinkCount struct {
	Of, Type ID
	N        int
}

// A Page is a part of a list ordered by id.
type Page struct {
	Descending bool
	After      ID  // only ids strictly beyond this one in the list's order; 0 means from the start
	Skip       int // then leave out this many
	Limit      int // 0 means no limit
}
