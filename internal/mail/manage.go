package mail

import (
	"context"
	"encoding/json"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// maxListed is the maximum number of messages that one call of List reads.
const maxListed = 5_000

// List returns up to limit messages in a state, newest first, after a cursor. The state "" selects all messages. It also returns the
// cursor of the next page, or "" after the last page. It reads at most 5,000 messages, so a page that is not full, or even empty, may
// have a cursor.
func (q *Queue) List(ctx context.Context, state State, after string, limit int) (found []Status, next string, err error) {
	r := kv.Range{Prefix: stateArea, Descending: true, Limit: 500}
	if after != "" {
		r.After = stateArea + after
	}
	for range maxListed / r.Limit {
		entries, err := q.kv.List(ctx, r)
		if err != nil || len(entries) == 0 {
			return found, "", err
		}
		for _, e := range entries {
			var s Status
			if err := json.Unmarshal(e.Value, &s); err != nil {
				return nil, "", err
			}
			if next = s.ID; state != "" && s.State != state {
				continue
			}
			if found = append(found, s); len(found) == limit {
				return found, next, nil
			}
		}
		r.After = entries[len(entries)-1].Key
	}
	return found, next, nil
}

// Retry makes a message due now. The message must be waiting for its next attempt or have failed. A failed message is sent again
// to its failed recipients. Errors: NotFound, and Conflict for a message that was delivered or is changed concurrently.
func (q *Queue) Retry(ctx context.Context, id string) (Status, error) {
	s, err := q.Status(ctx, id)
	if err != nil {
		return s, err
	}
	found, err := q.kv.Get(ctx, stateArea+id)
	if err != nil || len(found) == 0 {
		return s, err
	}
	if s.State == Sent {
		return s, graph.Errorf(graph.Conflict, "the e-mail %q was delivered", id)
	}
	now := time.Now()
	ops := []kv.Op{kv.Put(dueKey(now, id), []byte(id)), kv.Delete(deadArea + id)}
	err = q.forEach(ctx, dueArea, func(e kv.Entry) error {
		if string(e.Value) == id {
			ops = append([]kv.Op{kv.Delete(e.Key).If(e.Version)}, ops...)
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	for i := range s.To {
		if s.To[i].State == Failed {
			s.To[i].State = Queued
		}
	}
	s.State, s.Next = Queued, now.UTC()
	if err := q.kv.Commit(ctx, append(ops, s.putOp().If(found[0].Version))...); err != nil {
		return s, err
	}
	select {
	case q.wake <- struct{}{}:
	default: // Run is about to read the queue anyway
	}
	return s, nil
}

// Remove deletes a message in any state. A message that is being sent may still arrive. The error is NotFound for an unknown message.
func (q *Queue) Remove(ctx context.Context, id string) (Status, error) {
	s, err := q.Status(ctx, id)
	if err != nil {
		return s, err
	}
	return s, q.drop(ctx, id)
}
