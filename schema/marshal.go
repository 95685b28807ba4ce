package schema

import (
	"cmp"
	"slices"

	"github.com/weft-graph/weft/composition"
)

// MarshalJSON returns the canonical form: keys in alphabetical order, no white space, numbers as JavaScript writes them, and no
// members that are false or empty.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.Value().AppendJSON(nil), nil }

// Value returns the canonical form as a JSON value.
func (s *Schema) Value() composition.Value {
	types := composition.RecordValue()
	for _, name := range s.Names() {
		types.Members = append(types.Members, composition.Member{Key: name, Value: s.Types[name].Value()})
	}
	return composition.RecordValue(composition.Member{Key: "types", Value: types})
}

// Value returns the canonical form of the type as a JSON value.
func (t *Type) Value() composition.Value {
	return composition.RecordValue(composition.Member{Key: "fields", Value: fieldsValue(t.Fields)})
}

func fieldsValue(fields map[string]*Field) composition.Value {
	v := composition.RecordValue()
	for _, name := range sortedNames(fields) {
		v.Members = append(v.Members, composition.Member{Key: name, Value: fields[name].Value()})
	}
	return v
}

// Value returns the canonical form of the field as a JSON value.
func (f *Field) Value() composition.Value {
	v := composition.RecordValue()
	add := func(key string, isSet bool, value composition.Value) {
		if isSet {
			v.Members = append(v.Members, composition.Member{Key: key, Value: value})
		}
	}
	yes := composition.Value{Kind: composition.Bool, Text: "true"}
	add("kind", true, composition.TextValue(string(f.Kind)))
	add("required", f.Required, yes)
	add("unique", f.Unique, yes)
	add("restricted", f.Restricted, yes)
	add("pattern", f.Pattern != "", composition.TextValue(f.Pattern))
	add("format", f.Format != "", composition.TextValue(string(f.Format)))
	add("inverse", f.Inverse != "", composition.TextValue(f.Inverse))
	add("was", f.Was != nil, textsValue(f.Was))
	add("choices", f.Choices != nil, textsValue(f.Choices))
	add("targets", f.Targets != nil, textsValue(f.Targets))
	add("min", f.Min != nil, boundValue(f.Kind, f.Min))
	add("max", f.Max != nil, boundValue(f.Kind, f.Max))
	if f.Default != nil {
		add("default", true, canonicalValue(*f.Default))
	}
	if f.Of != nil {
		add("of", true, f.Of.Value())
	}
	add("fields", f.Fields != nil, fieldsValue(f.Fields))
	slices.SortFunc(v.Members, func(a, b composition.Member) int { return cmp.Compare(a.Key, b.Key) })
	return v
}

func textsValue(texts []string) composition.Value {
	v := composition.ListValue()
	for _, text := range texts {
		v.Members = append(v.Members, composition.Member{Value: composition.TextValue(text)})
	}
	return v
}

func boundValue(kind Kind, b *Bound) composition.Value {
	switch {
	case b == nil:
		return composition.Value{}
	case kind.isTime():
		return composition.TextValue(b.Text)
	default:
		return composition.Value{Kind: composition.Number, Text: formatNumber(b.Number)}
	}
}

// canonicalValue returns a JSON value with sorted keys and with numbers as JavaScript writes them.
func canonicalValue(v composition.Value) composition.Value {
	switch v.Kind {
	case composition.Number:
		n, _ := parseNumber(v.Text)
		v.Text = formatNumber(n)
	case composition.List, composition.Record:
		v.Members = slices.Clone(v.Members)
		for i := range v.Members {
			v.Members[i].Value = canonicalValue(v.Members[i].Value)
		}
		if v.Kind == composition.Record {
			slices.SortFunc(v.Members, func(a, b composition.Member) int { return cmp.Compare(a.Key, b.Key) })
		}
	default:
	}
	return v
}
