package schema_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// fullContact has a value in every field.
func fullContact() Contact {
	return Contact{
		ID: 100_001, Name: "Ann", Email: new("ann@example.org"), Age: new(0), Score: 1e21, VIP: true,
		Joined: new(schema.Day("2026-02-28")), Seen: new(time.Date(2026, 2, 28, 9, 0, 0, 5_000_000, time.UTC)),
		Stage: "customer", Notes: "two\nlines", Code: "abc", Tags: []string{"a", "b"},
		Address: &Address{ZipCode: "0150", URL: "https://example.org"}, Phones: []Phone{{"1"}, {"2"}},
		Photo: &schema.StoredFile{URL: "/a.png", Name: "a.png", Type: "image/png", Size: 5},
		Meta:  json.RawMessage(`{"a":[1,null]}`), Extra: map[string]any{"b": true},
	}
}

func TestAStructReadsBackAsWritten(t *testing.T) {
	s, err := schema.Define(Contact{}, Company{})
	if err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string]Contact{
		"all fields": fullContact(),
		"some":       {ID: 100_001, Name: "Bo", Address: &Address{ZipCode: "1"}, Stage: "lead", Tags: []string{}, Phones: []Phone{}},
	} {
		typed, err := schema.ValueOf(given)
		if err != nil {
			t.Fatal(err)
		}
		stored, refusals := s.Types["contact"].Encode(typed, time.Now())
		if len(refusals) > 0 {
			t.Fatalf("%s: %v", name, refusals)
		}
		decoded, malformed := s.Types["contact"].Decode(stored)
		if len(malformed) > 0 {
			t.Fatalf("%s: malformed %v", name, malformed)
		}
		got := Contact{ID: given.ID}
		if err := schema.Read(decoded, &got); err != nil {
			t.Fatal(err)
		}
		if name == "some" {
			got.Joined, given.Score = nil, 0 // Joined has the day of creation as its default
		}
		if diff := cmp.Diff(given, got, cmpopts.IgnoreUnexported(Contact{}), cmpopts.IgnoreFields(Contact{}, "Hidden")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestLinksAreIDsOrRecords(t *testing.T) {
	company := &Company{Label: "Acme"}
	typed, err := schema.ValueOf(Contact{
		Company: &schema.One[Company]{Record: company}, Manager: new(schema.To[Contact](-5)), Reports: schema.ToAll[Contact](7, 8),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := typed.Get("company").String() + typed.Get("manager").String() + typed.Get("reports").String(); got != "null-5[7,8]" {
		t.Errorf("the links = %s; want null, -5 and [7,8]", got)
	}
	var c Contact
	if err := typed.UnmarshalJSON([]byte(`{"id": 9, "company": {"id": 7, "label": "Acme"}, "reports": [{"id": 8, "name": "Bo"}], "manager": 3}`)); err != nil {
		t.Fatal(err)
	}
	if err := schema.Read(typed, &c); err != nil {
		t.Fatal(err)
	}
	if c.ID != 9 || c.Company.ID != 7 || c.Company.Record.Label != "Acme" || c.Reports[0].Record.Name != "Bo" || c.Manager.ID != 3 || c.Manager.Record != nil {
		t.Errorf("read %+v", c)
	}
}

func TestValuesThatDoNotFitAreRefused(t *testing.T) {
	if _, err := schema.ValueOf(struct{ A float64 }{math.NaN()}); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "a: NaN") {
		t.Errorf("NaN: %v", err)
	}
	if _, err := schema.ValueOf(5); graph.KindOf(err) != graph.Invalid {
		t.Errorf("a number as a record: %v; want the kind invalid", err)
	}
	var small struct{ A int8 }
	v, _ := schema.ValueOf(struct{ A int }{300})
	if err := schema.Read(v, &small); graph.KindOf(err) != graph.Invalid || !strings.Contains(err.Error(), "300 does not fit int8") {
		t.Errorf("300 as int8: %v", err)
	}
}

func TestWithLinkedFindsAllStructs(t *testing.T) {
	if all := schema.WithLinked(Company{}); len(all) != 2 || schema.IDOf(all[1]) != graph.ID(0) {
		t.Errorf("found %T", all)
	}
}
