package schema

import (
	"cmp"
	"maps"
	"slices"
)

// A Difference is a field that two schemas describe differently, or a whole type if Field is "".
type Difference struct {
	Type   string `json:"type"`
	Field  string `json:"field,omitempty"`
	Before string `json:"before,omitempty"` // canonical JSON of the field; "" if it was added
	After  string `json:"after,omitempty"`  // canonical JSON of the field; "" if it was removed
}

// Diff returns the differences between two schemas, in order of types and fields. A type that is in one schema only is
// a single difference: Before or After is the canonical JSON of the type.
func Diff(before, after *Schema) []Difference {
	var found []Difference
	names := slices.AppendSeq(slices.Collect(maps.Keys(before.Types)), maps.Keys(after.Types))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		switch old, typ := before.Types[name], after.Types[name]; {
		case old == nil:
			found = append(found, Difference{Type: name, After: typ.Value().String()})
		case typ == nil:
			found = append(found, Difference{Type: name, Before: old.Value().String()})
		default:
			found = append(found, diffFields(name, old.Fields, typ.Fields)...)
		}
	}
	return found
}

func diffFields(typ string, before, after map[string]*Field) []Difference {
	var found []Difference
	for name, f := range before {
		d := Difference{Type: typ, Field: name, Before: f.Value().String()}
		if present := after[name]; present != nil {
			d.After = present.Value().String()
		}
		if d.Before != d.After {
			found = append(found, d)
		}
	}
	for name, f := range after {
		if before[name] == nil {
			found = append(found, Difference{Type: typ, Field: name, After: f.Value().String()})
		}
	}
	slices.SortFunc(found, func(a, b Difference) int { return cmp.Compare(a.Field, b.Field) })
	return found
}
