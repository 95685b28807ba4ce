package sqlstore_test

import (
	"errors"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

func TestHowDeepASelectionMayBe(t *testing.T) {
	set := graph.Set(graph.Either{graph.These{1}, graph.Both{graph.Instances{}, graph.Except{Of: graph.Holders{}}}})
	for step := 2; step <= 20; step++ {
		set = graph.Linked{Types: []graph.ID{5}, Far: set}
		_, _, err := sqlstore.Compile(plain{}, graph.Selection{Set: set})
		if refused := errors.Is(err, errors.ErrUnsupported); refused != (step > 16) {
			t.Errorf("%d steps: %v", step, err)
		}
		_, _, err = sqlstore.Compile(plain{}, graph.Selection{Set: graph.Both{graph.These{1}, graph.Except{Of: set}}})
		if refused := errors.Is(err, errors.ErrUnsupported); refused != (step > 3) {
			t.Errorf("%d steps, checked: %v", step, err)
		}
	}
}
