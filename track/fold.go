package track

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// foldStep is how many calls are folded in one commit. A call is at most about half a megabyte.
const foldStep = 16

// mostSteps is how many commits one fold makes; the rest waits for the next.
const mostSteps = 128

// fold brings the waiting calls into the tables. Where another server folds the same calls, one of the two
// commits, and the other looks again.
func (t *Tracker) fold(ctx context.Context) error {
	for range mostSteps {
		calls, err := t.kv.List(ctx, kv.Range{Prefix: callPrefix, Limit: foldStep})
		if err != nil || len(calls) == 0 {
			return err
		}
		err = t.foldSome(ctx, calls)
		if err != nil && graph.KindOf(err) != graph.Conflict {
			return err
		}
	}
	return nil
}

func (t *Tracker) foldSome(ctx context.Context, calls []kv.Entry) error {
	changed := &tables{tracker: t, by: map[string]*changing{}}
	var ops []kv.Op
	for _, e := range calls {
		var c call
		if err := json.Unmarshal(e.Value, &c); err != nil {
			return graph.Wrap(graph.Internal, err, "the entry %q is damaged", e.Key)
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

// tables are those that a commit changes.
type tables struct {
	tracker *Tracker
	by      map[string]*changing
}

type changing struct {
	table
	version int64
}

func (c *tables) add(ctx context.Context, key string, most int, uses Uses, by call) error {
	if len(uses) == 0 {
		return nil
	}
	if c.by[key] == nil {
		read, version, err := c.tracker.table(ctx, key, kv.Absent)
		if err != nil {
			return err
		}
		c.by[key] = &changing{read, version}
	}
	c.by[key].add(uses, by.At)
	c.by[key].cut(most)
	return nil
}

// puts write the tables. One that nobody adds to for long expires: by then nothing in it counts.
func (c *tables) puts() (ops []kv.Op) {
	until := c.tracker.now().Add(keepOwn)
	for _, key := range slices.Sorted(maps.Keys(c.by)) {
		ops = append(ops, kv.Put(key, encode(c.by[key].table)).If(c.by[key].version).Until(until))
	}
	return ops
}
