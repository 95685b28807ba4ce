package graph_test

import (
	"cmp"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
)

func TestPredicates(t *testing.T) {
	type given struct {
		Fold   *string  `json:"fold"`
		Op     graph.Op `json:"op"`
		Text   string   `json:"text"`
		Values []string `json:"values"`
	}
	vectors.Each(t, "predicate", func(t *testing.T, c vectors.Case) {
		g := vectors.Given[given](t, c)
		if g.Fold != nil {
			if diff := gocmp.Diff(vectors.Want[string](t, c), graph.Fold(*g.Fold)); diff != "" {
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
		if diff := gocmp.Diff(vectors.Want[[]string](t, c), holds); diff != "" {
			t.Error(diff)
		}
	})
}

// TestFoldKnowsNoOtherLetters fails when a new toolchain knows letters that Unicode 15 did not have. The keys that
// stores keep must not change: Fold then has to leave them out.
func TestFoldKnowsNoOtherLetters(t *testing.T) {
	const name = "every letter of Unicode 15 is folded by itself"
	known := ""
	vectors.Each(t, "predicate", func(t *testing.T, c vectors.Case) {
		if c.Name == name {
			known = vectors.Given[struct{ Fold string }](t, c).Fold
		}
	})
	if known == "" {
		t.Fatalf("there is no case %q", name)
	}
	for r := range utf8.MaxRune + 1 {
		if folded := graph.Fold(string(r)); folded != string(r) && !strings.ContainsRune(known, r) {
			t.Errorf("%U folds to %q", r, folded)
		}
	}
}

// TestNumbersKeepTheirOrder compares keys with exact fractions.
func TestNumbersKeepTheirOrder(t *testing.T) {
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

func TestTimesKeepTheirOrder(t *testing.T) {
	moment := rapid.Int64Range(-62_167_219_200_000, 253_402_300_799_999) // of four-digit years
	zone := rapid.IntRange(-23*60, 23*60)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (time.Time, string) {
			at := time.UnixMilli(moment.Draw(t, label)).In(time.FixedZone("", 60*zone.Draw(t, "zone")))
			return at, at.Format("2006-01-02T15:04:05.000Z07:00")
		}
		x, a := draw("a")
		y, b := draw("b")
		if len(a) > 29 || len(b) > 29 || x.Year() < 0 || y.Year() < 0 {
			t.Skip("a zone has put the year out of range")
		}
		if got, want := cmp.Compare(graph.KeyOf(a), graph.KeyOf(b)), x.Compare(y); got != want {
			t.Fatalf("the keys of %q and %q compare as %d; want %d", a, b, got, want)
		}
	})
}
