package access_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/internal/store/memory"
)

// The store has the same wrappers as in a server.
func TestSelectUsesThePermissionsOfTheCaller(t *testing.T) {
	w := newWorld(t)
	front := feed.New(cache.New(w.Store, 1<<20))
	defer front.Close()
	gate := access.New(front, access.Rules{})
	notes := graph.Instances{Type: w.typ}
	links, err := w.Connections(t.Context(), []graph.ID{w.links["public→private"]})
	if err != nil {
		t.Fatal(err)
	}
	toPrivate := graph.Linked{Types: []graph.ID{links[0].Type}, Far: graph.IDs{w.private}}
	for _, row := range []struct {
		who              string
		caller           access.Caller
		notes, toPrivate []graph.ID
	}{
		{"the zero caller", access.Caller{}, []graph.ID{w.public, w.shared}, nil},
		{"a guest", guest, []graph.ID{w.public, w.shared}, nil},
		{"a stranger", stranger, []graph.ID{w.public, w.shared}, nil},
		{"the owner", owner, []graph.ID{w.private, w.public, w.shared}, []graph.ID{w.public, w.shared}},
		{"a key that only reads", reader, []graph.ID{w.private, w.public, w.shared}, []graph.ID{w.public, w.shared}},
		{"an admin", admin, []graph.ID{w.private, w.public, w.admin, w.shared}, []graph.ID{w.public, w.shared}},
		{"the system", access.System, []graph.ID{w.private, w.public, w.admin, w.shared}, []graph.ID{w.public, w.shared}},
	} {
		t.Run(row.who, func(t *testing.T) {
			v := gate.As(row.caller)
			selector, isSelector := v.(graph.Selector)
			sizer, isSizer := v.(graph.Sizer)
			if !isSelector || !isSizer {
				t.Fatalf("%T is a Selector: %v; is a Sizer: %v; want both", v, isSelector, isSizer)
			}
			for _, viewer := range []graph.ID{0, ann, graph.System, -1} {
				if row.caller.Admin || row.caller == access.System {
					viewer = 0
				}
				for _, test := range []struct {
					set  graph.Set
					want []graph.ID
				}{{notes, row.notes}, {toPrivate, row.toPrivate}} {
					got, err := selector.Select(t.Context(), graph.Selection{Set: test.set, Viewer: viewer})
					if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
						t.Errorf("%+v, for %d, %v:\n%s", test.set, viewer, err, diff)
					}
				}
			}
			sizes, err := sizer.Sizes(t.Context(), []graph.ID{w.typ})
			if diff := cmp.Diff([]graph.Size{{Instances: len(row.notes)}}, sizes); err != nil || diff != "" {
				t.Errorf("sizes, %v:\n%s", err, diff)
			}
		})
	}
}

func TestSelectIsUnsupportedForAKeyForSomeTypes(t *testing.T) {
	for _, caller := range []access.Caller{narrow, {User: admin.User, Admin: true, Scope: &access.Scope{Types: []string{"the_text"}}}} {
		v := access.New(memory.New(), access.Rules{}).As(caller)
		if found, err := v.(graph.Selector).Select(t.Context(), graph.Selection{Set: graph.Instances{}}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%+v selects %v, %v; want %v", caller, found, err, errors.ErrUnsupported)
		}
	}
}

// The store has no optional interfaces.
func TestSelectIsUnsupportedIfTheStoreCannotSelect(t *testing.T) {
	plain := struct{ graph.Store }{memory.New()}
	for _, caller := range []access.Caller{owner, admin} {
		v := access.New(plain, access.Rules{}).As(caller)
		_, selectErr := v.(graph.Selector).Select(t.Context(), graph.Selection{Set: graph.IDs{}})
		_, sizesErr := v.(graph.Sizer).Sizes(t.Context(), nil)
		if !errors.Is(selectErr, errors.ErrUnsupported) || !errors.Is(sizesErr, errors.ErrUnsupported) {
			t.Errorf("%v, %v; want %v", selectErr, sizesErr, errors.ErrUnsupported)
		}
	}
}
