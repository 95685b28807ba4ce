package auth

import (
	"context"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Write implements graph.Store. The owner of every draft is the caller, whatever the draft says. A
// connection may start at what the caller owns or everybody shares; a composition takes connections
// from nobody but its owner. Removing follows the owner of the record. Admins may do all of it.
func (v *view) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if err := v.mayWrite(); err != nil {
		return graph.Receipt{}, err
	}
	b = v.signed(b)
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	if err := v.mayMake(b); err != nil {
		return graph.Receipt{}, err
	}
	if v.caller.Admin && !v.narrowed() {
		return v.store.Write(ctx, b)
	}
	l, err := v.lens(ctx)
	if err != nil {
		return graph.Receipt{}, err
	}
	w := &writing{lens: l, batch: b}
	if err := w.learn(ctx); err != nil {
		return graph.Receipt{}, err
	}
	w.insist()
	if err := w.mayConnect(); err != nil {
		return graph.Receipt{}, err
	}
	if b, err = w.mayRemove(ctx); err != nil {
		return graph.Receipt{}, err
	}
	return v.store.Write(ctx, b)
}

// Reserve implements graph.Store. Ids are reserved for the caller, whatever user is named.
func (v *view) Reserve(ctx context.Context, _ graph.ID, n int) ([]graph.ID, error) {
	if err := v.mayWrite(); err != nil {
		return nil, err
	}
	return v.store.Reserve(ctx, v.caller.User, n)
}

func (v *view) mayWrite() error {
	switch {
	case v.caller.User == graph.Anonymous && !v.rules.AnonymousWrites:
		return graph.Errorf(graph.Unauthorized, "nobody is signed in, and this server takes no anonymous writes")
	case v.caller.Scope != nil && !v.caller.Scope.Write:
		return graph.Errorf(graph.Forbidden, "this key may only read")
	}
	return nil
}

// mayMake sees to records that the caller could not read afterwards.
func (v *view) mayMake(b graph.Batch) error {
	for i, d := range b.Concepts {
		if d.Kind == graph.DraftType {
			continue
		}
		if v.narrowed() && !slices.Contains(v.caller.Scope.Types, d.TypeName) {
			return graph.Errorf(graph.Forbidden, "concept %d of the batch: this key is not for the type %q", i, graph.Clip(d.TypeName))
		}
		if !v.in(graph.ScopeOf(v.caller.User, d.Access)) {
			return graph.Errorf(graph.Forbidden, "concept %d of the batch: only admins keep records for admins", i)
		}
	}
	for i, d := range b.Connections {
		if !v.in(graph.ScopeOf(v.caller.User, d.Access)) {
			return graph.Errorf(graph.Forbidden, "connection %d of the batch: only admins keep records for admins", i)
		}
	}
	return nil
}

