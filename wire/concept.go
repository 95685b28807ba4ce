package wire

import (
	"github.com/weft-graph/weft/graph"
)

// A Concept is the JSON shape of a concept, in requests and in answers.
type Concept struct {
	ID             Int  `json:"id"`
	GhostID        Int  `json:"ghostId"` // the local id it was sent under; id when there was none
	UserID         Int  `json:"userId"`
	TypeID         Int  `json:"typeId"`
	CategoryID     Int  `json:"categoryId"`
	CharacterValue Text `json:"characterValue"`
	AccessID       Int  `json:"accessId"`
	TypeCharacter  Text `json:"typeCharacter"` // the name of the type
	IsComposition  Bool `json:"isComposition"`
	IsTemp         Bool `json:"isTemp"` // true in requests for records that have only a local id
	EntryTimeStamp Time `json:"entryTimeStamp"`
	// Type is nested one level deep in answers, because clients take the keys of their output from it.
	Type *Concept `json:"type"`
}

// Graph is the concept without what the wire adds.
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
	}
}

// A Typed is a concept on its way out, together with the concept of its type.
type Typed struct {
	Concept graph.Concept
	Type    *graph.Concept // nil when there is none
	Ghost   graph.ID       // 0 when it was not sent under a local id
}

// Wire is the same as a Concept.
func (t Typed) Wire() Concept {
	c := bare(t.Concept, t.typeName(), t.Ghost)
	if t.Type != nil {
		nested := bare(*t.Type, "", 0)
		c.Type = &nested
	}
	return c
}

func (t *Typed) typeName() string {
	if t.Type == nil {
		return ""
	}
	return t.Type.Value
}

func bare(c graph.Concept, typeName string, ghost graph.ID) Concept {
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
	}
}

// AppendJSON appends what json.Marshal makes of Wire, without allocating.
func (t Typed) AppendJSON(b []byte) []byte {
	b = appendBare(b, &t.Concept, t.typeName(), t.Ghost)
	b = appendType(append(b, `,"type":`...), t.Type)
	return append(b, '}')
}

func appendType(b []byte, typ *graph.Concept) []byte {
	if typ == nil {
		return append(b, "null"...)
	}
	b = appendBare(b, typ, "", 0)
	return append(b, `,"type":null}`...)
}

func appendBare(b []byte, c *graph.Concept, typeName string, ghost graph.ID) []byte {
	if ghost == 0 {
		ghost = c.ID
	}
	b = appendInt(b, `{"id":`, c.ID)
	b = appendInt(b, `,"ghostId":`, ghost)
	b = appendInt(b, `,"userId":`, c.Owner)
	b = appendInt(b, `,"typeId":`, c.Type)
	b = appendInt(b, `,"categoryId":`, c.Category)
	b = append(b, `,"characterValue":`...)
	b = appendText(b, c.Value)
	b = appendInt(b, `,"accessId":`, c.Access)
	b = append(b, `,"typeCharacter":`...)
	b = appendText(b, typeName)
	b = append(b, `,"isComposition":`...)
	b = appendBool(b, c.Composition)
	b = append(b, `,"isTemp":false,"entryTimeStamp":`...)
	return appendTime(b, c.Created)
}

// Concepts is a list of concepts in an answer.
type Concepts []Typed

// AppendJSON appends the list as a JSON array. Lists have few types, so each is written once and then
// copied.
func (list Concepts) AppendJSON(b []byte) []byte {
	type span struct{ from, to int }
	written := map[*graph.Concept]span{}
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		t := &list[i]
		b = appendBare(b, &t.Concept, t.typeName(), t.Ghost)
		b = append(b, `,"type":`...)
		if at, ok := written[t.Type]; ok {
			b = append(b, b[at.from:at.to]...)
		} else {
			from := len(b)
			b = appendType(b, t.Type)
			written[t.Type] = span{from, len(b)}
		}
		b = append(b, '}')
	}
	return append(b, ']')
}
