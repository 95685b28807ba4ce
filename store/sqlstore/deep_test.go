package sqlstore_test

import (
	"errors"
	"slices"
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

func TestWhatIsNearIsCheckedFirst(t *testing.T) {
	far := graph.Linked{Types: []graph.ID{5}, Far: graph.Linked{Types: []graph.ID{6}, Far: graph.These{1}}}
	near := graph.Linked{Types: []graph.ID{7}, Far: graph.These{2}}
	for name, set := range map[string]graph.Set{
		"beside what is gathered": graph.Both{graph.These{3}, far, near},
		"beside each other":       graph.Both{graph.These{3}, graph.Linked{Types: []graph.ID{8}, Far: graph.Both{far, near}}},
	} {
		_, args, err := sqlstore.Compile(plain{}, graph.Selection{Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Index(args, any(int64(7))) > slices.Index(args, any(int64(5))) {
			t.Errorf("%s: what is far is checked first: %v", name, args)
		}
	}
}
