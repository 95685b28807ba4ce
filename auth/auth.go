// Package auth decides who may read and write what. It is the one place: whoever serves a request asks
// a Gate for the store as the caller sees it, and from then on need not think about access.
//
// A concept is read by everyone when its access is Public, when Anonymous owns it or when it is a type;
// otherwise by its owner. A connection is read by who may read it and both its ends.
package auth

import (
	"strings"

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
	Write bool     // it may write as well as read
	Types []string // only instances of these types; nil means all
}

// System is the operator, in process. No request is ever System.
var System = Caller{User: graph.System}

// Identify reads the caller from an Authorization header. Nothing, and "Bearer" with nothing behind it,
// is Anonymous. Anything else is an Unauthorized error: there are no accounts yet to check a token with.
func Identify(authorization, session string) (Caller, error) {
	token := strings.TrimSpace(authorization)
	if scheme, rest, _ := strings.Cut(token, " "); strings.EqualFold(scheme, "bearer") {
		token = strings.TrimSpace(rest)
	}
	if token != "" {
		return Caller{}, graph.Errorf(graph.Unauthorized, "the token cannot be verified; leave it out to ask as anonymous")
	}
	return Caller{User: graph.Anonymous, Session: session}, nil
}

// Rules are what the operator decides.
type Rules struct {
	AnonymousWrites bool
}

// A Gate stands before a store.
type Gate struct {
	store   graph.Store
	counter counter // nil when the store cannot count what is hidden
	rules   Rules
}

// New returns the gate of a store.
func New(store graph.Store, rules Rules) *Gate {
	return &Gate{store: store, counter: counterIn(store), rules: rules}
}

// As is the store as a caller sees it. It costs nothing to make; closing it does not close the store.
func (g *Gate) As(caller Caller) graph.Store {
	if caller.User == graph.System {
		return g.store
	}
	return &view{Gate: g, caller: caller}
}

// A view is a graph.Store in which what the caller may not see is not there.
type view struct {
	*Gate
	caller Caller
}

// Close does nothing: the store belongs to whoever opened it.
func (v *view) Close() error { return nil }

// everyone is the circle of what anybody may read; the others are those of graph.ScopeOf.
const everyone graph.ID = 0

func circleOf(c graph.Concept) graph.ID {
	if c.IsType() {
		return everyone
	}
	return c.Scope()
}

func (v *view) in(circle graph.ID) bool { return circle == everyone || circle == v.caller.User }
