package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
	"github.com/weft-graph/weft/validate"
)

func TestDataTypeCases(t *testing.T) {
	covered := map[validate.DataType]bool{}
	spec.RunCases(t, "datatype", func(t *testing.T, c spec.Case) {
		given := spec.Given[struct {
			DataType validate.DataType `json:"dataType"`
			Values   []string          `json:"values"`
		}](t, c)
		covered[given.DataType] = true
		accepted := []string{}
		for _, v := range given.Values {
			if given.DataType.Accepts(v) {
				accepted = append(accepted, v)
			}
		}
		if diff := cmp.Diff(spec.Want[[]string](t, c), accepted); diff != "" {
			t.Error(diff)
		}
	})
	for d := range validate.DataTypes {
		if !covered[d] {
			t.Errorf("no case covers data type %s", d)
		}
	}
}

func TestFieldCases(t *testing.T) {
	spec.RunCases(t, "validate", func(t *testing.T, c spec.Case) {
		given := spec.Given[struct {
			validate.Field
			validate.Input
			Taken map[string][]string `json:"taken"` // values by type
		}](t, c)
		got, err := given.Check(given.Input, func(typ, value string) (bool, error) {
			return slices.Contains(given.Taken[typ], value), nil
		})
		if c.WantsError(t, err) {
			return
		}
		if diff := cmp.Diff(spec.Want[validate.Messages](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnomalyCases(t *testing.T) {
	spec.RunCases(t, "anomaly", func(t *testing.T, c spec.Case) {
		given := spec.Given[struct {
			Normal map[string]validate.TypeNorms `json:"normal"`
			Type   string                        `json:"type"`
			Value  string                        `json:"value"`
		}](t, c)
		got := validate.CheckAnomaly(given.Normal, given.Type, given.Value)
		if diff := cmp.Diff(spec.Want[validate.AnomalyResult](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDetectDataTypeReturnsTheMostSpecificType(t *testing.T) {
	for text, want := range map[string]validate.DataType{
		"5": validate.Number, "5.5": validate.Number, "-1": validate.Text, "abc": validate.TextOnly,
		"a@b.co": validate.Email, "12:30": validate.Time, "2025-01-01": validate.Date, "x.pdf": validate.Document,
		"a.svg": validate.Image, "a.mp3": validate.Sound, "a.webm": validate.Video, "example.com": validate.URL,
		"1.2.3.4": validate.IPAddress, "123e4567-e89b-12d3-a456-426614174000": validate.UUID,
		"O'Brien": validate.Text, "123456": validate.Number,
	} {
		if got := validate.DetectDataType(text); got != want {
			t.Errorf("DetectDataType(%q) is %s; want %s", text, got, want)
		}
	}
}

// A backtracking regular expression would take practically forever on these values.
func TestDataTypesRunInLinearTime(t *testing.T) {
	long := []string{
		"http://a.co/" + strings.Repeat("a", 200_000) + "!", strings.Repeat("a.", 200_000) + "!",
		strings.Repeat("a", 200_000) + "@" + strings.Repeat("b.", 100_000), strings.Repeat("1", 400_000) + "x",
		strings.Repeat("a ", 200_000) + "1", strings.Repeat("f:", 200_000),
	}
	for _, text := range long {
		for d := range validate.DataTypes {
			if d != validate.Text && d != validate.Password && d.Accepts(text) {
				t.Errorf("%s accepts %.20q…", d, text)
			}
		}
	}
}

func TestNormsExcludeOutliers(t *testing.T) {
	var s validate.Sample
	if _, ok := s.Norms(); ok {
		t.Error("an empty sample has norms")
	}
	s.Add("")
	for range 499 {
		s.Add("seven77")
	}
	for range 500 {
		s.Add("eleven+more")
	}
	s.Add(strings.Repeat("long", 100)) // an outlier: one in a thousand
	want := validate.TypeNorms{MinLength: 5, MaxLength: 13, DataTypes: []validate.DataType{validate.TextOnly, validate.Text}}
	got, _ := s.Norms()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLengthCountsUTF16Units(t *testing.T) {
	if n := validate.Length("a😀é"); n != 4 {
		t.Errorf("%d units; want 4", n)
	}
}

func TestCheckReturnsTheErrorOfIsTaken(t *testing.T) {
	f := validate.Field{Type: "email", Unique: true}
	_, err := f.Check(validate.Input{Value: "a"}, func(string, string) (bool, error) {
		return false, graph.Errorf(graph.Unavailable, "not now")
	})
	if got := graph.KindOf(err); got != graph.Unavailable {
		t.Errorf("the error is %q; want unavailable", got)
	}
}
