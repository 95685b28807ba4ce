package wire

import (
	"encoding/json"

	"github.com/weft-graph/weft/graph"
)

// A Between asks for the connections between two concepts, and is answered with their ids.
type Between struct {
	OfTheConceptID Int  `json:"ofTheConceptId"`
	ToTheConceptID Int  `json:"toTheConceptId"`
	TypeID         Int  `json:"typeId"`  // when it is 0, Type names it, or else OldType
	Type           Text `json:"type"`    // the name of a type
	OldType        Text `json:"oldType"` // the value of a legacy linker
	Reverse        Bool `json:"reverse"` // from the second concept to the first
	// IsComposition asks for everything inside the composition that TypeID names, whatever the concepts.
	IsComposition Bool       `json:"isComposition"`
	ConnectionIDs []graph.ID `json:"connectionIds"` // in the answer
}

// LinksOfTypes asks for the connections of some types that leave a concept.
type LinksOfTypes struct {
	OfTheConceptID  Int    `json:"ofTheConceptId"`
	ConnectionTypes []Text `json:"connectionTypes"`
}

// UnmarshalJSON knows the concept that is meant when none is named.
func (l *LinksOfTypes) UnmarshalJSON(raw []byte) error {
	type plain LinksOfTypes
	p := plain{OfTheConceptID: 2}
	err := json.Unmarshal(raw, &p)
	*l = LinksOfTypes(p)
	return err
}
