package auth

import (
	"context"
	"sync"

	"github.com/weft-graph/weft/graph"
)

// types are those whose instances a key may see, as far as somebody made them.
type types struct {
	mu    sync.Mutex
	known map[string]graph.ID
}

// A lens says which concepts a caller may read.
type lens struct {
	*view
	types map[graph.ID]bool // nil means all
}

// lens is what the caller sees through now. Types that nobody made yet are looked for again, because a
// stream lives longer than a request.
func (v *view) lens(ctx context.Context) (lens, error) {
	if !v.narrowed() {
		return lens{view: v}, nil
	}
	v.types.mu.Lock()
	defer v.types.mu.Unlock()
	if len(v.types.known) < len(v.caller.Scope.Types) {
		found, err := graph.TypesNamed(ctx, v.store, v.caller.Scope.Types...)
		if err != nil {
			return lens{}, err
		}
		v.types.known = map[string]graph.ID{}
		for name, c := range found {
			v.types.known[name] = c.ID
		}
	}
	l := lens{view: v, types: map[graph.ID]bool{}}
	for _, id := range v.types.known {
		l.types[id] = true
	}
	return l, nil
}

// instances says whether the instances of a type may be seen at all.
func (l lens) instances(typ graph.ID) bool { return l.types == nil || l.types[typ] }

func (l lens) reads(c graph.Concept) bool {
	return c.IsType() || l.in(c.Scope()) && l.instances(c.Type)
}
