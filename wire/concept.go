package wire

import (
	"github.com/weft-graph/weft/graph"
)

// A Concept is a concept in a request or response.
type Concept struct {
	ID             Int  `json:"id"`
	GhostID        Int  `json:"ghostId"` // the local id under which the concept was sent, or else its id
	UserID         Int  `json:"userId"`
	TypeID         Int  `json:"typeId"`
	CategoryID     Int  `json:"categoryId"`
	CharacterValue Text `json:"characterValue"`
	AccessID       Int  `json:"accessId"`
	TypeCharacter  Text `json:"typeCharacter"` // the name of the type
	IsComposition  Bool `json:"isComposition"`
	IsTemp         Bool `json:"isTemp"` // in requests: the concept has only a local id
	EntryTimeStamp Time `json:"entryTimeStamp"`
	// X and Y are the position of the concept in a drawing. Responses leave out a coordinate that is 0.
	X Coordinate `json:"x,omitempty"`
	Y Coordinate `json:"y,omitempty"`
	// Type is the concept of the type in responses, without the type of that type. Clients read the keys
	// of records from it.
	Type *Concept `json:"type"`
}

// Graph converts to a graph.Concept.
func (c Concept) Graph() graph.Concept {
	return graph.Concept{
		ID:          graph.ID(c.ID),
		Type:        graph.ID(c.TypeID),
		Category:    graph.ID(c.CategoryID),
		Value:       string(c.CharacterValue),
		Owner:       graph.ID(c.UserID),
		Access:      graph.Access(c.AccessID),
		Composition: bool(c.IsComposition),
		Created:     c.EntryTimeStamp.Time(),
		Position:    c.position(),
	}
}

func (c Concept) position() graph.Position {
	return graph.Position{X: float64(c.X), Y: float64(c.Y)}
}

// A ResponseConcept is a concept of a response together with the concept of its type.
type ResponseConcept struct {
	Concept graph.Concept
	Type    *graph.Concept // nil if the type does not exist
	LocalID graph.ID       // 0 if the concept was not sent under a local id
}

// Wire converts to a Concept.
func (t ResponseConcept) Wire() Concept {
	c := withoutType(t.Concept, t.typeName(), t.LocalID)
	if t.Type != nil {
		nested := withoutType(*t.Type, "", 0)
		c.Type = &nested
	}
	return c
}

// typeName returns the name of the type, or "" if it does not exist.
func (t *ResponseConcept) typeName() string {
	if t.Type == nil {
		return ""
	}
	return t.Type.Value
}

// withoutType converts a concept, without the nested type.
func withoutType(c graph.Concept, typeName string, ghost graph.ID) Concept {
	if ghost == 0 {
		ghost = c.ID
	}
	return Concept{
		ID:             Int(c.ID),
		GhostID:        Int(ghost),
		UserID:         Int(c.Owner),
		TypeID:         Int(c.Type),
		CategoryID:     Int(c.Category),
		CharacterValue: Text(c.Value),
		AccessID:       Int(c.Access),
		TypeCharacter:  Text(typeName),
		IsComposition:  Bool(c.Composition),
		EntryTimeStamp: Time(c.Created),
		X:              Coordinate(c.Position.X),
		Y:              Coordinate(c.Position.Y),
	}
}

// AppendJSON appends the JSON of Wire to b without allocating.
func (t ResponseConcept) AppendJSON(b []byte) []byte {
	b = appendWithoutType(b, &t, keep)
	b = appendType(append(b, `,"type":`...), t.Type)
	return append(b, '}')
}

// appendType appends a nested type, or null.
func appendType(b []byte, typ *graph.Concept) []byte {
	if typ == nil {
		return append(b, "null"...)
	}
	b = appendWithoutType(b, &ResponseConcept{Concept: *typ}, keep)
	return append(b, `,"type":null}`...)
}

// appendWithoutType appends the members of a concept up to the nested type, and calls flush within a long value. It
// does not close the object.
func appendWithoutType(b []byte, t *ResponseConcept, flush func([]byte) []byte) []byte {
	c, ghost := &t.Concept, t.LocalID
	if ghost == 0 {
		ghost = c.ID
	}
	b = appendInt(b, `{"id":`, c.ID)
	b = appendInt(b, `,"ghostId":`, ghost)
	b = appendInt(b, `,"userId":`, c.Owner)
	b = appendInt(b, `,"typeId":`, c.Type)
	b = appendInt(b, `,"categoryId":`, c.Category)
	b = append(b, `,"characterValue":`...)
	b = appendLongText(b, c.Value, flush)
	b = appendInt(b, `,"accessId":`, c.Access)
	b = append(b, `,"typeCharacter":`...)
	b = appendText(b, t.typeName())
	b = append(b, `,"isComposition":`...)
	b = appendBool(b, c.Composition)
	b = append(b, `,"isTemp":false,"entryTimeStamp":`...)
	b = appendTime(b, c.Created)
	b = appendCoordinate(b, `,"x":`, c.Position.X)
	return appendCoordinate(b, `,"y":`, c.Position.Y)
}

// Concepts is a list of concepts in a response.
type Concepts []ResponseConcept

// AppendJSON appends the list as a JSON array. Lists contain few different types, so the bytes of each type are
// encoded once and then copied.
func (list Concepts) AppendJSON(b []byte) []byte {
	return list.AppendChunks(b, keep)
}

// keep is a flush function that does not flush: it returns the buffer unchanged.
func keep(b []byte) []byte { return b }

// AppendChunks is like AppendJSON, but calls flush with the JSON so far after each concept, and within long values.
// The function flush returns the buffer to continue with, so it may send the JSON and return an empty buffer.
func (list Concepts) AppendChunks(b []byte, flush func([]byte) []byte) []byte {
	type span struct{ from, to int }
	written := map[*graph.Concept]span{}
	flushed := func(b []byte) []byte {
		if b = flush(b); len(b) == 0 {
			clear(written)
		}
		return b
	}
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		t := &list[i]
		b = appendWithoutType(b, t, flushed)
		b = append(b, `,"type":`...)
		if at, ok := written[t.Type]; ok {
			b = append(b, b[at.from:at.to]...)
		} else {
			from := len(b)
			b = appendType(b, t.Type)
			written[t.Type] = span{from, len(b)}
		}
		b = flushed(append(b, '}'))
	}
	return append(b, ']')
}

// A Character is the text of a concept as a separate record, which older clients request.
type Character struct {
	ID         Int  `json:"id"`
	UserID     Int  `json:"userId"`
	ReferentID Int  `json:"referentId"`
	Data       Text `json:"data"`
	IsNew      Bool `json:"isNew"`
}
