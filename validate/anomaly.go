package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// TypeNorms describes the usual values of a type.
type TypeNorms struct {
	MinLength int        `json:"min_length"` // in UTF-16 units
	MaxLength int        `json:"max_length"` // in UTF-16 units
	DataTypes []DataType `json:"data_types"` // data types of the sampled values, most specific first
}

// An AnomalyResult is the result of CheckAnomaly.
type AnomalyResult struct {
	Valid    bool     `json:"valid"`
	Warnings []string `json:"warnings"` // never empty; for a valid value, one message that states this
}

// CheckAnomaly compares a value with the usual values of its type. The keys of norms are type names with the prefix
// "the_". An empty value and a value of a type without norms are not valid.
func CheckAnomaly(norms map[string]TypeNorms, typ, value string) AnomalyResult {
	if value == "" {
		return AnomalyResult{Warnings: []string{"Null value"}}
	}
	typ = graph.WithPrefix(typ)
	n, known := norms[typ]
	if !known {
		return AnomalyResult{Warnings: []string{"No concept details found for type: " + typ}}
	}
	if warnings := n.warnings(value); len(warnings) > 0 {
		return AnomalyResult{Warnings: warnings}
	}
	message := fmt.Sprintf("Concept %s is valid. Length: %d, Type: %s", typ, Length(value), DetectDataType(value))
	return AnomalyResult{Valid: true, Warnings: []string{message}}
}

// warnings describes how a value deviates from the usual ones.
func (n TypeNorms) warnings(value string) (found []string) {
	length, detected := Length(value), DetectDataType(value)
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

// expected returns the names of the data types, as a warning lists them.
func (n TypeNorms) expected() string {
	names := make([]string, len(n.DataTypes))
	for i, d := range n.DataTypes {
		names[i] = string(d)
	}
	return strings.Join(names, ", ")
}

// A Sample collects values of a type and derives TypeNorms from them. The zero value is ready to use.
type Sample struct {
	lengths []int             // lengths of the values, in UTF-16 units
	seen    map[DataType]bool // data types of the values
}

// Add adds a value. Empty values are ignored.
func (s *Sample) Add(value string) {
	if value == "" {
		return
	}
	if s.seen == nil {
		s.seen = map[DataType]bool{}
	}
	s.lengths = append(s.lengths, Length(value))
	s.seen[DetectDataType(value)] = true
}

// Norms returns the TypeNorms of the sample, or false if the sample is empty. The range of lengths excludes the
// shortest and longest 0.5 % of values as outliers. It is then extended on both sides by a quarter of its width
// and one unit, because a sample rarely contains the extremes.
func (s *Sample) Norms() (TypeNorms, bool) {
	if len(s.lengths) == 0 {
		return TypeNorms{}, false
	}
	slices.Sort(s.lengths)
	last := len(s.lengths) - 1
	shortest, longest := s.lengths[last/200], s.lengths[last-last/200]
	margin := (longest-shortest)/4 + 1
	n := TypeNorms{MinLength: max(1, shortest-margin), MaxLength: longest + margin}
	for _, d := range bySpecificity {
		if s.seen[d] {
			n.DataTypes = append(n.DataTypes, d)
		}
	}
	return n, true
}
