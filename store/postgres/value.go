package postgres

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
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
	sqlstore.Sort(keys, types.add, instances.add, ofType.add, ofTypeSeen.add)
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
	return sqlstore.Matching(found, keys), nil
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
