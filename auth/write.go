package auth

import (
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

// Write implements graph.Store. The owner of every draft is the caller, whatever the draft says. A
// connection may start at what the caller owns or everybody shares; a composition takes connections
// from nobody but its owner. Removing follows the owner of the record.
func (v *view) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	if v.caller.User == graph.Anonymous && !v.rules.AnonymousWrites {
		return graph.Receipt{}, graph.Errorf(graph.Unauthorized, "nobody is signed in, and this server takes no anonymous writes")
	}
	b = v.signed(b)
	if err := b.Check(); err != nil {
		return graph.Receipt{}, err
	}
	w := &writing{view: v, batch: b}
	if err := w.learn(ctx); err != nil {
		return graph.Receipt{}, err
	}
	if err := w.mayConnect(); err != nil {
		return graph.Receipt{}, err
	}
	b, err := w.mayRemove(ctx)
	if err != nil {
		return graph.Receipt{}, err
	}
	return v.store.Write(ctx, b)
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
	*view
	batch graph.Batch
	// What the ids of the batch name, ghosts included. An id that names nothing yet, or nothing the
	// store knows, is not in it: it will become the caller's, or the store will refuse it.
	named map[graph.ID]graph.Concept
}

// learn finds what the ids of the batch name.
func (w *writing) learn(ctx context.Context) error {
	drafted := map[graph.ID]graph.ConceptDraft{}
	for _, d := range w.batch.Concepts {
		drafted[d.Ghost] = d
	}
	var real, ghosts []graph.ID
	var values []graph.ConceptDraft
	note := func(id graph.ID) {
		d, ok := drafted[id]
		switch {
		case id.Real():
			real = append(real, id)
		case !ok && id.Local():
			ghosts = append(ghosts, id)
		case ok && d.Kind == graph.DraftValue && graph.Shared(d.Value):
			values = append(values, d)
		}
	}
	for _, c := range w.batch.Connections {
		note(c.From)
		note(c.Type)
		if !c.To.Local() {
			note(c.To)
		}
	}
	for _, id := range w.batch.RemoveConcepts {
		note(id)
	}
	return w.lookUp(ctx, real, ghosts, values)
}

func (w *writing) lookUp(ctx context.Context, real, ghosts []graph.ID, values []graph.ConceptDraft) error {
	w.named = map[graph.ID]graph.Concept{}
	reals := map[graph.ID]graph.ID{}
	if len(ghosts) > 0 {
		var err error
		if reals, err = w.store.Ghosts(ctx, w.batch.Sender, ghosts); err != nil {
			return err
		}
		for _, id := range reals {
			real = append(real, id)
		}
	}
	if len(real) > 0 {
		found, err := w.store.Concepts(ctx, real)
		if err != nil {
			return err
		}
		for _, c := range found {
			w.named[c.ID] = c
		}
	}
	for ghost, id := range reals {
		if c, ok := w.named[id]; ok {
			w.named[ghost] = c
		}
	}
	return w.lookUpValues(ctx, values)
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
			w.named[d.Ghost] = c
		}
	}
	return nil
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
		if c, ok := w.named[id]; ok && !w.in(circleOf(c)) {
			return graph.Errorf(graph.Invalid, "there is no concept %d", id)
		}
	}
	if from, ok := w.named[d.From]; ok && !w.shares(from.Owner) {
		return graph.Errorf(graph.Forbidden, "concept %d belongs to somebody else, and only its owner may connect it to others", from.ID)
	}
	if typ, ok := w.named[d.Type]; ok && typ.Composition && !w.shares(typ.Owner) {
		return graph.Errorf(graph.Forbidden, "composition %d belongs to somebody else, and only its owner may add to it", typ.ID)
	}
	return nil
}

// shares says whether a record with this owner is the caller's or everybody's.
func (w *writing) shares(owner graph.ID) bool {
	return owner == w.caller.User || owner == graph.Anonymous
}

// Reserve implements graph.Store. Ids are reserved for the caller, whatever user is named.
func (v *view) Reserve(ctx context.Context, _ graph.ID, n int) ([]graph.ID, error) {
	if v.caller.User == graph.Anonymous && !v.rules.AnonymousWrites {
		return nil, graph.Errorf(graph.Unauthorized, "nobody is signed in, and this server takes no anonymous writes")
	}
	return v.store.Reserve(ctx, v.caller.User, n)
}
