package usage

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// foldStep is the maximum number of calls that are folded in one commit. A call has at most about half a megabyte.
const foldStep = 16

// maxFoldSteps is the maximum number of commits of one fold; the next fold continues with the remaining calls.
const maxFoldSteps = 128

// fold adds calls to the tables. If another server folds the same calls, one of the two commits succeeds, and the other
// server reads the remaining calls again.
func (t *Tracker) fold(ctx context.Context) error {
	for range maxFoldSteps {
		calls, err := t.kv.List(ctx, kv.Range{Prefix: callPrefix, Limit: foldStep})
		if err != nil || len(calls) == 0 {
			return err
		}
		err = t.foldCalls(ctx, calls)
		if err != nil && graph.KindOf(err) != graph.Conflict {
			return err
		}
	}
	return nil
}

func (t *Tracker) foldCalls(ctx context.Context, calls []kv.Entry) error {
	changed := &tableChanges{tracker: t, byKey: map[string]*tableChange{}}
	var ops []kv.Op
	for _, e := range calls {
		var c call
		if err := json.Unmarshal(e.Value, &c); err != nil {
			return graph.Wrap(graph.Internal, err, "entry %q is damaged", e.Key)
		}
		for kind, uses := range map[Kind][2]Uses{
			Concepts:    {c.Own.Concepts, c.All.Concepts},
			Connections: {c.Own.Connections, c.All.Connections},
		} {
			if err := changed.add(ctx, ownKey(c.User, kind), MaxOwn, uses[0], c); err != nil {
				return err
			}
			if err := changed.add(ctx, allKey(kind), MaxAll, uses[1], c); err != nil {
				return err
			}
		}
		ops = append(ops, kv.Delete(e.Key).If(e.Version))
	}
	return t.kv.Commit(ctx, append(ops, changed.puts()...)...)
}

// tableChanges holds the tables that a commit changes, by key.
type tableChanges struct {
	tracker *Tracker
	byKey   map[string]*tableChange
}

type tableChange struct {
	table
	version int64
}

// add adds the uses of a call to the table with a key, and cuts the table to maxIDs.
func (c *tableChanges) add(ctx context.Context, key string, maxIDs int, uses Uses, reported call) error {
	if len(uses) == 0 {
		return nil
	}
	if c.byKey[key] == nil {
		stored, version, err := c.tracker.table(ctx, key, kv.Absent)
		if err != nil {
			return err
		}
		c.byKey[key] = &tableChange{stored, version}
	}
	c.byKey[key].add(uses, reported.At)
	c.byKey[key].cut(maxIDs)
	return nil
}

// puts returns the operations that write the tables. A table without new uses expires when its scores are negligible.
func (c *tableChanges) puts() (ops []kv.Op) {
	until := c.tracker.now().Add(tableLifetime)
	for _, key := range slices.Sorted(maps.Keys(c.byKey)) {
		ops = append(ops, kv.Put(key, encode(c.byKey[key].table)).If(c.byKey[key].version).Until(until))
	}
	return ops
}
