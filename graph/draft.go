package graph

import (
	"cmp"
	"time"
)

// A DraftKind says what a concept draft becomes.
type DraftKind int

// The kinds of draft.
const (
	DraftValue       DraftKind = iota // a value of TypeName; found if it exists (see Shared), else made
	DraftComposition                  // the head of a record of TypeName; always new
	DraftType                         // the type named TypeName, with its whole chain, found or made; everybody's
	DraftPrototype                    // a pattern for instances of TypeName, called Value; always new
)

// A ConceptDraft is a concept that wants to exist.
//
// ID is 0, or an id the sender's user reserved. A new concept gets it; if the draft turns out to be a
// concept that exists, the id becomes another name for that one wherever a batch of this user refers to a
// concept. Sending the same ID again is answered like sending a ghost again. A draft has a Ghost or an ID,
// not both.
type ConceptDraft struct {
	Ghost    ID // negative, or 0 when nobody refers to it and nobody will send it again
	ID       ID
	Kind     DraftKind
	TypeName string // used as written; the type is found or made
	Value    string
	Owner    ID        // 0 means the sender's user
	Access   Access    // 0 means Private
	Created  time.Time // zero means now
	// Own refuses, as a Conflict, to become a concept of anybody but Owner. It is for who must know whose the
	// concept is before writing: what was not there when they looked may be there now.
	Own bool
}

// A ConnectionDraft is a connection that wants to exist. From, To and Type are real ids or ghosts.
// A draft whose two ends turn out to be one concept is skipped: its place in the receipt has id 0. ID is
// as in a ConceptDraft.
type ConnectionDraft struct {
	Ghost    ID // negative or 0, in a number space of its own
	ID       ID
	From, To ID
	Type     ID     // 0 means TypeName
	TypeName string // used when Type is 0, or when Type is a ghost that nobody sent
	Order    int
	Owner    ID        // 0 means the sender's user
	Access   Access    // 0 means Private
	Created  time.Time // zero means now
}

// Name is what batches may call the draft: its ghost, or the id it was reserved; 0 when it has neither.
func (d ConceptDraft) Name() ID { return d.Ghost + d.ID }

// Name is what the sender may call the draft: its ghost, or the id it was reserved; 0 when it has neither.
func (d ConnectionDraft) Name() ID { return d.Ghost + d.ID }

// Concept is what the draft becomes when nothing equal is there. Its ID and Type are for the store to
// give. A type belongs to everybody, whoever named it first.
func (d ConceptDraft) Concept(by Sender, now time.Time) Concept {
	owner, access, created := keeping(d.Owner, d.Access, d.Created, by, now)
	c := Concept{Category: CategoryInstance, Value: d.Value, Owner: owner, Access: access, Created: created}
	switch d.Kind {
	case DraftComposition:
		c.Composition = true
	case DraftPrototype:
		c.Category, c.Composition = CategoryPrototype, true
	case DraftValue, DraftType:
	}
	return c
}

// Fits returns a Conflict error when the draft is to be its owner's Own and became somebody else's concept.
func (d ConceptDraft) Fits(c Concept, by Sender) error {
	if owner := cmp.Or(d.Owner, by.User); d.Own && c.Owner != owner {
		return Errorf(Conflict, "%s is concept %d of user %d by now, not of %d", d, c.ID, c.Owner, owner)
	}
	return nil
}

// Became says whether the draft can have become c, whose type has this name: the test for a ghost that
// was sent before.
func (d ConceptDraft) Became(c Concept, typeName string) bool {
	switch d.Kind {
	case DraftType:
		return c.IsType() && c.Value == d.TypeName
	case DraftComposition:
		return c.Composition && c.Category == CategoryInstance && typeName == d.TypeName
	case DraftPrototype:
		return c.Composition && c.Category == CategoryPrototype && c.Value == d.Value && typeName == d.TypeName
	default:
		return !c.Composition && !c.IsType() && c.Value == d.Value && typeName == d.TypeName
	}
}

// Connection is what the draft becomes. Its ID, ends and type are for the store to give.
func (d ConnectionDraft) Connection(by Sender, now time.Time) Connection {
	owner, access, created := keeping(d.Owner, d.Access, d.Created, by, now)
	return Connection{Order: d.Order, Owner: owner, Access: access, Created: created}
}

func keeping(owner ID, access Access, created time.Time, by Sender, now time.Time) (ID, Access, time.Time) {
	if owner == 0 {
		owner = by.User
	}
	if access == 0 {
		access = Private
	}
	if created.IsZero() {
		created = now
	}
	return owner, access, created.UTC().Truncate(time.Millisecond)
}

