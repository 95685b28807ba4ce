package clientlog

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Erase deletes the entries that a user sent, and the sessions that were reported for the user. It is idempotent.
func (l *Log) Erase(ctx context.Context, user graph.ID) error {
	for _, typ := range Types {
		for more := true; more; {
			var err error
			if more, err = l.eraseChunks(ctx, user, typ); err != nil {
				return err
			}
		}
	}
	return l.eraseSessions(ctx, user)
}

// eraseChunks deletes some chunks of a user and reports whether there may be further chunks.
func (l *Log) eraseChunks(ctx context.Context, user graph.ID, typ string) (more bool, err error) {
	ownEntries, err := l.kv.List(ctx, kv.Range{Prefix: ownKey(user, typ, ""), Limit: trimStep})
	if err != nil || len(ownEntries) == 0 {
		return false, err
	}
	var keys []string
	var ops []kv.Op
	for _, m := range ownEntries {
		_, stamp := splitKey(m.Key)
		keys = append(keys, entryKey(typ, stamp))
		ops = append(ops, kv.Delete(m.Key))
	}
	chunks, err := l.kv.Get(ctx, keys...)
	if err != nil {
		return false, err
	}
	for _, c := range chunks {
		deletions, err := l.deletions(c)
		if err != nil {
			return false, err
		}
		ops = append(ops, deletions...)
	}
	err = l.kv.Commit(ctx, ops...)
	if graph.KindOf(err) == graph.Conflict { // another server has deleted some of the chunks
		err = nil
	}
	return true, err
}

func (l *Log) eraseSessions(ctx context.Context, user graph.ID) error {
	const pageSize = 500
	for before := int64(0); ; {
		found, err := l.Sessions(ctx, before, pageSize)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, s := range found {
			if s.User != user && s.UserID != user.String() {
				continue
			}
			if err := l.kv.Commit(ctx, kv.Delete(sessionKey(s.ID))); err != nil {
				return err
			}
			if err := kv.Clear(ctx, l.kv, pagePrefix(s.ID)); err != nil {
				return err
			}
		}
		before = found[len(found)-1].ID
	}
}
