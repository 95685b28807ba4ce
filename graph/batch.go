package graph

import (
	"errors"
	"slices"
)

// A Batch is written completely or not at all. Every write to a store is a batch.
//
// Drafts refer to each other by local id, a negative number that the sender chooses. A store keeps the mapping
// from (sender, local id) to the real id forever. Sending a batch again therefore changes nothing and returns
// the same ids, and a later batch may refer to local ids of an earlier one.
type Batch struct {
	Sender      Sender
	Concepts    []ConceptDraft
	Connections []ConnectionDraft
	// RemoveConcepts and RemoveConnections are applied after the drafts. Removing a concept also removes its
	// connections. The ids may be local. Unknown ids are ignored.
	RemoveConcepts    []ID
	RemoveConnections []ID
	// Unchanged is a condition: the batch is written only if it holds. Nil means no condition.
	Unchanged *Unchanged
	// Absent is another condition under which the batch is written, or nil.
	Absent *Absent
}

// Unchanged is a condition on the history of a store. It holds if no change with a number above Since has created or
// removed one of Concepts, or a connection at one of them. A sender that reads records and computes a batch from them
// sets Since to the result that LastSeq had before the read. If the condition does not hold, or the store has deleted
// some changes after Since, the store refuses the batch with ErrChanged.
type Unchanged struct {
	Since    Seq
	Concepts []ID // real ids, and local ids that the batch drafts
}

// ErrChanged is the cause of the Conflict error for a batch whose condition Unchanged does not hold. The sender must
// read the records again and compute a new batch.
var ErrChanged = errors.New("changed since it was read")

// Check returns nil if the condition holds, given the changes after Since, and otherwise the error for the batch.
// More than MaxUnchanged changes are an error, too. resolve returns the real id of a local id.
func (u *Unchanged) Check(since []Change, resolve func(ID) ID) error {
	watched := make(map[ID]bool, len(u.Concepts))
	for _, id := range u.Concepts {
		watched[resolve(id)] = true
	}
	for _, c := range since {
		if c.Wide || slices.ContainsFunc(c.Concepts, func(id ID) bool { return watched[id] }) {
			return Wrap(Conflict, ErrChanged, "a record that the write depends on has changed")
		}
	}
	if len(since) > MaxUnchanged {
		return Wrap(Conflict, ErrChanged, "more than %d changes since the record was read", MaxUnchanged)
	}
	return nil
}

// MaxUnchanged is the maximum number of changes that a store checks for the condition of a batch.
const MaxUnchanged = 10_000

// A Sender is the namespace of local ids. Every browser profile numbers its local ids from -1 down, so without a
// namespace the ids of different users and sessions would collide.
type Sender struct {
	User       ID     // Anonymous for guests
	Session    string // distinguishes guests; ignored for signed-in users
	Randomizer int64  // chosen by the client once per browser profile
}

// Key returns the sender in the form in which stores compare it: without the session, unless the user is
// Anonymous.
func (s Sender) Key() Sender {
	if s.User != Anonymous {
		s.Session = ""
	}
	return s
}

// A Receipt is the result of a batch. Concepts and Connections are in the order of the drafts and contain only
// real ids.
type Receipt struct {
	Seq         Seq // number of the change, or 0 if the batch changed nothing
	Concepts    []Concept
	Connections []Connection
}

// MaxBatchRecords is the maximum number of drafts and removals in a batch.
const MaxBatchRecords = 50_000

// Check validates the batch without a store. Implementations of Store.Write call it first. A draft may occur
// twice, because clients of the wire contract send it twice.
//
// Errors: TooLarge beyond MaxBatchRecords; Invalid for a sender without a user, for a malformed draft (its ids, type,
// text, owner, access or time), for a removal of id 0, and for a local or reserved id with two meanings.
func (b Batch) Check() error {
	if n := len(b.Concepts) + len(b.Connections) + len(b.RemoveConcepts) + len(b.RemoveConnections); n > MaxBatchRecords {
		return Errorf(TooLarge, "the batch has %d records; the maximum is %d", n, MaxBatchRecords)
	}
	if b.Sender.User <= 0 {
		return Errorf(Invalid, "%d is not the user of a sender; the user of guests is %d", b.Sender.User, Anonymous)
	}
	if err := CheckText("session", b.Sender.Session); err != nil {
		return err
	}
	if err := checkConcepts(b.Concepts); err != nil {
		return err
	}
	if err := checkConnections(b.Connections); err != nil {
		return err
	}
	if err := checkDistinctIDs(b.Concepts, b.Connections); err != nil {
		return err
	}
	for _, id := range append(append([]ID{}, b.RemoveConcepts...), b.RemoveConnections...) {
		if id == 0 || !id.inRange() {
			return Errorf(Invalid, "cannot remove id %d", id)
		}
	}
	if u := b.Unchanged; u != nil && u.Since < 0 {
		return Errorf(Invalid, "%d is not the number of a change", u.Since)
	}
	return nil
}
