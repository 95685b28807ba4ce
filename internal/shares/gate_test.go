package shares_test

import (
	"strconv"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/shares"
)

// fill enters a gate as an owner until the gate refuses, and returns the number of entries.
func fill(t *testing.T, g *shares.Gate, owner string) int {
	t.Helper()
	for n := 0; ; n++ {
		if _, err := g.Enter(owner, 1); err != nil {
			if graph.KindOf(err) != graph.Unavailable {
				t.Error(err)
			}
			return n
		}
	}
}

func TestAnOwnerGetsMostOfAGateAndNewcomersAlwaysAPlace(t *testing.T) {
	g := &shares.Gate{What: "places", Total: 100}
	if got := fill(t, g, "first"); got != 75 {
		t.Errorf("the first owner got %d places; want 75", got)
	}
	if got := fill(t, g, "second"); got < 15 || got > 20 {
		t.Errorf("the second owner got %d places; want 15 to 20", got)
	}
	newcomers := 0
	for i := range 10 {
		if fill(t, g, strconv.Itoa(i)) > 0 {
			newcomers++
		}
	}
	if newcomers < 3 || g.Used() > 100 {
		t.Errorf("%d newcomers got a place and %d places are used; want at least 3 newcomers and at most 100 places", newcomers, g.Used())
	}
}

func TestAGateCountsWeightsUntilTheyAreReleased(t *testing.T) {
	g := &shares.Gate{What: "places", Total: 10, PerOwner: 6}
	leave, err := g.Enter("a", 6)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Enter("a", 1); graph.KindOf(err) != graph.Unavailable {
		t.Errorf("beyond the limit of an owner: %v; want unavailable", err)
	}
	if _, err := g.Enter("b", 5); graph.KindOf(err) != graph.Unavailable || g.Refused() != 2 {
		t.Errorf("beyond the total: %v, %d refused; want unavailable, 2 refused", err, g.Refused())
	}
	leave()
	leave()
	if g.Used() != 0 {
		t.Errorf("%d are used after all entries have ended; want 0", g.Used())
	}
}
