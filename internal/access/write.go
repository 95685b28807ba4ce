package access

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Write implements graph.Store. The caller becomes the owner of every draft. A connection may start at a concept of the
// caller or of Anonymous, and may be inside a composition of the caller or of Anonymous. Records may be removed by
// their owners, and connections inside a composition also by the owner of the composition. Admins may add to and remove
// all records.
//
// Errors: Unauthorized for guests who may not write, Forbidden for records of other users and for rights that a key
// lacks, Invalid for ids that do not refer to a record that the caller may read, and the errors of the store.
func (v *view) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := v.checkMayWrite(); err != nil {
		return graph.Receipt{}, err
	}
	if v.mayOnlyRemove() && len(b.Concepts)+len(b.Connections) > 0 {
		return graph.Receipt{}, errRemovedAccount()
	}
	b = v.asCaller(b)
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	if err := v.checkDrafts(b); err != nil {
		return graph.Receipt{}, err
	}
	if v.caller.Admin && !v.isLimitedToTypes() {
		return v.store.Write(ctx, b)
	}
	l, err := v.visibility(ctx)
	if err != nil {
		return graph.Receipt{}, err
	}
	w := &writeCheck{visibility: l, batch: b}
	if err := w.resolveIDs(ctx); err != nil {
		return graph.Receipt{}, err
	}
	w.requireOwners()
	if err := w.checkConnections(); err != nil {
		return graph.Receipt{}, err
	}
	if b, err = w.checkRemovals(ctx); err != nil {
		return graph.Receipt{}, err
	}
	if n := len(w.removedConnections); n > 0 && n <= maxPassedOn {
		ctx = graph.WithReadBefore(ctx, w.removedConnections)
	}
	return v.store.Write(ctx, b)
}

// maxPassedOn is the maximum number of removed connections that a write passes on to later checks. These checks search
// the connections linearly.
const maxPassedOn = 64

// Reserve implements graph.Store. Ids are always reserved for the caller.
func (v *view) Reserve(ctx context.Context, _ graph.ID, n int) ([]graph.ID, error) {
	if err := v.checkMayWrite(); err != nil {
		return nil, err
	}
	if v.mayOnlyRemove() {
		return nil, errRemovedAccount()
	}
	return v.store.Reserve(ctx, v.caller.User, n)
}

func (v *view) mayOnlyRemove() bool { return v.caller.Scope != nil && v.caller.Scope.RemoveOnly }

func errRemovedAccount() error {
	return graph.Errorf(graph.Forbidden, "the account was removed: its token may only remove records")
}

// checkMayWrite returns an error if the caller may not write at all.
func (v *view) checkMayWrite() error {
	switch {
	case v.caller.User == graph.Anonymous && !v.rules.AnonymousWrites:
		return graph.Errorf(graph.Unauthorized, "sign in to write: this server accepts no anonymous writes")
	case v.caller.Scope != nil && !v.caller.Scope.Write:
		return graph.Errorf(graph.Forbidden, "this key may only read")
	}
	return nil
}

// checkDrafts returns a Forbidden error for drafts that the caller could not read afterwards.
func (v *view) checkDrafts(b graph.Batch) error {
	for i, d := range b.Concepts {
		if d.Kind == graph.DraftType {
			continue
		}
		if v.isLimitedToTypes() && !slices.Contains(v.caller.Scope.Types, d.TypeName) {
			return graph.Errorf(graph.Forbidden, "concept %d of the batch: this key is not for the type %q", i, graph.Clip(d.TypeName))
		}
		if !v.seesScope(graph.ScopeOf(v.caller.User, d.Access)) {
			return graph.Errorf(graph.Forbidden, "concept %d of the batch: only admins may create records for admins", i)
		}
	}
	for i, d := range b.Connections {
		if !v.seesScope(graph.ScopeOf(v.caller.User, d.Access)) {
			return graph.Errorf(graph.Forbidden, "connection %d of the batch: only admins may create records for admins", i)
		}
	}
	return nil
}

// asCaller returns the batch with the caller as its sender and as the owner of its drafts.
func (v *view) asCaller(b graph.Batch) graph.Batch {
	b.Sender.User = v.caller.User
	b.Concepts = slices.Clone(b.Concepts)
	for i := range b.Concepts {
		b.Concepts[i].Owner = 0
	}
	b.Connections = slices.Clone(b.Connections)
	for i := range b.Connections {
		b.Connections[i].Owner = 0
	}
	return b
}

