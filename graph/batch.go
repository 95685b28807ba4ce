package graph

import "time"

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

// A DraftKind says what a concept draft becomes.
type DraftKind int

// The kinds of draft.
const (
	DraftValue       DraftKind = iota // a value of TypeName; found if it exists (see Shared), else made
	DraftComposition                  // the head of a record of TypeName; always new
	DraftType                         // the type named TypeName, with its whole chain, found or made
)

// A ConceptDraft is a concept that wants to exist.
type ConceptDraft struct {
	Ghost    ID // negative, or 0 when nobody refers to it and nobody will send it again
	Kind     DraftKind
	TypeName string // used as written; the type is found or made
	Value    string
	Owner    ID        // 0 means the sender's user
	Access   Access    // 0 means Private
	Created  time.Time // zero means now
}

// A ConnectionDraft is a connection that wants to exist. From, To and Type are real ids or ghosts.
// A draft whose two ends turn out to be one concept is skipped: its place in the receipt has id 0.
type ConnectionDraft struct {
	Ghost    ID // negative or 0, in a number space of its own
	From, To ID
	Type     ID     // 0 means TypeName
	TypeName string // used when Type is 0, or when Type is a ghost that nobody sent
	Order    int
	Owner    ID        // 0 means the sender's user
	Access   Access    // 0 means Private
	Created  time.Time // zero means now
}

// A Receipt says what a batch became: Concepts and Connections stand in the order of the drafts,
// with real ids throughout.
type Receipt struct {
	Seq         Seq // of the change, or 0 when the batch changed nothing
	Concepts    []Concept
	Connections []Connection
}

// A Seq numbers the changes of a store, from 1, without gaps in what a reader sees.
type Seq int64

// A Change is what one committed batch touched.
type Change struct {
	Seq Seq
	At  time.Time
	// Concepts made or removed, and both ends of every connection made or removed.
	Concepts []ID
	// Connections made or removed.
	Connections []ID
	// Types of those concepts and connections. For an internal connection that is the composition.
	Types []ID
	// Wide says that more than MaxChangeIDs were touched and that Concepts and Connections are left out:
	// whoever watches one of Types must look again.
	Wide bool
}

// MaxChangeIDs is how many ids a change lists before it becomes Wide.
const MaxChangeIDs = 2_000

// MaxBatch is the most records one batch may hold.
const MaxBatch = 50_000

// Check returns an Invalid (or TooLarge) error for a batch that no store could write: text that is not
// text, ghosts that are not negative, one ghost with two meanings, ids out of range. Stores call it first.
// Sending one record twice in a batch is allowed; clients of the wire contract do.
func (b Batch) Check() error {
	if n := len(b.Concepts) + len(b.Connections) + len(b.RemoveConcepts) + len(b.RemoveConnections); n > MaxBatch {
		return Errorf(TooLarge, "a batch of %d records; the most is %d", n, MaxBatch)
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
	for _, id := range append(append([]ID{}, b.RemoveConcepts...), b.RemoveConnections...) {
		if id == 0 || !id.inRange() {
			return Errorf(Invalid, "cannot remove id %d", id)
		}
	}
	return nil
}

func checkConcepts(drafts []ConceptDraft) error {
	seen := make(map[ID]int, len(drafts))
	for i, d := range drafts {
		if err := d.check(); err != nil {
			return Wrap(KindOf(err), err, "concept %d of the batch (ghost %d)", i, d.Ghost)
		}
		if d.Ghost == 0 {
			continue
		}
		first, again := seen[d.Ghost]
		if again && !drafts[first].same(d) {
			return Errorf(Invalid, "ghost %d is sent twice with two meanings: %s, then %s",
				d.Ghost, drafts[first], d)
		}
		seen[d.Ghost] = i
	}
	return nil
}

func (d ConceptDraft) check() error {
	if d.Ghost > 0 || !d.Ghost.inRange() {
		return Errorf(Invalid, "a ghost must be a negative id, not %d", d.Ghost)
	}
	if err := CheckTypeName(d.TypeName); err != nil {
		return err
	}
	if d.Kind == DraftComposition && d.Value != "" {
		return Errorf(Invalid, "a composition has no value of its own, but this one has %q", clip(d.Value))
	}
	return CheckText("value", d.Value)
}

func (d ConceptDraft) same(e ConceptDraft) bool {
	return d.Kind == e.Kind && d.TypeName == e.TypeName && d.Value == e.Value
}

func (d ConceptDraft) String() string {
	if d.Kind == DraftType {
		return "type " + clip(d.TypeName)
	}
	return clip(d.TypeName) + " " + "\"" + clip(d.Value) + "\""
}

func checkConnections(drafts []ConnectionDraft) error {
	seen := make(map[ID]int, len(drafts))
	for i, d := range drafts {
		if err := d.check(); err != nil {
			return Wrap(KindOf(err), err, "connection %d of the batch (ghost %d)", i, d.Ghost)
		}
		if d.Ghost == 0 {
			continue
		}
		first, again := seen[d.Ghost]
		if again && !drafts[first].same(d) {
			return Errorf(Invalid, "connection ghost %d is sent twice with two meanings: %d→%d, then %d→%d",
				d.Ghost, drafts[first].From, drafts[first].To, d.From, d.To)
		}
		seen[d.Ghost] = i
	}
	return nil
}

func (d ConnectionDraft) check() error {
	if d.Ghost > 0 || !d.Ghost.inRange() {
		return Errorf(Invalid, "a ghost must be a negative id, not %d", d.Ghost)
	}
	for _, id := range []ID{d.From, d.To, d.Type} {
		if !id.inRange() {
			return Errorf(Invalid, "id %d is beyond 2^53", id)
		}
	}
	if d.From == 0 || d.To == 0 {
		return Errorf(Invalid, "a connection needs two ends, not %d→%d", d.From, d.To)
	}
	if d.Type == 0 && d.TypeName == "" {
		return Errorf(Invalid, "a connection needs a type")
	}
	return CheckTypeName(d.TypeName)
}

func (d ConnectionDraft) same(e ConnectionDraft) bool {
	return d.From == e.From && d.To == e.To && d.Type == e.Type && d.TypeName == e.TypeName
}
