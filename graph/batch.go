package graph

// A Batch is written whole or not at all. Every write is one.
//
// Records that refer to each other before they exist do so by ghost: a negative id the sender chose.
// A store remembers (sender, ghost) → real id for good, so the same batch sent again changes nothing and
// is answered with the same ids, and a later batch may refer to ghosts of an earlier one.
type Batch struct {
	Sender      Sender
	Concepts    []ConceptDraft
	Connections []ConnectionDraft
	// RemoveConcepts and RemoveConnections are applied after the drafts. Removing a concept removes its
	// connections too. Ids may be ghosts; an id that is not there any more is no error.
	RemoveConcepts    []ID
	RemoveConnections []ID
}

// A Sender is the circle in which a ghost means one thing. Local ids restart in every browser profile,
// so they collide between users and sessions.
type Sender struct {
	User       ID     // Anonymous when nobody is signed in
	Session    string // tells anonymous senders apart; ignored for others
	Randomizer int64  // chosen by the client, once per profile
}

// Key is the sender as stores compare it: the session counts only for anonymous senders.
func (s Sender) Key() Sender {
	if s.User != Anonymous {
		s.Session = ""
	}
	return s
}

// A Receipt says what a batch became: Concepts and Connections stand in the order of the drafts,
// with real ids throughout.
type Receipt struct {
	Seq         Seq // of the change, or 0 when the batch changed nothing
	Concepts    []Concept
	Connections []Connection
}

// MaxBatch is the most records one batch may hold.
const MaxBatch = 50_000

// Check returns an Invalid (or TooLarge) error for a batch that no store could write: text that is not
// text, ghosts that are not negative, one ghost or reserved id with two meanings, ids out of range. Stores call it first.
// Sending one record twice in a batch is allowed; clients of the wire contract do.
func (b Batch) Check() error {
	if n := len(b.Concepts) + len(b.Connections) + len(b.RemoveConcepts) + len(b.RemoveConnections); n > MaxBatch {
		return Errorf(TooLarge, "a batch of %d records; the most is %d", n, MaxBatch)
	}
	if b.Sender.User <= 0 {
		return Errorf(Invalid, "the sender needs a user, not %d; nobody is %d", b.Sender.User, Anonymous)
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
	if err := checkApart(b.Concepts, b.Connections); err != nil {
		return err
	}
	for _, id := range append(append([]ID{}, b.RemoveConcepts...), b.RemoveConnections...) {
		if id == 0 || !id.inRange() {
			return Errorf(Invalid, "cannot remove id %d", id)
		}
	}
	return nil
}
