package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// Normal says how the values of a type usually are.
type Normal struct {
	MinLength int        `json:"min_length"` // in UTF-16 units
	MaxLength int        `json:"max_length"`
	DataTypes []DataType `json:"data_types"` // those that were seen, the most specific first
}

// A Verdict is what a value looks like among the others of its type.
type Verdict struct {
	Valid    bool     `json:"valid"`
	Warnings []string `json:"warnings"` // a valid value has one as well, which says why
}

// Judge compares a value with what is normal for its type, by the type's full name.
func Judge(normal map[string]Normal, typ, value string) Verdict {
	if value == "" {
		return Verdict{Warnings: []string{"Null value"}}
	}
	typ = graph.WithPrefix(typ)
	n, known := normal[typ]
	if !known {
		return Verdict{Warnings: []string{"No concept details found for type: " + typ}}
	}
	if warnings := n.warnings(value); len(warnings) > 0 {
		return Verdict{Warnings: warnings}
	}
	why := fmt.Sprintf("Concept %s is valid. Length: %d, Type: %s", typ, Length(value), Detect(value))
	return Verdict{Valid: true, Warnings: []string{why}}
}

func (n Normal) warnings(value string) (found []string) {
	length, detected := Length(value), Detect(value)
	if length < n.MinLength || length > n.MaxLength {
		found = append(found, fmt.Sprintf(
			"Length of '%s' is outside the allowed range (min: %d, max: %d). Current length: %d.", value, n.MinLength, n.MaxLength, length))
	}
	if !slices.Contains(n.DataTypes, detected) {
		found = append(found, fmt.Sprintf(
			"Type mismatch for '%s'. Expected types: %s, detected type: %s.", value, n.expected(), detected))
	}
	return found
}

func (n Normal) expected() string {
	names := make([]string, len(n.DataTypes))
	for i, d := range n.DataTypes {
		names[i] = string(d)
	}
	return strings.Join(names, ", ")
}

// A Sample gathers values of a type to learn what is normal for it.
type Sample struct {
	lengths []int
	seen    map[DataType]bool
}

// Add counts a value. The empty one says nothing.
func (s *Sample) Add(value string) {
	if value == "" {
		return
	}
	if s.seen == nil {
		s.seen = map[DataType]bool{}
	}
	s.lengths = append(s.lengths, Length(value))
	s.seen[Detect(value)] = true
}

// Normal is what the sample shows, and whether there was anything in it. The range of lengths leaves out one
// value in 200 at either end, so that a few odd ones do not widen it, and then adds a quarter of its width
// and one unit on both sides, so that a sample need not hold the longest and the shortest of all.
func (s *Sample) Normal() (Normal, bool) {
	if len(s.lengths) == 0 {
		return Normal{}, false
	}
	slices.Sort(s.lengths)
	last := len(s.lengths) - 1
	least, most := s.lengths[last/200], s.lengths[last-last/200]
	margin := (most-least)/4 + 1
	n := Normal{MinLength: max(1, least-margin), MaxLength: most + margin}
	for _, d := range specific {
		if s.seen[d] {
			n.DataTypes = append(n.DataTypes, d)
		}
	}
	return n, true
}
