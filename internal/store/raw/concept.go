package raw

import (
	"time"

	"github.com/weft-graph/weft/graph"
)

// ConceptIn returns the concept in a row of the table Concept. The error is Invalid for other rows.
func ConceptIn(row Row) (graph.Concept, error) {
	if len(row) != len(Concept.Columns) {
		return graph.Concept{}, graph.Errorf(graph.Invalid, "a row of %d columns is not a concept", len(row))
	}
	value, ok := row[3].(string)
	place, isText := row[8].(string)
	position, err := graph.ParsePosition(place)
	ok = ok && isText && err == nil
	numbers := make([]int64, len(row))
	for i, v := range row {
		if i != 3 && i != 8 {
			n, isNumber := v.(int64)
			numbers[i], ok = n, ok && isNumber
		}
	}
	if !ok {
		return graph.Concept{}, graph.Errorf(graph.Invalid, "row %v is not a concept", row[0])
	}
	return graph.Concept{
		ID: graph.ID(numbers[0]), Type: graph.ID(numbers[1]), Category: graph.ID(numbers[2]), Value: value,
		Owner: graph.ID(numbers[4]), Access: graph.Access(numbers[5]), Composition: numbers[6] != 0,
		Created: time.UnixMilli(numbers[7]).UTC(), Position: position,
	}, nil
}
