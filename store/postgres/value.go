package postgres

import (
	"cmp"
	"context"
	"slices"

	"github.com/weft-graph/weft/graph"
)

const (
	byHash = `select ` + conceptColumns + ` from unnest($1::uuid[], $2::bigint[], $3::bigint[]) k(hash, viewer, type)
		join directory d on d.hash = k.hash`
	concept = ` join concept c on c.id = d.id`

	typesByValue     = byHash + ` and d.category < 4` + concept + ` union all ` + byHash + ` and d.category > 4` + concept
	instancesByValue = byHash + ` and d.category = 4` + concept + ` where k.viewer = 0 or d.scope in (0, k.viewer)`
	byTypeAndValue   = byHash + ` and d.category = 4 and d.type = k.type` + concept
	byTypeAndViewer  = byHash + ` and d.category = 4 and d.type = k.type and d.scope in (0, k.viewer)` + concept
)

// ConceptsByValue implements graph.Reader. The directory is read by ranges that hold little else than
// what is asked for, so each kind of key has a statement of its own.
func (r *Reader) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var types, instances, ofType, ofTypeSeen seeks
	for _, key := range keys {
		if !graph.Shared(key.Value) {
			continue
		}
		if key.Category != graph.CategoryInstance {
			types.add(key)
		}
		switch {
		case key.Types || key.Category != 0 && key.Category != graph.CategoryInstance:
		case key.Type == 0:
			instances.add(key)
		case key.Viewer == 0:
			ofType.add(key)
		default:
			ofTypeSeen.add(key)
		}
	}
	found := []graph.Concept{}
	for _, seek := range []struct {
		query string
		seeks
	}{
		{typesByValue, types}, {instancesByValue, instances}, {byTypeAndValue, ofType}, {byTypeAndViewer, ofTypeSeen},
	} {
		if len(seek.hashes) == 0 {
			continue
		}
		some, err := collect(ctx, r.pool, scanConcept, seek.query, seek.hashes, seek.viewers, seek.types)
		if err != nil {
			return nil, failed(ctx, "finding values", err)
		}
		found = append(found, some...)
	}
	return matching(found, keys), nil
}

// seeks are keys by column.
type seeks struct {
	hashes         [][16]byte
	viewers, types []int64
}

func (s *seeks) add(key graph.ValueKey) {
	s.hashes = append(s.hashes, hash(key.Value))
	s.viewers = append(s.viewers, int64(key.Viewer))
	s.types = append(s.types, int64(key.Type))
}

// matching keeps what one of the keys asks for, once, in order of id.
func matching(found []graph.Concept, keys []graph.ValueKey) []graph.Concept {
	asked := make(map[string][]graph.ValueKey, len(keys))
	for _, key := range keys {
		asked[key.Value] = append(asked[key.Value], key)
	}
	found = slices.DeleteFunc(found, func(c graph.Concept) bool {
		return !slices.ContainsFunc(asked[c.Value], func(key graph.ValueKey) bool { return key.Matches(c) })
	})
	slices.SortFunc(found, func(a, b graph.Concept) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b graph.Concept) bool { return a.ID == b.ID })
}
