package sqlstore_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

func TestCompileRefusesDeepSelections(t *testing.T) {
	set := graph.Set(graph.Union{graph.IDs{1}, graph.Intersection{graph.Instances{}, graph.Complement{Of: graph.Holders{}}}})
	for step := 2; step <= 20; step++ {
		set = graph.Linked{Types: []graph.ID{5}, Far: set}
		_, _, err := sqlstore.Compile(plain{}, graph.Selection{Set: set})
		if refused := errors.Is(err, errors.ErrUnsupported); refused != (step > 16) {
			t.Errorf("%d steps: %v", step, err)
		}
		_, _, err = sqlstore.Compile(plain{}, graph.Selection{Set: graph.Intersection{graph.IDs{1}, graph.Complement{Of: set}}})
		if refused := errors.Is(err, errors.ErrUnsupported); refused != (step > 3) {
			t.Errorf("%d steps, checked: %v", step, err)
		}
	}
}

func TestCompileChecksCheapSetsFirst(t *testing.T) {
	far := graph.Linked{Types: []graph.ID{5}, Far: graph.Linked{Types: []graph.ID{6}, Far: graph.IDs{1}}}
	near := graph.Linked{Types: []graph.ID{7}, Far: graph.IDs{2}}
	for name, set := range map[string]graph.Set{
		"in the outer intersection": graph.Intersection{graph.IDs{3}, far, near},
		"in a nested intersection":  graph.Intersection{graph.IDs{3}, graph.Linked{Types: []graph.ID{8}, Far: graph.Intersection{far, near}}},
	} {
		_, args, err := sqlstore.Compile(plain{}, graph.Selection{Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if slices.Index(args, any(int64(7))) > slices.Index(args, any(int64(5))) {
			t.Errorf("%s: the expensive set is checked first: %v", name, args)
		}
	}
}
