package graph_test

import (
	"cmp"
	"encoding/hex"
	"math/big"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
)

func TestPredicatesHoldAsInTheSpec(t *testing.T) {
	type given struct {
		Fold   *string  `json:"fold"`
		Keys   []string `json:"sortKeys"`
		Op     graph.Op `json:"op"`
		Text   string   `json:"text"`
		Values []string `json:"values"`
	}
	spec.RunCases(t, "predicate", func(t *testing.T, c spec.Case) {
		g := spec.Given[given](t, c)
		if g.Fold != nil {
			if diff := gocmp.Diff(spec.Want[string](t, c), graph.Fold(*g.Fold)); diff != "" {
				t.Error(diff)
			}
			return
		}
		if g.Keys != nil {
			keys := []string{}
			for _, value := range g.Keys {
				keys = append(keys, hex.EncodeToString([]byte(graph.SortKeyOf(value))))
			}
			if diff := gocmp.Diff(spec.Want[[]string](t, c), keys); diff != "" {
				t.Error(diff)
			}
			return
		}
		holds := []string{}
		for _, value := range g.Values {
			if (graph.Predicate{Op: g.Op, Text: g.Text}).Holds(graph.Concept{Value: value}) {
				holds = append(holds, value)
			}
		}
		if diff := gocmp.Diff(spec.Want[[]string](t, c), holds); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOpsListsEveryOperator compares Ops with the constants of predicate.go.
func TestOpsListsEveryOperator(t *testing.T) {
	source, err := os.ReadFile("predicate.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared []graph.Op
	for _, match := range regexp.MustCompile(`(?m)^\t\w+ +Op = "(.*)"$`).FindAllSubmatch(source, -1) {
		declared = append(declared, graph.Op(match[1]))
	}
	if diff := gocmp.Diff(declared, graph.Ops()); diff != "" {
		t.Error(diff)
	}
}

// TestFoldIsFrozen fails if a new toolchain folds letters that Unicode 15 does not have. Fold must then exclude
// them, because the keys in existing stores must not change.
func TestFoldIsFrozen(t *testing.T) {
	const name = "folds every capital letter of Unicode 15 independently"
	known := ""
	spec.RunCases(t, "predicate", func(t *testing.T, c spec.Case) {
		if c.Name == name {
			known = spec.Given[struct{ Fold string }](t, c).Fold
		}
	})
	if known == "" {
		t.Fatalf("case %q is missing", name)
	}
	for r := range utf8.MaxRune + 1 {
		if folded := graph.Fold(string(r)); folded != string(r) && !strings.ContainsRune(known, r) {
			t.Errorf("%U folds to %q; want %q, because Unicode 15 does not fold it", r, folded, string(r))
		}
	}
}

// TestNumberKeysSortLikeNumbers compares the order of keys with that of exact fractions.
func TestNumberKeysSortLikeNumbers(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,8})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := cmp.Compare(graph.KeyOf(a), graph.KeyOf(b)), x.Cmp(y); got != want {
			t.Fatalf("the keys of %q and %q compare as %d; want %d", a, b, got, want)
		}
	})
}

func TestTimeKeysSortLikeTimes(t *testing.T) {
	milliseconds := rapid.Int64Range(-62_167_219_200_000, 253_402_300_799_999) // the years 0 to 9999
	zone := rapid.IntRange(-23*60, 23*60)                                      // minutes east of UTC
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (time.Time, string) {
			at := time.UnixMilli(milliseconds.Draw(t, label)).In(time.FixedZone("", 60*zone.Draw(t, "zone")))
			return at, at.Format("2006-01-02T15:04:05.000Z07:00")
		}
		x, a := draw("a")
		y, b := draw("b")
		if len(a) > 29 || len(b) > 29 || x.Year() < 0 || y.Year() < 0 {
			t.Skip("the zone moves the time outside the years 0 to 9999")
		}
		if got, want := cmp.Compare(graph.KeyOf(a), graph.KeyOf(b)), x.Compare(y); got != want {
			t.Fatalf("the keys of %q and %q compare as %d; want %d", a, b, got, want)
		}
	})
}
