package graph

import (
	"cmp"
	"time"
)

// A DraftKind is the kind of concept that a draft becomes.
type DraftKind int

// The kinds of draft.
const (
	DraftValue       DraftKind = iota // a value of TypeName; an equal value is reused (see IsShared), else created
	DraftComposition                  // the main concept of a composition of TypeName; created, unless Becomes is set
	DraftType                         // the type TypeName with its whole TypeChain; reused or created, always public
	DraftPrototype                    // a pattern for instances of TypeName, named Value; always created
)

// A ConceptDraft describes a concept to create, or to reuse if an equal one exists (see DraftKind).
//
// ID is 0 or an id that the sender's user reserved. A created concept receives this id. If the draft reuses an
// existing concept, the id becomes an alias of that concept in batches of the user. A draft that is sent again under
// the same LocalID or ID yields the same concept. A draft has a LocalID or an ID, not both.
type ConceptDraft struct {
	LocalID      ID // negative; 0 if no draft refers to this draft and it is never sent again
	ID           ID
	Kind         DraftKind
	TypeName     string // used as written; the type is created if it does not exist
	Value        string
	Owner        ID        // 0 means the sender's user
	Access       Access    // 0 means Private
	Created      time.Time // zero means now
	Position     Position  // for a concept that is created; a reused concept keeps its position, and types have none
	RequireOwner bool      // the write fails if the draft would reuse a concept of another owner
	// Becomes is the id of an existing composition that a DraftComposition becomes, or 0 for a new one. The local id of
	// the draft then refers to that composition. Becomes has no effect on a draft that was sent before.
	Becomes ID
}

// A ConnectionDraft describes a connection to create. From, To and Type are real, reserved or local ids of
// concepts. A draft whose two ends become the same concept is skipped: the receipt holds a connection with
// id 0 in its place. ID works as in a ConceptDraft.
type ConnectionDraft struct {
	LocalID  ID // negative or 0; independent of the local ids of concepts
	ID       ID
	From, To ID
	Type     ID     // 0 means TypeName
	TypeName string // used if Type is 0 or an unknown local id
	Order    int
	Owner    ID        // 0 means the sender's user
	Access   Access    // 0 means Private
	Created  time.Time // zero means now
}

// SentID returns the id under which the sender refers to the draft: its LocalID or its ID, or 0 if it has neither.
func (d ConceptDraft) SentID() ID { return d.LocalID + d.ID }

// SentID returns the id under which the sender refers to the draft: its LocalID or its ID, or 0 if it has neither.
func (d ConnectionDraft) SentID() ID { return d.LocalID + d.ID }

// Concept returns the concept that a store creates for the draft. The store sets its ID and Type, and makes
// a type public, regardless of its first sender.
func (d ConceptDraft) Concept(by Sender, now time.Time) Concept {
	m := metadata{d.Owner, d.Access, d.Created}.withDefaults(by, now)
	c := Concept{
		Category: CategoryInstance, Value: d.Value, Owner: m.owner, Access: m.access, Created: m.created, Position: d.Position,
	}
	switch d.Kind {
	case DraftComposition:
		c.Composition = true
	case DraftPrototype:
		c.Category, c.Composition = CategoryPrototype, true
	case DraftValue, DraftType:
	}
	return c
}

// CheckOwner returns a Conflict error if RequireOwner is set and c does not belong to the owner of the draft.
func (d ConceptDraft) CheckOwner(c Concept, by Sender) error {
	if owner := cmp.Or(d.Owner, by.User); d.RequireOwner && c.Owner != owner {
		return Errorf(Conflict, "%s is concept %d of user %d, not of user %d", d, c.ID, c.Owner, owner)
	}
	return nil
}

