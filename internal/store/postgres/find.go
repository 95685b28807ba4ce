package postgres

import (
	"context"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// In a new database, whose tables are small and not analyzed yet, PostgreSQL would plan to read all instances in the directory and to
// compare them with the keys, and connections keep their plans while the tables grow. Offset 0 makes it look up each key.
const (
	byHash = `select ` + conceptColumns + ` from unnest($1::uuid[], $2::bigint[], $3::bigint[]) k(hash, viewer, type)
		cross join lateral (select d.id from directory d where d.hash = k.hash`
	// Offset 0 also keeps PostgreSQL from reading all scopes and filtering them.
	inScope = `select d.id from directory d where d.hash = k.hash and d.category = 4 and d.type = k.type and d.scope = `
	concept = ` join concept c on c.id = d.id`
	listed  = ` offset 0) d` + concept

	typesByValue     = byHash + ` and d.category < 4` + listed + ` union all ` + byHash + ` and d.category > 4` + listed
	instancesByValue = byHash + ` and d.category = 4` + listed + ` where k.viewer = 0 union all ` + ofEachType
	byTypeAndValue   = byHash + ` and d.category = 4 and d.type = k.type` + listed
	byTypeAndViewer  = `select ` + conceptColumns + ` from unnest($1::uuid[], $2::bigint[], $3::bigint[]) k(hash, viewer, type)
		cross join lateral (values (0::bigint), (k.viewer)) s(scope)
		cross join lateral (` + inScope + `s.scope offset 0) d` + concept
)

// ofEachType finds the instances of any type that a viewer may see. The directory lists all scopes of a type together, so types
// are read in sequence, each starting at the end of the previous one.
const ofEachType = `select ` + conceptColumns + ` from (
		with recursive t(hash, viewer, type) as (
			select k.hash, k.viewer, (select d.type from directory d where d.hash = k.hash and d.category = 4 order by d.type limit 1)
				from unnest($1::uuid[], $2::bigint[], $3::bigint[]) k(hash, viewer, type) where k.viewer <> 0
			union all
			select t.hash, t.viewer, (select d.type from directory d where d.hash = t.hash and d.category = 4 and d.type > t.type order by d.type limit 1)
				from t where t.type is not null)
		select t.hash, t.type, s.scope from t cross join lateral (values (0::bigint), (t.viewer)) s(scope) where t.type is not null) k
	cross join lateral (` + inScope + `k.scope offset 0) d` + concept

// ConceptsByValue implements graph.Reader. Each kind of key has its own statement, which reads a narrow range of the
// directory.
func (r *Reader) ConceptsByValue(ctx context.Context, keys []graph.ValueKey) ([]graph.Concept, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var types, instances, ofType, ofTypeVisible seeks
	sqlstore.SplitKeys(keys, types.add, instances.add, ofType.add, ofTypeVisible.add)
	found := []graph.Concept{}
	for _, seek := range []struct {
		query string
		seeks
	}{
		{typesByValue, types}, {instancesByValue, instances}, {byTypeAndValue, ofType}, {byTypeAndViewer, ofTypeVisible},
	} {
		if len(seek.hashes) == 0 {
			continue
		}
		concepts, err := collect(ctx, r.pool, scanConcept, seek.query, seek.hashes, seek.viewers, seek.types)
		if err != nil {
			return nil, failed(ctx, "finding values", err)
		}
		found = append(found, concepts...)
	}
	return sqlstore.Matching(found, keys), nil
}

// seeks holds keys column by column.
type seeks struct {
	hashes         [][16]byte
	viewers, types []int64
}

func (s *seeks) add(key graph.ValueKey) {
	s.hashes = append(s.hashes, plan.Hash(key.Value))
	s.viewers = append(s.viewers, int64(key.Viewer))
	s.types = append(s.types, int64(key.Type))
}

// HasValue implements graph.ValueChecker.
func (r *Reader) HasValue(ctx context.Context, typ graph.ID, value string) (bool, error) {
	const query = `select exists(select 1 from directory d join concept c on c.id = d.id
		where d.hash = $1 and d.category = 4 and d.type = $2 and c.value = $3)`
	var exists bool
	err := r.pool.QueryRow(ctx, query, plan.Hash(value), int64(typ), value).Scan(&exists)
	return exists, failed(ctx, "looking for a value", err)
}
