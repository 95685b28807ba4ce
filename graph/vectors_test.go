package graph_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/vectors"
)

func TestTypeNames(t *testing.T) {
	type want struct {
		Chain    []string `json:"chain"`
		With     string   `json:"withPrefix"`
		Without  string   `json:"withoutPrefix"`
		Category *string  `json:"category,omitempty"`
		Word     string   `json:"word"`
	}
	vectors.Each(t, "type", func(t *testing.T, c vectors.Case) {
		name := vectors.Given[string](t, c)
		got := want{
			Chain: append([]string{}, graph.TypeChain(name)...),
			With:  graph.WithPrefix(name), Without: graph.WithoutPrefix(name),
		}
		category, word, composed := graph.SplitType(name)
		if got.Word = word; composed {
			got.Category = &category
		}
		if diff := cmp.Diff(vectors.Want[want](t, c), got); diff != "" {
			t.Error(diff)
		}
	})
}