// Matches reports whether c can be the concept that the draft became; typeName is the name of the type of c.
// Stores use it to verify that an id that is sent again has the same meaning.
func (d ConceptDraft) Matches(c Concept, typeName string) bool {
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

// Connection returns the connection that a store creates for the draft. The store sets its ID, ends and type.
func (d ConnectionDraft) Connection(by Sender, now time.Time) Connection {
	m := metadata{d.Owner, d.Access, d.Created}.withDefaults(by, now)
	return Connection{Order: d.Order, Owner: m.owner, Access: m.access, Created: m.created}
}

// metadata holds the fields that concept and connection drafts have in common.
type metadata struct {
	owner   ID
	access  Access
	created time.Time
}

// withDefaults fills in missing fields from the sender and the time of the write.
func (m metadata) withDefaults(by Sender, now time.Time) metadata {
	if m.owner == 0 {
		m.owner = by.User
	}
	if m.access == 0 {
		m.access = Private
	}
	if m.created.IsZero() {
		m.created = now
	}
	m.created = m.created.UTC().Truncate(time.Millisecond)
	return m
}

// checkConcepts checks each draft, and that drafts with the same id are equal.
func checkConcepts(drafts []ConceptDraft) error {
	seen := make(map[ID]int, len(drafts))
	for i, d := range drafts {
		if err := d.check(); err != nil {
			return Errorf(KindOf(err), "concept %d of the batch (ghost %d): %v", i, d.SentID(), err)
		}
		if d.SentID() == 0 {
			continue
		}
		first, exists := seen[d.SentID()]
		if exists && !drafts[first].same(d) {
			return Errorf(Invalid, "ghost %d is sent twice with two meanings: %s, then %s",
				d.SentID(), drafts[first], d)
		}
		seen[d.SentID()] = i
	}
	return nil
}

// check validates the fields of the draft.
func (d ConceptDraft) check() error {
	if err := checkSentID(d.LocalID, d.ID); err != nil {
		return err
	}
	if err := CheckTypeName(d.TypeName); err != nil {
		return err
	}
	if d.Kind < DraftValue || d.Kind > DraftPrototype {
		return Errorf(Invalid, "unknown kind of draft: %d", d.Kind)
	}
	if err := (metadata{d.Owner, d.Access, d.Created}).check(); err != nil {
		return err
	}
	if err := d.Position.check(); err != nil {
		return err
	}
	if d.Becomes != 0 && (d.Kind != DraftComposition || d.LocalID == 0 || !d.Becomes.IsReal() || !d.Becomes.inRange()) {
		return Errorf(Invalid, "only a composition with a local id can become another, not id %d", d.Becomes)
	}
	if d.Kind == DraftComposition && d.Value != "" {
		return Errorf(Invalid, "a composition has no value of its own, but this one has %q", Clip(d.Value))
	}
	return CheckText("value", d.Value)
}

// same reports whether two drafts have the same meaning. Owner, access and time may differ.
func (d ConceptDraft) same(e ConceptDraft) bool {
	return d.Kind == e.Kind && d.TypeName == e.TypeName && d.Value == e.Value && d.Becomes == e.Becomes
}

// String describes the draft for error messages.
func (d ConceptDraft) String() string {
	if d.Kind == DraftType {
		return "type " + Clip(d.TypeName)
	}
	return Clip(d.TypeName) + " " + "\"" + Clip(d.Value) + "\""
}

// checkConnections checks each draft, and that drafts with the same id are equal.
func checkConnections(drafts []ConnectionDraft) error {
	seen := make(map[ID]int, len(drafts))
	for i, d := range drafts {
		if err := d.check(); err != nil {
			return Errorf(KindOf(err), "connection %d of the batch (ghost %d): %v", i, d.SentID(), err)
		}
		if d.SentID() == 0 {
			continue
		}
		first, exists := seen[d.SentID()]
		if exists && !drafts[first].same(d) {
			return Errorf(Invalid, "connection ghost %d is sent twice with two meanings: %d→%d, then %d→%d",
				d.SentID(), drafts[first].From, drafts[first].To, d.From, d.To)
		}
		seen[d.SentID()] = i
	}
	return nil
}

// check validates the fields of the draft.
func (d ConnectionDraft) check() error {
	if err := checkSentID(d.LocalID, d.ID); err != nil {
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
	if err := (metadata{d.Owner, d.Access, d.Created}).check(); err != nil {
		return err
	}
	return CheckTypeName(d.TypeName)
}

// checkSentID checks the local id and the reserved id of a draft. Its errors call a local id a ghost, as the wire
// contract does, because they reach clients of the contract.
func checkSentID(ghost, id ID) error {
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

// checkDistinctIDs returns an error if a concept and a connection of the batch use the same reserved id.
func checkDistinctIDs(concepts []ConceptDraft, connections []ConnectionDraft) error {
	used := map[ID]bool{}
	for _, d := range concepts {
		if d.ID != 0 {
			used[d.ID] = true
		}
	}
	for i, d := range connections {
		if used[d.ID] {
			return Errorf(Invalid, "connection %d of the batch uses id %d, and so does a concept", i, d.ID)
		}
	}
	return nil
}

// check rejects owners that are not user ids, unknown levels of access, and dates that JSON cannot represent.
func (m metadata) check() error {
	if m.owner < 0 || !m.owner.inRange() {
		return Errorf(Invalid, "%d is not an owner", m.owner)
	}
	if m.access != 0 && (m.access < Admin || m.access > Public) {
		return Errorf(Invalid, "unknown level of access: %d", m.access)
	}
	if year := m.created.UTC().Year(); !m.created.IsZero() && (year < 1 || year > 9999) {
		return Errorf(Invalid, "year %d is outside 1 to 9999", year)
	}
	return nil
}

// same reports whether two drafts have the same meaning. Order, owner, access and time may differ.
func (d ConnectionDraft) same(e ConnectionDraft) bool {
	return d.From == e.From && d.To == e.To && d.Type == e.Type && d.TypeName == e.TypeName
}
