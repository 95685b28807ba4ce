package auth_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/feed"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/store/memory"
)

// The store stands behind everything that stands behind a gate in a server.
func TestWhoeverAsksSelectsWithTheirOwnEyes(t *testing.T) {
	w := newWorld(t)
	front := feed.New(cache.New(w.Store, 1<<20))
	defer front.Close()
	gate := auth.New(front, auth.Rules{})
	notes := graph.Instances{Type: w.typ}
	links, err := w.Connections(t.Context(), []graph.ID{w.links["public→private"]})
	if err != nil {
		t.Fatal(err)
	}
	toPrivate := graph.Linked{Types: []graph.ID{links[0].Type}, Far: graph.These{w.private}}
	for _, row := range []struct {
		who              string
		caller           auth.Caller
		notes, toPrivate []graph.ID
	}{
		{"nobody", auth.Caller{}, []graph.ID{w.public, w.shared}, nil},
		{"a guest", guest, []graph.ID{w.public, w.shared}, nil},
		{"a stranger", stranger, []graph.ID{w.public, w.shared}, nil},
		{"the owner", owner, []graph.ID{w.private, w.public, w.shared}, []graph.ID{w.public, w.shared}},
		{"a key that only reads", reader, []graph.ID{w.private, w.public, w.shared}, []graph.ID{w.public, w.shared}},
		{"an admin", admin, []graph.ID{w.private, w.public, w.admin, w.shared}, []graph.ID{w.public, w.shared}},
		{"the system", auth.System, []graph.ID{w.private, w.public, w.admin, w.shared}, []graph.ID{w.public, w.shared}},
	} {
		t.Run(row.who, func(t *testing.T) {
			v := gate.As(row.caller)
			selector, selects := v.(graph.Selector)
			sizer, sizes := v.(graph.Sizer)
			if !selects || !sizes {
				t.Fatalf("%T selects: %v; tells sizes: %v", v, selects, sizes)
			}
			for _, viewer := range []graph.ID{0, ann, graph.System, -1} {
				if row.caller.Admin || row.caller == auth.System {
					viewer = 0
				}
				for _, one := range []struct {
					set  graph.Set
					want []graph.ID
				}{{notes, row.notes}, {toPrivate, row.toPrivate}} {
					got, err := selector.Select(t.Context(), graph.Selection{Set: one.set, Viewer: viewer})
					if diff := cmp.Diff(one.want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
						t.Errorf("%+v, for %d, %v:\n%s", one.set, viewer, err, diff)
					}
				}
			}
			told, err := sizer.Sizes(t.Context(), []graph.ID{w.typ})
			if diff := cmp.Diff([]graph.Size{{Instances: 4}}, told); err != nil || diff != "" {
				t.Errorf("sizes, %v:\n%s", err, diff)
			}
		})
	}
}

func TestAKeyForSomeTypesDoesNotSelect(t *testing.T) {
	for _, caller := range []auth.Caller{narrow, {User: admin.User, Admin: true, Scope: &auth.Scope{Types: []string{"the_text"}}}} {
		v := auth.New(memory.New(), auth.Rules{}).As(caller)
		if found, err := v.(graph.Selector).Select(t.Context(), graph.Selection{Set: graph.Instances{}}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v selects %v, %v; want %v", caller, found, err, errors.ErrUnsupported)
		}
	}
}

// A store that can do no more than every store has nothing to select with.
func TestAStoreThatDoesNotSelect(t *testing.T) {
	plain := struct{ graph.Store }{memory.New()}
	for _, caller := range []auth.Caller{owner, admin} {
		v := auth.New(plain, auth.Rules{}).As(caller)
		_, selecting := v.(graph.Selector).Select(t.Context(), graph.Selection{Set: graph.These{}})
		_, sizing := v.(graph.Sizer).Sizes(t.Context(), nil)
		if !errors.Is(selecting, errors.ErrUnsupported) || !errors.Is(sizing, errors.ErrUnsupported) {
			t.Errorf("%v, %v; want %v", selecting, sizing, errors.ErrUnsupported)
		}
	}
}