func checkConcepts(drafts []ConceptDraft) error {
	seen := make(map[ID]int, len(drafts))
	for i, d := range drafts {
		if err := d.check(); err != nil {
			return Errorf(KindOf(err), "concept %d of the batch (ghost %d): %v", i, d.Name(), err)
		}
		if d.Name() == 0 {
			continue
		}
		first, again := seen[d.Name()]
		if again && !drafts[first].same(d) {
			return Errorf(Invalid, "ghost %d is sent twice with two meanings: %s, then %s",
				d.Name(), drafts[first], d)
		}
		seen[d.Name()] = i
	}
	return nil
}

func (d ConceptDraft) check() error {
	if err := checkNames(d.Ghost, d.ID); err != nil {
		return err
	}
	if err := CheckTypeName(d.TypeName); err != nil {
		return err
	}
	if d.Kind < DraftValue || d.Kind > DraftPrototype {
		return Errorf(Invalid, "%d is no kind of draft", d.Kind)
	}
	if err := checkKeeping(d.Owner, d.Access, d.Created); err != nil {
		return err
	}
	if d.Kind == DraftComposition && d.Value != "" {
		return Errorf(Invalid, "a composition has no value of its own, but this one has %q", Clip(d.Value))
	}
	return CheckText("value", d.Value)
}

func (d ConceptDraft) same(e ConceptDraft) bool {
	return d.Kind == e.Kind && d.TypeName == e.TypeName && d.Value == e.Value
}

func (d ConceptDraft) String() string {
	if d.Kind == DraftType {
		return "type " + Clip(d.TypeName)
	}
	return Clip(d.TypeName) + " " + "\"" + Clip(d.Value) + "\""
}

func checkConnections(drafts []ConnectionDraft) error {
	seen := make(map[ID]int, len(drafts))
	for i, d := range drafts {
		if err := d.check(); err != nil {
			return Errorf(KindOf(err), "connection %d of the batch (ghost %d): %v", i, d.Name(), err)
		}
		if d.Name() == 0 {
			continue
		}
		first, again := seen[d.Name()]
		if again && !drafts[first].same(d) {
			return Errorf(Invalid, "connection ghost %d is sent twice with two meanings: %d→%d, then %d→%d",
				d.Name(), drafts[first].From, drafts[first].To, d.From, d.To)
		}
		seen[d.Name()] = i
	}
	return nil
}

func (d ConnectionDraft) check() error {
	if err := checkNames(d.Ghost, d.ID); err != nil {
		return err
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
	if err := checkKeeping(d.Owner, d.Access, d.Created); err != nil {
		return err
	}
	return CheckTypeName(d.TypeName)
}

func checkNames(ghost, id ID) error {
	switch {
	case ghost > 0 || !ghost.inRange():
		return Errorf(Invalid, "a ghost must be a negative id, not %d", ghost)
	case id < 0 || !id.inRange():
		return Errorf(Invalid, "%d is not an id that can be reserved", id)
	case ghost != 0 && id != 0:
		return Errorf(Invalid, "a draft has a ghost or an id, not both %d and %d", ghost, id)
	}
	return nil
}

// checkApart looks for an id that a concept and a connection of one batch both want.
func checkApart(concepts []ConceptDraft, connections []ConnectionDraft) error {
	wanted := map[ID]bool{}
	for _, d := range concepts {
		if d.ID != 0 {
			wanted[d.ID] = true
		}
	}
	for i, d := range connections {
		if wanted[d.ID] {
			return Errorf(Invalid, "connection %d of the batch wants id %d, and so does a concept", i, d.ID)
		}
	}
	return nil
}

// checkKeeping keeps owners apart from the scopes that are not owners, and dates inside what JSON can say.
func checkKeeping(owner ID, access Access, created time.Time) error {
	if owner < 0 || !owner.inRange() {
		return Errorf(Invalid, "%d is not an owner", owner)
	}
	if access != 0 && (access < Admin || access > Public) {
		return Errorf(Invalid, "%d is no level of access", access)
	}
	if year := created.UTC().Year(); !created.IsZero() && (year < 1 || year > 9999) {
		return Errorf(Invalid, "the year %d is not one a date can be written in", year)
	}
	return nil
}

func (d ConnectionDraft) same(e ConnectionDraft) bool {
	return d.From == e.From && d.To == e.To && d.Type == e.Type && d.TypeName == e.TypeName
}
