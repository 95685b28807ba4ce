package access

import (
	"context"
	"sync"

	"github.com/weft-graph/weft/graph"
)

// scopeTypes holds the ids of the existing types among those to which a key is limited.
type scopeTypes struct {
	mu    sync.Mutex
	known map[string]graph.ID
}

// visibility decides which concepts a caller may read.
type visibility struct {
	*view
	types map[graph.ID]bool // nil means all
}

// visibility returns the current visibility of the caller. Types of the API key that did not exist before are
// looked up again, because a change stream lasts longer than a request.
func (v *view) visibility(ctx context.Context) (visibility, error) {
	if !v.isLimitedToTypes() {
		return visibility{view: v}, nil
	}
	v.types.mu.Lock()
	defer v.types.mu.Unlock()
	if len(v.types.known) < len(v.caller.Scope.Types) {
		found, err := graph.TypesNamed(ctx, v.store, v.caller.Scope.Types...)
		if err != nil {
			return visibility{}, err
		}
		v.types.known = map[string]graph.ID{}
		for name, c := range found {
			v.types.known[name] = c.ID
		}
	}
	l := visibility{view: v, types: map[graph.ID]bool{}}
	for _, id := range v.types.known {
		l.types[id] = true
	}
	return l, nil
}

// includesType reports whether the caller may read instances of a type at all.
func (l visibility) includesType(typ graph.ID) bool { return l.types == nil || l.types[typ] }

func (l visibility) canRead(c graph.Concept) bool {
	return c.IsType() || l.seesScope(c.Scope()) && l.includesType(c.Type)
}
