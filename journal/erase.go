package journal

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Erase drops the entries that a user sent, and the sessions that were announced as theirs. It may be done again.
func (j *Journal) Erase(ctx context.Context, user graph.ID) error {
	for _, typ := range Types {
		for more := true; more; {
			var err error
			if more, err = j.eraseSome(ctx, user, typ); err != nil {
				return err
			}
		}
	}
	return j.eraseSessions(ctx, user)
}

// eraseSome says whether there may be more.
func (j *Journal) eraseSome(ctx context.Context, user graph.ID, typ string) (more bool, err error) {
	marks, err := j.kv.List(ctx, kv.Range{Prefix: ownKey(user, typ, ""), Limit: trimStep})
	if err != nil || len(marks) == 0 {
		return false, err
	}
	var keys []string
	var ops []kv.Op
	for _, m := range marks {
		_, stamp := splitKey(m.Key)
		keys = append(keys, entryKey(typ, stamp))
		ops = append(ops, kv.Delete(m.Key))
	}
	chunks, err := j.kv.Get(ctx, keys...)
	if err != nil {
		return false, err
	}
	for _, c := range chunks {
		drops, err := j.drops(c)
		if err != nil {
			return false, err
		}
		ops = append(ops, drops...)
	}
	err = j.kv.Commit(ctx, ops...)
	if graph.KindOf(err) == graph.Conflict { // another server dropped some of them
		err = nil
	}
	return true, err
}

func (j *Journal) eraseSessions(ctx context.Context, user graph.ID) error {
	const some = 500
	for before := int64(0); ; {
		found, err := j.Sessions(ctx, before, some)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, s := range found {
			if s.User != user && s.UserID != user.String() {
				continue
			}
			if err := j.kv.Commit(ctx, kv.Delete(sessionKey(s.ID))); err != nil {
				return err
			}
			if err := kv.Clear(ctx, j.kv, pagePrefix(s.ID)); err != nil {
				return err
			}
		}
		before = found[len(found)-1].ID
	}
}
