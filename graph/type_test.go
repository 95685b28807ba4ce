package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

func ExampleTypeChain() {
	fmt.Println(graph.TypeChain("the_person_name"))
	// Output: [person the_person name the_person_name]
}

func ExampleWithPrefix() {
	fmt.Println(graph.WithPrefix("name"), graph.WithPrefix("the_name"), graph.WithPrefix("the"))
	// Output: the_name the_name the
}

func TestSplitTypeSplitsAtTheLastUnderscore(t *testing.T) {
	for name, want := range map[string][3]string{
		"the_person_name": {"the_person", "name", "true"},
		"the_person":      {"the", "person", "true"},
		"the_x_":          {"the_x", "", "true"},
		"_x":              {"", "_x", "false"},
		"_":               {"", "_", "false"},
		"person":          {"", "person", "false"},
		"":                {"", "", "false"},
		"a__b":            {"a_", "b", "true"},
	} {
		category, word, ok := graph.SplitType(name)
		if got := [3]string{category, word, fmt.Sprint(ok)}; got != want {
			t.Errorf("SplitType(%q) is %q; want %q", name, got, want)
		}
	}
}

func TestTypeChainListsTheRequiredTypes(t *testing.T) {
	for name, want := range map[string][]string{
		"the":          nil,
		"person":       {"person"},
		"the_person":   {"person", "the_person"},
		"the_phones_s": {"phones", "the_phones", "s", "the_phones_s"},
		"the_x_":       {"x", "the_x", "", "the_x_"},
		"_x":           {"_x"},
		"a_the":        {"a", "a_the"},
		"":             {""},
	} {
		if got := graph.TypeChain(name); !slices.Equal(got, want) {
			t.Errorf("TypeChain(%q) is %q; want %q", name, got, want)
		}
	}
}

func TestTypeChainListsPartsFirst(t *testing.T) {
	chain := graph.TypeChain("the_a_b_the_c__d_")
	for i, name := range chain {
		category, word, ok := graph.SplitType(name)
		if !ok {
			continue
		}
		for _, part := range []string{category, word} {
			if part != "the" && !slices.Contains(chain[:i], part) {
				t.Errorf("in %q, %q comes before its part %q", chain, name, part)
			}
		}
	}
}

func TestCheckTypeNameLimitsLengthAndUnderscores(t *testing.T) {
	for _, name := range []string{"", "the", "the_person", "address", "0", "Ünï", strings.Repeat("_", graph.MaxTypeWords), strings.Repeat("😀", 127)} {
		if err := graph.CheckTypeName(name); err != nil {
			t.Errorf("%q: %v; want no error", name, err)
		}
	}
	for _, name := range []string{"a\x00b", "\xff", strings.Repeat("a", 256), strings.Repeat("😀", 128), strings.Repeat("_", graph.MaxTypeWords+1)} {
		if err := graph.CheckTypeName(name); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%q: %v; want an invalid error", name, err)
		}
	}
}

func TestFixedConceptsAreConsistent(t *testing.T) {
	fixed := map[graph.ID]graph.Concept{}
	for _, c := range graph.Fixed() {
		if _, exists := fixed[c.ID]; exists {
			t.Errorf("concept %d is listed twice", c.ID)
		}
		if c.ID >= graph.FirstFree {
			t.Errorf("id %d is not below FirstFree", c.ID)
		}
		fixed[c.ID] = c
	}
	for id, c := range fixed {
		if !c.IsType() {
			t.Errorf("%d, %q, is not a type", id, c.Value)
		}
		category, word, ok := graph.SplitType(c.Value)
		if !ok {
			continue
		}
		if fixed[c.Category].Value != category || fixed[c.Type].Value != word {
			t.Errorf("%d, %q, has category %q and type %q; want %q and %q", id, c.Value, fixed[c.Category].Value, fixed[c.Type].Value, category, word)
		}
	}
}
