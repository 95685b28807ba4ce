package postgres

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/internal/store/plan"
)

const (
	// tryLockValues takes the locks of LockValues until the end of the transaction and selects those that another session holds. A
	// transaction must not wait for them: a server that holds some may be waiting for a write behind this one.
	tryLockValues = `select key from unnest($1::int4[]) key where not pg_try_advisory_xact_lock(` + valueLocks + `, key)`

	// presentValues selects the positions of the values that exist. The limit has the purpose of offset 0 in byHash.
	presentValues = `select k.n from unnest($1::uuid[], $2::bigint[]) with ordinality k(hash, type, n)
		cross join lateral (select from directory d where d.hash = k.hash and d.category = 4 and d.type = k.type limit 1) d`
)

// queueAbsent takes the locks of the conditions graph.Absent of the group, and then reads which of their values exist: in a statement
// of its own, so that it sees the values that the former holders of the locks have committed.
func (t *transaction) queueAbsent(b *pgx.Batch) {
	var hashes [][16]byte
	var types []int64
	var valuesOf []*write // by position
	holders := map[int32]*write{}
	for _, r := range t.group {
		absent := r.work.batch.Absent
		if absent == nil {
			continue
		}
		for _, v := range absent.Values {
			hashes, types, valuesOf = append(hashes, plan.Hash(v.Value)), append(types, int64(v.Type)), append(valuesOf, r.work)
		}
		for _, key := range absent.Locks {
			if other := holders[key]; other != nil && other != r.work {
				t.refused[r.work] = true
				continue
			}
			holders[key] = r.work
		}
	}
	if len(holders) > 0 {
		keys := slices.Sorted(maps.Keys(holders))
		queueRows(b, func(rows pgx.Rows) error {
			var key int32
			err := rows.Scan(&key)
			t.refused[holders[key]] = true
			return err
		}, tryLockValues, keys)
	}
	if len(hashes) > 0 {
		queueRows(b, func(rows pgx.Rows) error {
			var n int64
			err := rows.Scan(&n)
			t.refused[valuesOf[n-1]] = true
			return err
		}, presentValues, hashes, types)
	}
}

// checkAbsent returns the error for a batch whose condition graph.Absent does not hold.
func (t *transaction) checkAbsent(w *write) error {
	if t.refused[w] {
		return w.batch.Absent.Refusal()
	}
	return nil
}
