package wire

import (
	"fmt"
	"hash/fnv"

	"github.com/weft-graph/weft/graph"
)

// A NewConcept is a concept to create under a reserved id. A negative id is a local id, as in a Sync.
type NewConcept struct {
	Concept
	ReferentID *Int `json:"referentId"` // 0 marks the main concept of a composition if it has no value
}

// NewConceptDrafts returns the drafts of concepts, with their kinds as in Sync.Batch. name returns the name of a
// stored type. The errors are Invalid and those of name, with the position of the concept.
func NewConceptDrafts(sent []NewConcept, name func(graph.ID) (string, error)) ([]graph.ConceptDraft, error) {
	drafts := make([]graph.ConceptDraft, len(sent))
	for i, c := range sent {
		d, err := c.draft(name)
		if err != nil {
			return nil, graph.Wrap(graph.KindOf(err), err, "concept %d of the request (id %d)", i, c.ID)
		}
		drafts[i] = d
	}
	return drafts, nil
}

// draft returns the draft of the concept.
func (c NewConcept) draft(name func(graph.ID) (string, error)) (graph.ConceptDraft, error) {
	if c.CharacterValue == "" && c.ReferentID != nil && *c.ReferentID == 0 {
		c.IsComposition = true
	}
	d, err := conceptDraft(c.Concept, name)
	switch {
	case err != nil:
		return d, err
	case c.ID == 0:
		return d, graph.Errorf(graph.Invalid, "it needs an id that was reserved")
	case c.ID > 0:
		d.ID = graph.ID(c.ID)
	default:
		d.LocalID = graph.ID(c.ID)
	}
	return d, nil
}

// A NewConnection is a connection to create. Its id is reserved, or invented by the client (isTemp), or 0.
type NewConnection struct {
	Connection
	IsTemp        Bool `json:"isTemp"`
	ApplicationID Int  `json:"applicationId"` // graph.Sender.Randomizer
}

// NewConnectionDrafts returns the drafts of connections. If reserved is true, an id without isTemp is a reserved
// id and is kept. An invented id is replaced by a local id that depends only on the connection, so that sending
// the connection again has no effect. Empty connections (see isEmpty) are left out.
func NewConnectionDrafts(sent []NewConnection, reserved bool) []graph.ConnectionDraft {
	drafts := make([]graph.ConnectionDraft, 0, len(sent))
	for _, c := range sent {
		if c.isEmpty() {
			continue
		}
		d := connectionDraft(c.Connection)
		switch id := graph.ID(c.ID); {
		case id.IsReal() && reserved && !bool(c.IsTemp):
			d.LocalID, d.ID = 0, id
		case id.IsReal():
			d.LocalID = c.localID()
		}
		drafts = append(drafts, d)
	}
	return drafts
}

// localID derives a local id from all identifying fields of the connection. The id alone is not enough, because
// clients choose invented ids at random from a small range, so that collisions are likely.
func (c NewConnection) localID() graph.ID {
	h := fnv.New64a()
	fmt.Fprint(h, c.ID, c.OfTheConceptID, c.ToTheConceptID, c.TypeID, c.TypeCharacter)
	return -1 - graph.ID(h.Sum64()%uint64(graph.MaxID))
}