// A writeCheck checks a batch before it is written:
//
//	resolveIDs      ids of the batch → concepts that exist
//	requireOwners   values that are linked or removed must be the caller's when the store writes them
//	checkConnections, checkRemovals
type writeCheck struct {
	visibility
	batch   graph.Batch
	drafted map[graph.ID]graph.ConceptDraft
	// concepts holds the existing concepts to which ids of the batch refer, including local ids. It does not contain
	// drafts of new concepts, which the caller will own.
	concepts map[graph.ID]graph.Concept
	removed  map[graph.ID]bool // local ids of concepts that were removed
	// removedConnections holds the connections that the batch removes by real ids.
	removedConnections []graph.Connection
}

// isUnknown reports whether an id refers to no concept and no draft. Such an id is rejected, or its removal is
// ignored: if another writer created the concept in the meantime, its owner would not have been checked.
func (w *writeCheck) isUnknown(id graph.ID) bool {
	_, named := w.concepts[id]
	_, drafted := w.drafted[id]
	return id != 0 && !named && !drafted
}

// resolveIDs finds the concepts to which the ids of the batch refer.
func (w *writeCheck) resolveIDs(ctx context.Context) error {
	w.drafted, w.concepts, w.removed = map[graph.ID]graph.ConceptDraft{}, map[graph.ID]graph.Concept{}, map[graph.ID]bool{}
	for _, d := range w.batch.Concepts {
		w.drafted[d.SentID()] = d
	}
	var sent []graph.ID
	var values []graph.ConceptDraft
	collect := func(id graph.ID) {
		d, ok := w.drafted[id]
		switch {
		case id == 0:
		case !ok:
			sent = append(sent, id)
		case d.Kind == graph.DraftValue && graph.IsShared(d.Value):
			values = append(values, d)
		}
	}
	for _, c := range w.batch.Connections {
		collect(c.From)
		collect(c.To)
		collect(c.Type)
	}
	for _, id := range w.batch.RemoveConcepts {
		collect(id)
	}
	if err := w.resolveSentIDs(ctx, sent); err != nil {
		return err
	}
	if err := w.resolveBecoming(ctx); err != nil {
		return err
	}
	return w.resolveValues(ctx, values)
}

// resolveBecoming finds the existing records that drafts become, so that additions to the drafts are checked as
// additions to these records.
func (w *writeCheck) resolveBecoming(ctx context.Context) error {
	for _, d := range w.batch.Concepts {
		if d.Becomes == 0 {
			continue
		}
		found, err := w.store.Concepts(ctx, []graph.ID{d.Becomes})
		if err != nil {
			return err
		}
		if len(found) == 0 || !w.canRead(found[0]) {
			return graph.Errorf(graph.Invalid, "concept %d does not exist", d.Becomes)
		}
		if !w.mayAddTo(found[0].Owner) {
			return graph.Errorf(graph.Forbidden, "concept %d belongs to another user", d.Becomes)
		}
		w.concepts[d.SentID()] = found[0]
	}
	return nil
}

// resolveSentIDs finds the concepts with ids that the batch does not draft. A positive id without a concept may be a
// reserved id that became an alias of another concept.
func (w *writeCheck) resolveSentIDs(ctx context.Context, sent []graph.ID) error {
	if err := w.loadConcepts(ctx, sent); err != nil {
		return err
	}
	localIDs := slices.DeleteFunc(sent, func(id graph.ID) bool { return w.concepts[id].ID != 0 })
	if len(localIDs) == 0 {
		return nil
	}
	reals, err := w.store.ResolveIDs(ctx, w.batch.Sender, localIDs)
	if err != nil {
		return err
	}
	if err := w.loadConcepts(ctx, slices.Collect(maps.Values(reals))); err != nil {
		return err
	}
	for localID, id := range reals {
		c, ok := w.concepts[id]
		if !ok {
			w.removed[localID] = true
			continue
		}
		w.concepts[localID] = c
	}
	return nil
}

