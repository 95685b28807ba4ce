package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

var _ graph.UsageKeeper = (*Store)(nil)

// The table tally also counts the records of each owner, and the bytes of the values of these records. In these rows, part is
// the owner. Fixed concepts are not counted.
const (
	ownedRecords graph.ID = -1
	ownedBytes   graph.ID = -2
)

// Queries that count the records of owners, and the bytes of the values of these records. Conditions may follow ownedConcepts
// and ownedLinks.
const (
	countOwned    = `select type, part, sum(n)::bigint from (`
	ownedConcepts = `select k.type, c.owner part, case k.type when -1 then 1 else octet_length(c.value) end n
		from concept c, (values (-1::bigint), (-2::bigint)) k(type) where c.id >= 100000`
	ownedLinks    = `select -1::bigint, c.owner, 1 from connection c where true`
	countOwnedEnd = `) o(type, part, n) group by type, part having sum(n) <> 0`

	countUsage = countOwned + ownedConcepts + ` union all ` + ownedLinks + countOwnedEnd
	fillUsage  = `delete from tally where type in (-1, -2); insert into tally ` + countUsage

	usageOf = `select part, type, n from tally where type in (-1, -2) and part = any($1::bigint[])`
)

// SetQuotas implements graph.UsageKeeper. Each server checks the quota against the committed usage. Servers that share the
// database may therefore exceed a quota by the records that they write concurrently.
func (s *Store) SetQuotas(q graph.Quotas) { s.writer.quotas.Store(&q) }

// Usage implements graph.UsageKeeper.
func (r *Reader) Usage(ctx context.Context, owner graph.ID) (graph.Usage, error) {
	var u graph.Usage
	err := r.pool.QueryRow(ctx, `select coalesce(sum(n) filter (where type = -1), 0)::bigint, coalesce(sum(n) filter (where type = -2), 0)::bigint
		from tally where type in (-1, -2) and part = $1`, owner).Scan(&u.Records, &u.Bytes)
	return u, failed(ctx, "reading what a user owns", err)
}

// queueUsage reads the usage of the senders of the group that have a quota.
func (t *transaction) queueUsage(b *pgx.Batch) {
	var users []graph.ID
	for _, r := range t.group {
		if t.quotas.LimitsOf(r.work.by.User) != (graph.Usage{}) {
			users = append(users, r.work.by.User)
		}
	}
	if len(users) == 0 {
		return
	}
	b.Queue(usageOf, numbers(users)).Query(func(rows pgx.Rows) error {
		var owner, kind, n int64
		_, err := pgx.ForEachRow(rows, []any{&owner, &kind, &n}, func() error {
			u := t.owned[graph.ID(owner)]
			if graph.ID(kind) == ownedRecords {
				u.Records = n
			} else {
				u.Bytes = n
			}
			t.owned[graph.ID(owner)] = u
			return nil
		})
		return err
	})
}

// planBatch plans a batch within the quota of its sender. For a batch with removals, requireQuota checks the quota after the
// removals.
func (t *transaction) planBatch(w *write) (err error) {
	if err := t.checkAbsent(w); err != nil {
		return err
	}
	before := *t.plan.Added()
	if w.outcome, err = t.plan.Write(w.batch); err != nil || w.isExclusive() {
		return err
	}
	owner := w.by.User
	added := t.addedSince(before, owner)
	if err := t.quotas.LimitsOf(owner).Check(t.owned[owner], added); err != nil {
		t.plan.Undo(before)
		return err
	}
	t.owned[owner] = graph.Usage{Records: t.owned[owner].Records + added.Records, Bytes: t.owned[owner].Bytes + added.Bytes}
	return nil
}

// requireQuota refuses the only batch of a group, after its removals, if its sender exceeds the quota.
func (t *transaction) requireQuota() error {
	owner := t.group[0].work.by.User
	added := t.addedSince(plan.Additions{}, owner)
	added.Records += t.tallies[tally{ownedRecords, owner}]
	added.Bytes += t.tallies[tally{ownedBytes, owner}]
	return t.quotas.LimitsOf(owner).Check(t.owned[owner], added)
}

// addedSince returns the usage that the batches planned after before add to an owner.
func (t *transaction) addedSince(before plan.Additions, owner graph.ID) (u graph.Usage) {
	for _, c := range t.plan.Added().Concepts[len(before.Concepts):] {
		if c.Owner == owner {
			u.Records++
			u.Bytes += int64(len(c.Value))
		}
	}
	for _, c := range t.plan.Added().Connections[len(before.Connections):] {
		if c.Owner == owner {
			u.Records++
		}
	}
	return u
}
