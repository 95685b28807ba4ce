// Package auth decides who may read and write what. It is the one place: whoever serves a request asks
// a Gate for the store as the caller sees it, and from then on need not think about access.
//
// A concept is read by everyone when its access is Public, when Anonymous owns it or when it is a type; by
// its owner when its access is Private; and by admins. A connection is read by who may read it and both its
// ends. A record is changed and removed by its owner and by admins; everybody may add to what Anonymous
// owns, and where nobody needs to sign in, whoever is not signed in may also remove it.
package auth

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Caller is who asks.
type Caller struct {
	User graph.ID
	// Session tells anonymous callers apart. It names the circle of their ghosts and gives no rights.
	Session string
	// Admin lifts every restriction on reading and removing, and none on what a store keeps together.
	Admin bool
	// Scope narrows what an API key may do; nil is everything its user may.
	Scope *Scope
}

// A Scope is a part of a user's rights, handed to a program.
type Scope struct {
	Write bool // it may write as well as read
	// Types are the names of the types whose instances may be read and made; nil means all. Type concepts
	// are always read. Of a composition its inner records and values are instances too, of types that must
	// be listed to be seen.
	Types []string
}

// System is the operator, in process. No request is ever System.
var System = Caller{User: graph.System}

// Rules are what the operator decides.
type Rules struct {
	AnonymousWrites bool
}

// A Gate stands before a store.
type Gate struct {
	store   graph.Store
	counter counter // nil when the store cannot count what is hidden
	sets    graph.Sets
	rules   Rules
}

// New returns the gate of a store.
func New(store graph.Store, rules Rules) *Gate {
	counter, _ := graph.Behind[counter](store)
	return &Gate{store: store, counter: counter, sets: graph.SetsOf(store), rules: rules}
}

// As is the store as a caller sees it. It costs nothing to make; closing it does not close the store.
func (g *Gate) As(caller Caller) graph.Store {
	if caller.User == graph.System {
		return g.store
	}
	v := &view{Gate: g, caller: caller}
	if caller.Admin && !v.narrowed() {
		return unveiled{Store: g.store, Sets: g.sets, view: v}
	}
	return v
}

// A view is a graph.Store in which what the caller may not see is not there.
type view struct {
	*Gate
	caller Caller
	types  types
}

// Close does nothing: the store belongs to whoever opened it.
func (v *view) Close() error { return nil }

// everyone is the circle of what anybody may read; the others are those of graph.ScopeOf.
const everyone graph.ID = 0

func (v *view) in(circle graph.ID) bool {
	return circle == everyone || circle == v.caller.User || v.caller.Admin
}

// narrowed says whether the caller's key is for some types only.
func (v *view) narrowed() bool { return v.caller.Scope != nil && v.caller.Scope.Types != nil }

// An unveiled view is the store of an admin: nothing is hidden, and what is written is the admin's.
type unveiled struct {
	graph.Store
	graph.Sets
	view *view
}

// Close implements graph.Store.
func (u unveiled) Close() error { return u.view.Close() }

// Told is all changes.
func (u unveiled) Told(_ context.Context, changes []graph.Change) ([]graph.Change, error) {
	return changes, nil
}

// Ghosts implements graph.Reader.
func (u unveiled) Ghosts(ctx context.Context, sender graph.Sender, ghosts []graph.ID) (map[graph.ID]graph.ID, error) {
	return u.view.Ghosts(ctx, sender, ghosts)
}

// Write implements graph.Store.
func (u unveiled) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	return u.view.Write(ctx, b)
}

// Reserve implements graph.Store.
func (u unveiled) Reserve(ctx context.Context, user graph.ID, n int) ([]graph.ID, error) {
	return u.view.Reserve(ctx, user, n)
}

// Check implements graph.Store.
func (u unveiled) Check(ctx context.Context) error { return u.view.Check(ctx) }