func (w *writeCheck) loadConcepts(ctx context.Context, ids []graph.ID) error {
	real := slices.DeleteFunc(slices.Clone(ids), graph.ID.IsLocal)
	if len(real) == 0 {
		return nil
	}
	found, err := w.store.Concepts(ctx, real)
	for _, c := range found {
		w.concepts[c.ID] = c
	}
	return err
}

// resolveValues finds the drafts whose values already exist.
func (w *writeCheck) resolveValues(ctx context.Context, values []graph.ConceptDraft) error {
	if len(values) == 0 {
		return nil
	}
	names := make([]string, len(values))
	for i, d := range values {
		names[i] = d.TypeName
	}
	types, err := graph.TypesNamed(ctx, w.store, names...)
	if err != nil {
		return err
	}
	var keys []graph.ValueKey
	for _, d := range values {
		if typ, ok := types[d.TypeName]; ok {
			keys = append(keys, graph.ValueKey{Value: d.Value, Type: typ.ID, Category: graph.CategoryInstance, Viewer: w.caller.User})
		}
	}
	found, err := w.store.ConceptsByValue(ctx, keys)
	if err != nil {
		return err
	}
	type key struct {
		typ, scope graph.ID
		value      string
	}
	existing := map[key]graph.Concept{}
	for _, c := range found {
		existing[key{c.Type, c.Scope(), c.Value}] = c
	}
	for _, d := range values {
		scope := graph.ScopeOf(w.caller.User, d.Access)
		if c, ok := existing[key{types[d.TypeName].ID, scope, d.Value}]; ok {
			w.concepts[d.SentID()] = c
		}
	}
	return nil
}

// requireOwners sets RequireOwner on values that the batch links or removes, unless they are known to belong to another
// user; the other checks treat such values. The write then fails if another user creates one of the values between this
// check and the write, or if an earlier batch used the local id of a value for another concept.
func (w *writeCheck) requireOwners() {
	changed := map[graph.ID]bool{}
	for _, c := range w.batch.Connections {
		changed[c.From], changed[c.Type] = true, true
	}
	for _, id := range w.batch.RemoveConcepts {
		changed[id] = true
	}
	for i, d := range w.batch.Concepts {
		c, exists := w.concepts[d.SentID()]
		isOfOther := exists && c.Owner != w.caller.User
		if d.Kind == graph.DraftValue && d.SentID() != 0 && changed[d.SentID()] && !isOfOther {
			w.batch.Concepts[i].RequireOwner = true
		}
	}
}

func (w *writeCheck) checkConnections() error {
	for i, d := range w.batch.Connections {
		if err := w.checkConnection(d); err != nil {
			return graph.Errorf(graph.KindOf(err), "connection %d of the batch (%d→%d): %v", i, d.From, d.To, err)
		}
	}
	return nil
}

func (w *writeCheck) checkConnection(d graph.ConnectionDraft) error {
	for _, id := range []graph.ID{d.From, d.To, d.Type} {
		c, ok := w.concepts[id]
		isNewType := id == d.Type && id.IsLocal() && d.TypeName != ""
		if ok && !w.canRead(c) || w.isUnknown(id) && !isNewType {
			return graph.Errorf(graph.Invalid, "concept %d does not exist", id)
		}
	}
	if from, ok := w.concepts[d.From]; ok && !w.mayAddTo(from.Owner) {
		return graph.Errorf(graph.Forbidden, "concept %d belongs to another user: only its owner may connect it to others", d.From)
	}
	if typ, ok := w.concepts[d.Type]; ok && !isConnectionType(typ) && !w.mayAddTo(typ.Owner) {
		return graph.Errorf(graph.Forbidden, "composition %d belongs to another user: only its owner may add to it", d.Type)
	}
	return nil
}

// isConnectionType reports whether a concept can be the type of connections of every user: it is a type, or a public
// linker of an older client. Connections that have another concept as their type are internal to that concept.
func isConnectionType(c graph.Concept) bool {
	return c.IsType() || c.Type == graph.TypeConnection && c.Scope() == publicScope
}

// mayAddTo reports whether the caller may add to records of an owner.
func (w *writeCheck) mayAddTo(owner graph.ID) bool {
	return owner == w.caller.User || owner == graph.Anonymous || w.caller.Admin
}
