package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/schema"
)

// A schemaResult is the result of reading a schema.
type schemaResult struct {
	Canonical string      `json:"canonical,omitempty"`
	Problems  []placeRule `json:"problems,omitempty"`
}

// A placeRule is a problem without its message.
type placeRule struct {
	Type  string `json:"type,omitempty"`
	Field string `json:"field,omitempty"`
	Rule  string `json:"rule"`
}

func TestSchemaCases(t *testing.T) {
	spec.RunCases(t, "schema", func(t *testing.T, c spec.Case) {
		var got schemaResult
		s, err := schema.Parse(c.Given)
		if err != nil {
			for _, p := range schema.ProblemsOf(err) {
				got.Problems = append(got.Problems, placeRule{p.Type, p.Field, p.Rule})
			}
		} else {
			got.Canonical = canonical(t, s)
			again, err := schema.Parse([]byte(got.Canonical))
			if err != nil || canonical(t, again) != got.Canonical {
				t.Errorf("the canonical form reads as another schema: %v", err)
			}
		}
		compare(t, c, got)
	})
}

func canonical(t *testing.T, s *schema.Schema) string {
	t.Helper()
	data, err := s.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A valueResult is the result of encoding or decoding a value.
type valueResult struct {
	Stored    *composition.Value `json:"stored,omitempty"`
	Value     *composition.Value `json:"value,omitempty"`
	Refusals  []schema.Refusal   `json:"refusals,omitempty"`
	Malformed []string           `json:"malformed,omitempty"`
}

func TestValueCases(t *testing.T) {
	covered := map[schema.Kind]bool{}
	spec.RunCases(t, "value", func(t *testing.T, c spec.Case) {
		given := spec.Given[struct {
			Field  composition.Value   `json:"field"`
			Encode []composition.Value `json:"encode"`
			Decode []composition.Value `json:"decode"`
		}](t, c)
		f := parseField(t, given.Field)
		covered[f.Kind] = true
		var got []valueResult
		for _, v := range given.Encode {
			stored, refusals := f.Encode(expand(v))
			if refusals == nil {
				got = append(got, valueResult{Stored: &stored})
			} else {
				got = append(got, valueResult{Refusals: refusals})
			}
		}
		for _, v := range given.Decode {
			value, malformed := f.Decode(expand(v))
			got = append(got, valueResult{Value: &value, Malformed: malformed})
		}
		compare(t, c, got)
	})
	for _, k := range []schema.Kind{
		schema.KindText, schema.KindLongText, schema.KindInteger, schema.KindNumber, schema.KindBoolean, schema.KindDate, schema.KindDateTime, schema.KindJSON, schema.KindFile,
		schema.KindChoice, schema.KindList, schema.KindRecord,
	} {
		if !covered[k] {
			t.Errorf("no case covers kind %s", k)
		}
	}
}

// parseField returns the field that v describes. It is the only field of its schema.
func parseField(t *testing.T, v composition.Value) *schema.Field {
	t.Helper()
	fields := composition.RecordValue(composition.Member{Key: "value", Value: v})
	typ := composition.RecordValue(composition.Member{Key: "fields", Value: fields})
	types := composition.RecordValue(composition.Member{Key: "example", Value: typ})
	s, problems := schema.FromValue(composition.RecordValue(composition.Member{Key: "types", Value: types}))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s.Types["example"].Fields["value"]
}

// expand replaces {"$number": "NaN"} with that number and {"$repeat": [text, n]} with the repeated text, at any depth.
func expand(v composition.Value) composition.Value {
	if n := v.Get("$number"); n.Kind == composition.Text {
		return composition.Value{Kind: composition.Number, Text: n.Text}
	}
	if r := v.Get("$repeat"); r.Kind == composition.List {
		var times int
		_ = json.Unmarshal([]byte(r.Members[1].Value.Text), &times)
		return composition.TextValue(strings.Repeat(r.Members[0].Value.Text, times))
	}
	for i := range v.Members {
		v.Members[i].Value = expand(v.Members[i].Value)
	}
	return v
}

func TestRecordCases(t *testing.T) {
	now := time.Date(2026, 2, 28, 9, 30, 0, 0, time.UTC)
	spec.RunCases(t, "record", func(t *testing.T, c spec.Case) {
		given := spec.Given[struct {
			Schema composition.Value  `json:"schema"`
			Type   string             `json:"type"`
			Create *composition.Value `json:"create"`
			Change *composition.Value `json:"change"`
			Check  *composition.Value `json:"check"`
			Decode *composition.Value `json:"decode"`
		}](t, c)
		s, problems := schema.FromValue(given.Schema)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		typ := s.Types[given.Type]
		var got valueResult
		switch {
		case given.Create != nil:
			stored, refusals := typ.Encode(*given.Create, now)
			got = valueResult{Stored: &stored, Refusals: refusals}
		case given.Change != nil:
			stored, refusals := typ.EncodeChanges(*given.Change)
			got = valueResult{Stored: &stored, Refusals: refusals}
		case given.Check != nil:
			got.Refusals = typ.Check(*given.Check)
		default:
			value, malformed := typ.Decode(*given.Decode)
			got = valueResult{Value: &value, Malformed: malformed}
		}
		if got.Refusals != nil {
			got.Stored = nil
		}
		compare(t, c, got)
	})
}

// compare compares a result with the expected one, both as JSON. Long strings in the expected result are expanded.
func compare(t *testing.T, c spec.Case, got any) {
	t.Helper()
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want, err := composition.Parse(c.Want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(expand(want).String(), string(data)); diff != "" {
		t.Errorf("%s\ngot %s", diff, graph.Clip(string(data)))
	}
}
