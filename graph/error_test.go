package graph_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

func TestClipShortensTextsToWholeCharacters(t *testing.T) {
	long := strings.Repeat("é", 50) // 100 bytes; Clip keeps up to 80
	for text, want := range map[string]string{
		"short":    "short",
		"bad \xff": "bad ?",
		long:       long[:80] + "…",
		"x" + long: "x" + long[:78] + "…", // the next character has two bytes, of which only one would fit
	} {
		if got := graph.Clip(text); got != want {
			t.Errorf("Clip(%q) is %q; want %q", text, got, want)
		}
	}
}
