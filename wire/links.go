package wire

import (
	"encoding/json"

	"github.com/weft-graph/weft/graph"
)

// A LinksBetween is a request for the connections between two concepts. The response repeats the request and adds
// ConnectionIDs.
type LinksBetween struct {
	OfTheConceptID Int  `json:"ofTheConceptId"`
	ToTheConceptID Int  `json:"toTheConceptId"`
	TypeID         Int  `json:"typeId"`  // 0 means that Type names the type, or OldType if Type is empty
	Type           Text `json:"type"`    // the name of a type
	OldType        Text `json:"oldType"` // the value of a legacy linker
	Reverse        Bool `json:"reverse"` // from the second concept to the first
	// IsComposition requests all connections inside the composition TypeID and ignores the two concepts.
	IsComposition Bool       `json:"isComposition"`
	ConnectionIDs []graph.ID `json:"connectionIds"` // set in the response
}

// LinksOfTypes is a request for the outgoing connections of a concept that have one of the given types.
type LinksOfTypes struct {
	OfTheConceptID  Int    `json:"ofTheConceptId"`
	ConnectionTypes []Text `json:"connectionTypes"`
}

// UnmarshalJSON implements json.Unmarshaler. The default concept is 2, as in the contract.
func (l *LinksOfTypes) UnmarshalJSON(raw []byte) error {
	type plain LinksOfTypes
	p := plain{OfTheConceptID: 2}
	err := json.Unmarshal(raw, &p)
	*l = LinksOfTypes(p)
	return err
}
