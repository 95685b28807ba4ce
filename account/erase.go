package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/store/raw"
)

// Run erases what is only about users who left, until the context ends. What an accident interrupts is taken
// up again, and what another process left to do is found within the hour; servers of one database may do the same
// work.
func (a *Accounts) Run(ctx context.Context) {
	for ctx.Err() == nil {
		again := time.After(time.Hour)
		if err := a.Erase(ctx); err != nil && ctx.Err() == nil {
			a.options.Log.ErrorContext(ctx, "what a user left could not be erased; it is tried again", "error", err)
			again = time.After(time.Minute)
		}
		select {
		case <-a.left:
		case <-again:
		case <-ctx.Done():
		}
	}
}

// awake makes Run look for users who left.
func (a *Accounts) awake() {
	select {
	case a.left <- struct{}{}:
	default: // it will look anyway
	}
}

// Erase removes what only users who left could read, and what the erasers know of them. It reads the whole
// store, once for all of them, since nothing else finds all that somebody owns; a store that cannot be read
// so, because it is forgotten with the process, only loses their records. What goes wrong with one of them keeps
// nobody else from being erased.
func (a *Accounts) Erase(ctx context.Context) error {
	all, err := list[leaver](ctx, a.kv, kv.Range{Prefix: gonePrefix})
	if err != nil {
		return err
	}
	if err := a.eraseRows(ctx, all); err != nil {
		return err
	}
	var done []kv.Op
	var failed []error
	for _, l := range all {
		op, err := a.eraseRest(ctx, l)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		done = append(done, op)
	}
	for some := range slices.Chunk(done, kv.MaxOps) {
		failed = append(failed, a.kv.Commit(ctx, some...))
	}
	return errors.Join(failed...)
}

// eraseRows removes what only those who left could read, but for those of whom only their records are left.
func (a *Accounts) eraseRows(ctx context.Context, all []leaver) error {
	users := map[graph.ID]bool{}
	for _, l := range all {
		if !l.Kept {
			users[l.User] = true
		}
	}
	from, ok := graph.Behind[rows](a.graph)
	if !ok || len(users) == 0 {
		return nil
	}
	// Connections go first: a composition stays as long as connections of its type do.
	for _, t := range []raw.Table{raw.Connection, raw.Concept} {
		if err := a.erase(ctx, from, t, users); err != nil {
			return err
		}
	}
	return nil
}

// eraseRest removes the records of one leaver and what the erasers know of them. The operation says what is left
// to do.
func (a *Accounts) eraseRest(ctx context.Context, l leaver) (kv.Op, error) {
	kept, err := a.eraseRecords(ctx, l)
	if err != nil {
		return kv.Op{}, err
	}
	for _, erase := range a.erasers {
		if err := erase(ctx, l.User); err != nil {
			return kv.Op{}, err
		}
	}
	key := under(gonePrefix, l.User)
	if len(kept) == 0 {
		return kv.Delete(key), nil
	}
	a.options.Log.WarnContext(ctx, "others use records of a user who left; it is tried again", "user", l.User, "concepts", kept)
	l.Kept = true
	return put(key, l), nil
}

// eraseLinks ends what a user was sent to confirm something with.
func (a *Accounts) eraseLinks(ctx context.Context, user graph.ID) error {
	for after := ""; ; {
		found, err := a.kv.List(ctx, kv.Range{Prefix: linkPrefix, After: after, Limit: atOnce})
		if err != nil || len(found) == 0 {
			return err
		}
		after = found[len(found)-1].Key
		var ops []kv.Op
		for _, e := range found {
			var l link
			if err := decode(e, &l); err != nil {
				return err
			}
			if l.User == user {
				ops = append(ops, kv.Delete(e.Key))
			}
		}
		if err := a.kv.Commit(ctx, ops...); err != nil {
			return err
		}
	}
}

// eraseRecords takes the records of a user who left out of the graph, and returns those that others use. It may
// be done again.
func (a *Accounts) eraseRecords(ctx context.Context, l leaver) ([]graph.ID, error) {
	entity := []graph.ID{l.Records.Entity}
	parts := graph.Links{Of: entity, Types: entity, Page: graph.Page{Limit: atOnce}}
	var kept []graph.ID
	for {
		links, err := a.graph.Links(ctx, parts)
		if err != nil {
			return nil, err
		}
		var ids []graph.ID
		for _, c := range links {
			ids, parts.Page.After = append(ids, c.To), c.ID
		}
		if len(links) == 0 {
			ids = []graph.ID{l.Records.User, l.Records.Entity, l.Records.Email}
		}
		stay, err := a.removeOf(ctx, l.User, ids)
		kept = append(kept, stay...)
		if err != nil || len(links) == 0 {
			return kept, err
		}
	}
}

// removeOf removes those concepts that only a user could read.
func (a *Accounts) removeOf(ctx context.Context, user graph.ID, ids []graph.ID) ([]graph.ID, error) {
	found, err := a.graph.Concepts(ctx, ids)
	if err != nil {
		return nil, err
	}
	var going []graph.ID
	for _, c := range found {
		if c.Scope() == user {
			going = append(going, c.ID)
		}
	}
	return a.remove(ctx, raw.Concept, going)
}

// rows is a store that can be read row by row.
type rows interface {
	Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error)
}

// atOnce is how many rows are read at once.
const atOnce = 2_000

func (a *Accounts) erase(ctx context.Context, from rows, t raw.Table, users map[graph.ID]bool) error {
	id, owner, access := slices.Index(t.Columns, "id"), slices.Index(t.Columns, "owner"), slices.Index(t.Columns, "access")
	for after := raw.Row(nil); ; {
		found, err := from.Rows(ctx, t, after, atOnce)
		if err != nil || len(found) == 0 {
			return err
		}
		var going []graph.ID
		for _, r := range found {
			user := graph.ID(r[owner].(int64))
			if users[user] && graph.ScopeOf(user, graph.Access(r[access].(int64))) != 0 {
				going = append(going, graph.ID(r[id].(int64)))
			}
		}
		if _, err := a.remove(ctx, t, going); err != nil {
			return err
		}
		after = t.Of(found[len(found)-1])
	}
}

// remove takes records out of the graph, all at once if that may be. What something public is built on stays, and
// is returned.
func (a *Accounts) remove(ctx context.Context, t raw.Table, ids []graph.ID) ([]graph.ID, error) {
	b := graph.Batch{Sender: graph.Sender{User: graph.System}, RemoveConcepts: ids}
	if t.Name == raw.Connection.Name {
		b.RemoveConcepts, b.RemoveConnections = nil, ids
	}
	_, err := a.graph.Write(ctx, b)
	switch {
	case graph.KindOf(err) != graph.Forbidden:
		return nil, err
	case len(ids) == 1:
		return ids, nil
	}
	var kept []graph.ID
	for i := range ids {
		stay, err := a.remove(ctx, t, ids[i:i+1])
		if err != nil {
			return nil, err
		}
		kept = append(kept, stay...)
	}
	return kept, nil
}
