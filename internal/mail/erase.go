package mail

import (
	"context"
	"encoding/json"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Erase deletes the e-mails that a user sent and the e-mails about the user's account, in any state. An e-mail that is
// being sent may still arrive. Erase is idempotent.
func (q *Queue) Erase(ctx context.Context, user graph.ID) error {
	err := q.forEach(ctx, stateArea, func(e kv.Entry) error {
		var s Status
		if err := json.Unmarshal(e.Value, &s); err != nil || s.Owner != user && s.About != user {
			return err
		}
		return q.drop(ctx, s.ID)
	})
	if err != nil {
		return err
	}
	return kv.Clear(ctx, q.kv, rateArea+user.String()+"/")
}

// drop deletes a message. The due entry and the status of the message are deleted in one commit. If a server delivers the
// message at the same time, it updates both entries, so that one of the two commits fails with a Conflict. drop tries again
// after a Conflict and returns any other error.
func (q *Queue) drop(ctx context.Context, id string) error {
	for {
		ops := []kv.Op{kv.Delete(stateArea + id), kv.Delete(deadArea + id)}
		err := q.forEach(ctx, dueArea, func(e kv.Entry) error {
			if string(e.Value) == id {
				ops = append(ops, kv.Delete(e.Key).If(e.Version))
			}
			return nil
		})
		if err == nil {
			err = q.kv.Commit(ctx, ops...)
		}
		if graph.KindOf(err) == graph.Conflict {
			continue
		}
		if err != nil {
			return err
		}
		return kv.Clear(ctx, q.kv, contentArea+id+"/")
	}
}

// forEach calls do for all entries of an area.
func (q *Queue) forEach(ctx context.Context, area string, do func(kv.Entry) error) error {
	const pageSize = 500
	for after := ""; ; {
		found, err := q.kv.List(ctx, kv.Range{Prefix: area, After: after, Limit: pageSize})
		if err != nil || len(found) == 0 {
			return err
		}
		for _, e := range found {
			if err := do(e); err != nil {
				return err
			}
		}
		after = found[len(found)-1].Key
	}
}
