package anomaly

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// known are the types that changes have named, and how far the changes were read. A store does not list its
// types, and forgets its changes; what they said is kept in the kv store.
type known struct {
	Seq   graph.Seq  `json:"seq"`
	Types []graph.ID `json:"types"` // those named last come last
}

const knownKey = "anomaly/types"

// Limits on the changes that are read at once.
const (
	changesStep = 200
	mostChanges = 20_000
	mostLooked  = 50_000 // ids looked up
)

// types returns the types there are, those that were used last first.
func (n *Normals) types(ctx context.Context) ([]graph.Concept, error) {
	if err := n.recall(ctx); err != nil {
		return nil, err
	}
	before := n.known.Seq
	if err := n.follow(ctx); err != nil {
		return nil, err
	}
	if n.known.Seq != before {
		if err := n.remember(ctx); err != nil {
			return nil, err
		}
	}
	types, err := n.reader.Concepts(ctx, n.known.Types)
	slices.Reverse(types)
	return types, err
}

// recall reads what is known, which another server may have added to.
func (n *Normals) recall(ctx context.Context) error {
	if n.kv == nil {
		return nil
	}
	found, err := n.kv.Get(ctx, knownKey)
	if err != nil || len(found) == 0 {
		return err
	}
	var k known
	if err := json.Unmarshal(found[0].Value, &k); err != nil {
		return graph.Wrap(graph.Internal, err, "the entry %q is damaged", knownKey)
	}
	n.known = k
	return nil
}

func (n *Normals) remember(ctx context.Context) error {
	if n.kv == nil {
		return nil
	}
	text, err := json.Marshal(n.known)
	if err != nil {
		return err
	}
	return n.kv.Commit(ctx, kv.Put(knownKey, text))
}

// follow reads the changes since the last look. What is too much for one look is left to the next.
func (n *Normals) follow(ctx context.Context) error {
	if err := n.skip(ctx); err != nil {
		return err
	}
	for read, looked := 0, 0; read < mostChanges && looked < mostLooked; {
		changes, err := n.reader.Changes(ctx, n.known.Seq, changesStep)
		if err != nil || len(changes) == 0 {
			return err
		}
		var ids []graph.ID
		for _, c := range changes {
			ids = append(ids, c.Types...)
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		if err := n.name(ctx, ids); err != nil {
			return err
		}
		read += len(changes)
		looked += len(ids)
		n.known.Seq = changes[len(changes)-1].Seq
	}
	return nil
}

// skip goes on to the oldest change that the store still has.
func (n *Normals) skip(ctx context.Context) error {
	last, err := n.reader.LastSeq(ctx)
	if err != nil {
		return err
	}
	forgotten := func(after graph.Seq) (bool, error) {
		_, err := n.reader.Changes(ctx, after, 1)
		if graph.KindOf(err) == graph.NotFound {
			return true, nil
		}
		return false, err
	}
	low, high := min(n.known.Seq, last), last
	if gone, err := forgotten(low); err != nil || !gone {
		n.known.Seq = low
		return err
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		gone, err := forgotten(middle)
		if err != nil {
			return err
		}
		if gone {
			low = middle
		} else {
			high = middle
		}
	}
	n.known.Seq = high
	return nil
}

// name adds the types among ids. The type of an internal connection is a composition, and none.
func (n *Normals) name(ctx context.Context, ids []graph.ID) error {
	for some := range slices.Chunk(ids, 1_000) {
		concepts, err := n.reader.Concepts(ctx, some)
		if err != nil {
			return err
		}
		for _, c := range concepts {
			if !c.IsType() {
				continue
			}
			if i := slices.Index(n.known.Types, c.ID); i >= 0 {
				n.known.Types = slices.Delete(n.known.Types, i, i+1)
			}
			n.known.Types = append(n.known.Types, c.ID)
		}
	}
	n.known.Types = n.known.Types[max(0, len(n.known.Types)-maxKnown):]
	return nil
}