// signed is the batch as the caller's own.
func (v *view) signed(b graph.Batch) graph.Batch {
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

// A writing is a batch under inspection.
type writing struct {
	lens
	batch   graph.Batch
	drafted map[graph.ID]graph.ConceptDraft
	// What the ids of the batch name, ghosts included. A draft that names nothing yet is not in it: it will
	// become the caller's.
	named map[graph.ID]graph.Concept
	gone  map[graph.ID]bool // ghosts of what was removed
}

// nothing says whether an id names nothing, and will not unless somebody else makes it do so. By then nobody
// would have looked whose it is.
func (w *writing) nothing(id graph.ID) bool {
	_, named := w.named[id]
	_, drafted := w.drafted[id]
	return id != 0 && !named && !drafted
}

// learn finds what the ids of the batch name.
func (w *writing) learn(ctx context.Context) error {
	w.drafted, w.named, w.gone = map[graph.ID]graph.ConceptDraft{}, map[graph.ID]graph.Concept{}, map[graph.ID]bool{}
	for _, d := range w.batch.Concepts {
		w.drafted[d.Name()] = d
	}
	var sent []graph.ID
	var values []graph.ConceptDraft
	note := func(id graph.ID) {
		d, ok := w.drafted[id]
		switch {
		case id == 0:
		case !ok:
			sent = append(sent, id)
		case d.Kind == graph.DraftValue && graph.Shared(d.Value):
			values = append(values, d)
		}
	}
	for _, c := range w.batch.Connections {
		note(c.From)
		note(c.To)
		note(c.Type)
	}
	for _, id := range w.batch.RemoveConcepts {
		note(id)
	}
	if err := w.lookUp(ctx, sent); err != nil {
		return err
	}
	return w.lookUpValues(ctx, values)
}

// lookUp finds what was there before. A positive id that names nothing may be a reserved one that became
// another name for a concept.
func (w *writing) lookUp(ctx context.Context, sent []graph.ID) error {
	if err := w.name(ctx, sent); err != nil {
		return err
	}
	ghosts := slices.DeleteFunc(sent, func(id graph.ID) bool { return w.named[id].ID != 0 })
	if len(ghosts) == 0 {
		return nil
	}
	reals, err := w.store.Ghosts(ctx, w.batch.Sender, ghosts)
	if err != nil {
		return err
	}
	if err := w.name(ctx, slices.Collect(maps.Values(reals))); err != nil {
		return err
	}
	for ghost, id := range reals {
		c, ok := w.named[id]
		if !ok {
			w.gone[ghost] = true
			continue
		}
		w.named[ghost] = c
	}
	return nil
}

func (w *writing) name(ctx context.Context, ids []graph.ID) error {
	real := slices.DeleteFunc(slices.Clone(ids), graph.ID.Local)
	if len(real) == 0 {
		return nil
	}
	found, err := w.store.Concepts(ctx, real)
	for _, c := range found {
		w.named[c.ID] = c
	}
	return err
}

// lookUpValues finds the drafts that will turn out to be values somebody made before.
func (w *writing) lookUpValues(ctx context.Context, values []graph.ConceptDraft) error {
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
	there := map[key]graph.Concept{}
	for _, c := range found {
		there[key{c.Type, c.Scope(), c.Value}] = c
	}
	for _, d := range values {
		scope := graph.ScopeOf(w.caller.User, d.Access)
		if c, ok := there[key{types[d.TypeName].ID, scope, d.Value}]; ok {
			w.named[d.Name()] = c
		}
	}
	return nil
}

// insist lets values that are to be connected to others, or to go, become nobody's but the caller's, unless they
// were seen to be somebody else's: who else makes them between this look and the writing has not been looked at,
// and what an earlier batch called by their name may be another one.
func (w *writing) insist() {
	changed := map[graph.ID]bool{}
	for _, c := range w.batch.Connections {
		changed[c.From], changed[c.Type] = true, true
	}
	for _, id := range w.batch.RemoveConcepts {
		changed[id] = true
	}
	for i, d := range w.batch.Concepts {
		c, there := w.named[d.Name()]
		others := there && c.Owner != w.caller.User
		if d.Kind == graph.DraftValue && d.Name() != 0 && changed[d.Name()] && !others {
			w.batch.Concepts[i].Own = true
		}
	}
}

func (w *writing) mayConnect() error {
	for i, d := range w.batch.Connections {
		if err := w.mayAdd(d); err != nil {
			return graph.Errorf(graph.KindOf(err), "connection %d of the batch (%d→%d): %v", i, d.From, d.To, err)
		}
	}
	return nil
}

func (w *writing) mayAdd(d graph.ConnectionDraft) error {
	for _, id := range []graph.ID{d.From, d.To, d.Type} {
		c, ok := w.named[id]
		toMake := id == d.Type && id.Local() && d.TypeName != ""
		if ok && !w.reads(c) || w.nothing(id) && !toMake {
			return graph.Errorf(graph.Invalid, "there is no concept %d", id)
		}
	}
	if from, ok := w.named[d.From]; ok && !w.shares(from.Owner) {
		return graph.Errorf(graph.Forbidden, "concept %d belongs to somebody else, and only its owner may connect it to others", d.From)
	}
	if typ, ok := w.named[d.Type]; ok && !kind(typ) && !w.shares(typ.Owner) {
		return graph.Errorf(graph.Forbidden, "composition %d belongs to somebody else, and only its owner may add to it", d.Type)
	}
	return nil
}

// kind says whether connections of anybody may have this type: it names one, as types do and legacy linkers
// that everybody can read. Any other concept holds together what hangs on it, as a composition does.
func kind(c graph.Concept) bool {
	return c.IsType() || c.Type == graph.TypeConnection && c.Scope() == everyone
}

// shares says whether the caller may add to what belongs to this owner.
func (w *writing) shares(owner graph.ID) bool {
	return owner == w.caller.User || owner == graph.Anonymous || w.caller.Admin
}
