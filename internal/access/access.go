// Package access enforces permissions. It is the only package that does: a Gate returns the store as one caller sees
// it, and code that uses this store need not check access.
//
// Permissions (see docs/decisions/0007):
//
//   - Read a concept: every caller if its access is Public, if Anonymous owns it, or if it is a type; its owner if its access
//     is Private; admins.
//   - Read a connection: callers who may read it and the concepts at both ends.
//   - Change or remove a record: its owner and admins. The owner of a composition may also remove connections inside it. Every
//     caller may add to records of Anonymous; guests may also remove them if Rules.AnonymousWrites permits guests to write.
//
// Costs: lists, counts and selections are read with the caller as the viewer (graph.VisibleReader, Selection.Viewer),
// so that hidden records cost nothing; see docs/decisions/0021. The records are filtered again in memory: concepts by
// their scope, connections by the scopes of both ends, which the concept cache makes cheap. If the store does not
// implement VisibleReader, all records are read and hidden records are then left out. A write reads the concepts that
// its ids refer to, in a few batched reads (see writeCheck). Admins read without filters.
package access

import (
	"cmp"
	"context"

	"github.com/weft-graph/weft/graph"
)

// A Caller identifies the user or program that makes a request.
type Caller struct {
	User graph.ID
	// Session distinguishes anonymous callers. It is the namespace of their local ids and grants no rights.
	Session string
	// Admin lifts the restrictions on reading, adding and removing. The integrity rules of the store still apply.
	Admin bool
	// Scope restricts an API key; nil grants all rights of its user.
	Scope *Scope
}

// A Scope is the part of a user's rights that an API key has.
type Scope struct {
	Write bool // the key may write as well as read
	// RemoveOnly permits no writes other than removals. It is set for the tokens of a removed account.
	RemoveOnly bool
	// Types are the names of the types whose instances may be read and created; nil means all. Type concepts are
	// always readable. The records and values inside a composition are instances, too, so their types must also be
	// listed.
	Types []string
}

// System is the operator, within the process. No request has this caller.
var System = Caller{User: graph.System}

// Rules are the settings of the operator.
type Rules struct {
	AnonymousWrites bool // guests may write
}

// A Gate wraps a store and returns it as different callers see it.
type Gate struct {
	store   graph.Store
	visible graph.VisibleReader // nil if the store cannot read as one viewer
	sets    graph.SetForwarder
	rules   Rules
}

// New returns the gate of a store.
func New(store graph.Store, rules Rules) *Gate {
	visible, _ := graph.As[graph.VisibleReader](store)
	return &Gate{store: store, visible: visible, sets: graph.ForwardSets(store), rules: rules}
}

// As returns the store as a caller sees it, at no cost. Closing it does not close the store.
func (g *Gate) As(caller Caller) graph.Store {
	if caller.User == graph.System {
		return g.store
	}
	v := &view{Gate: g, caller: caller}
	if caller.Admin && !v.isLimitedToTypes() {
		return adminView{Store: g.store, SetForwarder: g.sets, view: v}
	}
	return v
}

// A view is a graph.Store without the records that the caller may not read.
type view struct {
	*Gate
	caller Caller
	types  scopeTypes
}

// Close does nothing: the code that opened the store closes it.
func (v *view) Close() error { return nil }

// viewer returns the user whose view of lists is read from the store. It returns 0 if all records are read: for
// an admin, and if the store does not implement VisibleReader.
func (v *view) viewer() graph.ID {
	if v.caller.Admin || v.visible == nil {
		return 0
	}
	return cmp.Or(v.caller.User, graph.Anonymous) // 0 would see everything
}

// publicScope is the scope of records that every caller may read; see graph.ScopeOf for the other scopes.
const publicScope graph.ID = 0

// seesScope reports whether the caller may read the records of a scope.
func (v *view) seesScope(scope graph.ID) bool {
	return scope == publicScope || scope == v.caller.User || v.caller.Admin
}

// isLimitedToTypes reports whether the caller's key is restricted to some types.
func (v *view) isLimitedToTypes() bool { return v.caller.Scope != nil && v.caller.Scope.Types != nil }

// An adminView is the store as an admin sees it: nothing is hidden, and the admin owns the drafts.
type adminView struct {
	graph.Store
	graph.SetForwarder
	view *view
}

// Close implements graph.Store.
func (a adminView) Close() error { return a.view.Close() }

// RedactChange returns the whole change.
func (a adminView) RedactChange(_ context.Context, c graph.Change, _ graph.RecordReader) (graph.Change, error) {
	return c, nil
}

// ResolveIDs implements graph.Reader.
func (a adminView) ResolveIDs(ctx context.Context, sender graph.Sender, localIDs []graph.ID) (map[graph.ID]graph.ID, error) {
	return a.view.ResolveIDs(ctx, sender, localIDs)
}

// ResolveConnections implements graph.Reader.
func (a adminView) ResolveConnections(ctx context.Context, sender graph.Sender, localIDs []graph.ID) (map[graph.ID]graph.ID, error) {
	return a.view.ResolveConnections(ctx, sender, localIDs)
}

// Write implements graph.Store.
func (a adminView) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	return a.view.Write(ctx, b)
}

// HasValue implements graph.ValueChecker.
func (a adminView) HasValue(ctx context.Context, typ graph.ID, value string) (bool, error) {
	return a.view.HasValue(ctx, typ, value)
}

// Reserve implements graph.Store.
func (a adminView) Reserve(ctx context.Context, user graph.ID, n int) ([]graph.ID, error) {
	return a.view.Reserve(ctx, user, n)
}

// Check implements graph.Store.
func (a adminView) Check(ctx context.Context) error { return a.view.Check(ctx) }
