package graph_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
)

func TestPositionsAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := graph.Position{X: rapid.Float64().Draw(t, "x"), Y: rapid.Float64().Draw(t, "y")}
		if got, err := graph.ParsePosition(p.String()); err != nil || got != p {
			t.Errorf("%v is written as %q and read as %v, %v", p, p.String(), got, err)
		}
	})
	for _, text := range []string{" ", "1", "1 ", "1 x", "1 2 3", "NaN 1", "1 Inf", "1e999 0", "1,2"} {
		if p, err := graph.ParsePosition(text); graph.KindOf(err) != graph.Invalid {
			t.Errorf("%q is read as %v, %v; want an invalid error", text, p, err)
		}
	}
}

func TestADraftWithANonFinitePositionIsInvalid(t *testing.T) {
	for _, p := range []graph.Position{{X: math.NaN()}, {Y: math.Inf(-1)}} {
		b := graph.Batch{
			Sender:   graph.Sender{User: 1001},
			Concepts: []graph.ConceptDraft{{TypeName: "the_note", Kind: graph.DraftComposition, Position: p}},
		}
		if err := b.Check(); graph.KindOf(err) != graph.Invalid {
			t.Errorf("position %v: %v; want an Invalid error", p, err)
		}
	}
}
