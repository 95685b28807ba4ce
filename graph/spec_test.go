package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/spec"
)

func TestTypeNamesAreSplitAsInTheSpec(t *testing.T) {
	type want struct {
		Chain    []string `json:"chain"`
		With     string   `json:"withPrefix"`
		Without  string   `json:"withoutPrefix"`
		Category *string  `json:"category,omitempty"`
		Word     string   `json:"word"`
	}
	spec.RunCases(t, "type", func(t *testing.T, c spec.Case) {
		name := spec.Given[string](t, c)
		got := want{
			Chain: append([]string{}, graph.TypeChain(name)...),
			With:  graph.WithPrefix(name), Without: graph.WithoutPrefix(name),
		}
		category, word, composed := graph.SplitType(name)
		if got.Word = word; composed {
			got.Category = &category
		}
		if diff := cmp.Diff(spec.Want[want](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}
