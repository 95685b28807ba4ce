package wire

import (
	"bytes"
	"fmt"
	"hash/fnv"

	"github.com/weft-graph/weft/graph"
)

// A NewConcept is a concept made online: its id was reserved before. A negative one is a ghost, as in a Sync.
type NewConcept struct {
	Concept
	ReferentID *Int `json:"referentId"` // clients send 0 for the head of a record, which they do not mark otherwise
}

// NewConceptDrafts classifies concepts as Sync.Batch does.
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

func (c NewConcept) draft(name func(graph.ID) (string, error)) (graph.ConceptDraft, error) {
	if c.CharacterValue == "" && c.ReferentID != nil && *c.ReferentID == 0 {
		c.IsComposition = true
	}
	d, err := concept(c.Concept, name)
	switch {
	case err != nil:
		return d, err
	case c.ID == 0:
		return d, graph.Errorf(graph.Invalid, "it needs an id that was reserved")
	case c.ID > 0:
		d.ID = graph.ID(c.ID)
	default:
		d.Ghost = graph.ID(c.ID)
	}
	return d, nil
}

// A NewConnection is a connection made online. Its id was reserved before, or made up (isTemp), or is 0.
type NewConnection struct {
	Connection
	IsTemp        Bool `json:"isTemp"`
	ApplicationID Int  `json:"applicationId"` // the sender's Randomizer
}

// NewConnectionDrafts are what connections made online become. A reserved id is kept, if reserved says that
// there may be any; one that was made up stands for a ghost, so that the same connection sent again is known
// again. All-zero connections come to nothing and are left out.
func NewConnectionDrafts(sent []NewConnection, reserved bool) []graph.ConnectionDraft {
	drafts := make([]graph.ConnectionDraft, 0, len(sent))
	for _, c := range sent {
		if c.none() {
			continue
		}
		d := connection(c.Connection)
		switch id := graph.ID(c.ID); {
		case id.Real() && reserved && !bool(c.IsTemp):
			d.Ghost, d.ID = 0, id
		case id.Real():
			d.Ghost = c.ghost()
		}
		drafts = append(drafts, d)
	}
	return drafts
}

// ghost is made of all that tells the connection from others: clients draw its id from so few numbers that
// two of them meet sooner or later.
func (c NewConnection) ghost() graph.ID {
	h := fnv.New64a()
	fmt.Fprint(h, c.ID, c.OfTheConceptID, c.ToTheConceptID, c.TypeID, c.TypeCharacter)
	return -1 - graph.ID(h.Sum64()%uint64(graph.MaxID))
}

// DecodeList reads a JSON list, or one item alone.
func DecodeList[T any](data []byte) ([]T, error) {
	if bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		var one T
		err := Decode(data, &one)
		return []T{one}, err
	}
	var list []T
	err := Decode(data, &list)
	return list, err
}

// A Character is a text on its own, as clients keep it apart from the concept that holds it.
type Character struct {
	ID         Int  `json:"id"`
	UserID     Int  `json:"userId"`
	ReferentID Int  `json:"referentId"`
	Data       Text `json:"data"`
	IsNew      Bool `json:"isNew"`
}
