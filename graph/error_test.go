package graph_test

import (
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
)

func TestClip(t *testing.T) {
	long := strings.Repeat("é", 50)
	for text, want := range map[string]string{
		"short": "short", "bad \xff": "bad ?", long: long[:80] + "…", "x" + long: "x" + long[:78] + "…",
	} {
		if got := graph.Clip(text); got != want {
			t.Errorf("Clip(%q) is %q; want %q", text, got, want)
		}
	}
}
