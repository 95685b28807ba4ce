package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/raw"
)

// eraseInterval is the interval at which Run erases.
const eraseInterval = time.Hour

// Run erases the data of removed users until ctx is cancelled: when it starts, after each removal by this process, and
// every hour for removals by other processes. It resumes interrupted work. Servers of one database may run it
// concurrently.
func (a *Accounts) Run(ctx context.Context) {
	for ctx.Err() == nil {
		end, wait := a.options.BeginErasing(), eraseInterval
		err := a.Erase(ctx)
		if err != nil && ctx.Err() == nil {
			a.options.Log.ErrorContext(ctx, "cannot erase the data of removed users; retrying in a minute", "error", err)
			wait = time.Minute
		}
		end(err, wait)
		select {
		case <-a.removed:
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// wakeEraser makes Run erase now.
func (a *Accounts) wakeEraser() {
	select {
	case a.removed <- struct{}{}:
	default: // Run is about to erase anyway
	}
}

// Erase removes the data that only removed users could read, and calls the erasers for each of these users. To find the
// records, it reads the whole store once for all users. The in-memory store cannot be read row by row; there, it
// removes only the account records. After a failure for one user, it continues with the other users.
func (a *Accounts) Erase(ctx context.Context) error {
	all, err := list[removedUser](ctx, a.kv, kv.Range{Prefix: removedPrefix})
	if err != nil {
		return err
	}
	if err := a.eraseRows(ctx, all); err != nil {
		return err
	}
	var done []kv.Op
	var failed []error
	for _, user := range all {
		op, err := a.eraseRest(ctx, user)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		done = append(done, op)
	}
	for ops := range slices.Chunk(done, kv.MaxOps) {
		failed = append(failed, a.kv.Commit(ctx, ops...))
	}
	return errors.Join(failed...)
}

// eraseRows removes the records that only removed users could read. It skips users who have only account records left.
func (a *Accounts) eraseRows(ctx context.Context, all []removedUser) error {
	users := map[graph.ID]bool{}
	for _, user := range all {
		if !user.Kept {
			users[user.User] = true
		}
	}
	from, ok := graph.As[rows](a.store)
	if !ok || len(users) == 0 {
		return nil
	}
	// Connections are first, because a composition cannot be removed while connections of its type exist.
	for _, t := range []raw.Table{raw.Connection, raw.Concept} {
		if err := a.eraseTable(ctx, from, t, users); err != nil {
			return err
		}
	}
	return nil
}

// eraseRest removes the account records of one removed user and calls the erasers. It returns the operation that
// deletes the entry of the user, or that marks it as Kept if other users still use some of the records.
func (a *Accounts) eraseRest(ctx context.Context, removed removedUser) (kv.Op, error) {
	inUse, err := a.eraseRecords(ctx, removed)
	if err != nil {
		return kv.Op{}, err
	}
	for _, erase := range a.erasers {
		if err := erase(ctx, removed.User); err != nil {
			return kv.Op{}, err
		}
	}
	key := keyOf(removedPrefix, removed.User)
	if len(inUse) == 0 {
		return kv.Delete(key), nil
	}
	a.options.Log.WarnContext(ctx, "records of a removed user are in use by other users; retrying later", "user", removed.User, "concepts", inUse)
	removed.Kept = true
	return put(key, removed), nil
}

// eraseLinks deletes the links that were sent to a user by e-mail.
func (a *Accounts) eraseLinks(ctx context.Context, user graph.ID) error {
	for after := ""; ; {
		found, err := a.kv.List(ctx, kv.Range{Prefix: linkPrefix, After: after, Limit: batchSize})
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

// eraseRecords removes the account records of a removed user from the graph. It returns the ids of the records that
// remain because other users use them. It is idempotent.
func (a *Accounts) eraseRecords(ctx context.Context, removed removedUser) ([]graph.ID, error) {
	entity := []graph.ID{removed.Records.Entity}
	parts := graph.Links{Of: entity, Types: entity, Page: graph.Page{Limit: batchSize}}
	var inUse []graph.ID
	for {
		links, err := a.store.Links(ctx, parts)
		if err != nil {
			return nil, err
		}
		var ids []graph.ID
		for _, c := range links {
			ids, parts.Page.After = append(ids, c.To), c.ID
		}
		if len(links) == 0 {
			ids = []graph.ID{removed.Records.User, removed.Records.Entity, removed.Records.Email}
		}
		remaining, err := a.removePrivate(ctx, removed.User, ids)
		inUse = append(inUse, remaining...)
		if err != nil || len(links) == 0 {
			return inUse, err
		}
	}
}

// removePrivate removes the given concepts that only the user could read. It returns the ids of the concepts that
// remain because other users use them.
func (a *Accounts) removePrivate(ctx context.Context, user graph.ID, ids []graph.ID) ([]graph.ID, error) {
	found, err := a.store.Concepts(ctx, ids)
	if err != nil {
		return nil, err
	}
	var private []graph.ID
	for _, c := range found {
		if c.Scope() == user {
			private = append(private, c.ID)
		}
	}
	return a.remove(ctx, raw.Concept, private)
}

// rows is a store that can be read row by row.
type rows interface {
	Rows(ctx context.Context, t raw.Table, after raw.Row, limit int) ([]raw.Row, error)
}

// batchSize is the number of entries or rows per read.
const batchSize = 2_000

// eraseTable removes the records of a table that only the users could read.
func (a *Accounts) eraseTable(ctx context.Context, from rows, t raw.Table, users map[graph.ID]bool) error {
	id, owner, access := slices.Index(t.Columns, "id"), slices.Index(t.Columns, "owner"), slices.Index(t.Columns, "access")
	for after := raw.Row(nil); ; {
		found, err := from.Rows(ctx, t, after, batchSize)
		if err != nil || len(found) == 0 {
			return err
		}
		var private []graph.ID
		for _, r := range found {
			user := graph.ID(r[owner].(int64))
			if users[user] && graph.ScopeOf(user, graph.Access(r[access].(int64))) != 0 {
				private = append(private, graph.ID(r[id].(int64)))
			}
		}
		if _, err := a.remove(ctx, t, private); err != nil {
			return err
		}
		after = t.Of(found[len(found)-1])
	}
}

// remove removes the concepts or connections with the given ids, in one batch if possible. It returns the ids of the
// concepts or connections that remain because public records use them.
func (a *Accounts) remove(ctx context.Context, t raw.Table, ids []graph.ID) ([]graph.ID, error) {
	b := graph.Batch{Sender: graph.Sender{User: graph.System}, RemoveConcepts: ids}
	if t.Name == raw.Connection.Name {
		b.RemoveConcepts, b.RemoveConnections = nil, ids
	}
	_, err := a.store.Write(ctx, b)
	switch {
	case graph.KindOf(err) != graph.Forbidden:
		return nil, err
	case len(ids) == 1:
		return ids, nil
	}
	var inUse []graph.ID
	for i := range ids {
		remaining, err := a.remove(ctx, t, ids[i:i+1])
		if err != nil {
			return nil, err
		}
		inUse = append(inUse, remaining...)
	}
	return inUse, nil
}
