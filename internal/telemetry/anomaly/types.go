package anomaly

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// knownTypes holds the types that occurred in changes, and the position up to which changes were read. The kv store
// keeps the list, because a graph store deletes old changes. graph.TypeLister would not replace it: the capability is
// optional, and lists types by id and not by their last use.
type knownTypes struct {
	Seq   graph.Seq  `json:"seq"`
	Types []graph.ID `json:"types"` // most recently used last
}

const knownKey = "anomaly/types"

// Limits of the changes that one scan reads.
const (
	changesPerRead = 200
	maxChanges     = 20_000
	maxIDs         = 50_000 // number of ids that are looked up
)

// types returns the known types, most recently used first.
func (s *Statistics) types(ctx context.Context) ([]graph.Concept, error) {
	if err := s.loadKnown(ctx); err != nil {
		return nil, err
	}
	before := s.known.Seq
	if err := s.readChanges(ctx); err != nil {
		return nil, err
	}
	if s.known.Seq != before {
		if err := s.saveKnown(ctx); err != nil {
			return nil, err
		}
	}
	types, err := s.reader.Concepts(ctx, s.known.Types)
	slices.Reverse(types)
	return types, err
}

// loadKnown reads the list of known types, which another server may have extended.
func (s *Statistics) loadKnown(ctx context.Context) error {
	if s.kv == nil {
		return nil
	}
	found, err := s.kv.Get(ctx, knownKey)
	if err != nil || len(found) == 0 {
		return err
	}
	var k knownTypes
	if err := json.Unmarshal(found[0].Value, &k); err != nil {
		return graph.Wrap(graph.Internal, err, "entry %q is damaged", knownKey)
	}
	s.known = k
	return nil
}

func (s *Statistics) saveKnown(ctx context.Context) error {
	if s.kv == nil {
		return nil
	}
	text, err := json.Marshal(s.known)
	if err != nil {
		return err
	}
	return s.kv.Commit(ctx, kv.Put(knownKey, text))
}

// readChanges reads the changes since the last scan, up to the limits of a scan; the next scan continues.
func (s *Statistics) readChanges(ctx context.Context) error {
	if err := s.skipDeletedChanges(ctx); err != nil {
		return err
	}
	for read, lookedUp := 0, 0; read < maxChanges && lookedUp < maxIDs; {
		changes, err := s.reader.Changes(ctx, s.known.Seq, changesPerRead)
		if err != nil || len(changes) == 0 {
			return err
		}
		var ids []graph.ID
		for _, c := range changes {
			ids = append(ids, c.Types...)
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		if err := s.addTypes(ctx, ids); err != nil {
			return err
		}
		read += len(changes)
		lookedUp += len(ids)
		s.known.Seq = changes[len(changes)-1].Seq
	}
	return nil
}

// skipDeletedChanges moves the position to the oldest change that the store still has, by binary search.
func (s *Statistics) skipDeletedChanges(ctx context.Context) error {
	last, err := s.reader.LastSeq(ctx)
	if err != nil {
		return err
	}
	isDeleted := func(after graph.Seq) (bool, error) {
		_, err := s.reader.Changes(ctx, after, 1)
		if graph.KindOf(err) == graph.NotFound {
			return true, nil
		}
		return false, err
	}
	low, high := min(s.known.Seq, last), last
	if deleted, err := isDeleted(low); err != nil || !deleted {
		s.known.Seq = low
		return err
	}
	for high-low > 1 {
		middle := low + (high-low)/2
		deleted, err := isDeleted(middle)
		if err != nil {
			return err
		}
		if deleted {
			low = middle
		} else {
			high = middle
		}
	}
	s.known.Seq = high
	return nil
}

// addTypes adds the given ids that are types. The type of an inner connection is a composition, which is skipped.
func (s *Statistics) addTypes(ctx context.Context, ids []graph.ID) error {
	for chunk := range slices.Chunk(ids, 1_000) {
		concepts, err := s.reader.Concepts(ctx, chunk)
		if err != nil {
			return err
		}
		for _, c := range concepts {
			if !c.IsType() {
				continue
			}
			if i := slices.Index(s.known.Types, c.ID); i >= 0 {
				s.known.Types = slices.Delete(s.known.Types, i, i+1)
			}
			s.known.Types = append(s.known.Types, c.ID)
		}
	}
	s.known.Types = s.known.Types[max(0, len(s.known.Types)-maxKnown):]
	return nil
}
