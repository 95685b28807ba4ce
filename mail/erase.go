package mail

import (
	"context"
	"encoding/json"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// Erase drops the mails that a user sent and those about their account, whatever became of them. A mail that is on
// its way to its recipient arrives. It may be done again.
func (q *Queue) Erase(ctx context.Context, user graph.ID) error {
	err := q.each(ctx, stateArea, func(e kv.Entry) error {
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

// drop forgets a message. Whoever is about to write what became of it holds what says when it is due, so that goes
// with the rest, or with none of it.
func (q *Queue) drop(ctx context.Context, id string) error {
	for {
		ops := []kv.Op{kv.Delete(stateArea + id), kv.Delete(deadArea + id)}
		err := q.each(ctx, dueArea, func(e kv.Entry) error {
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

// each calls do with all entries of an area.
func (q *Queue) each(ctx context.Context, area string, do func(kv.Entry) error) error {
	const some = 500
	for after := ""; ; {
		found, err := q.kv.List(ctx, kv.Range{Prefix: area, After: after, Limit: some})
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
