package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/weft-graph/weft/graph"
)

var _ graph.UsageKeeper = (*Store)(nil)

// The table usage counts the records of each owner and the bytes of the values of these records. The row of the owner 0
// marks the table as complete. Without this row, openWriter counts everything except the fixed concepts.
const (
	createUsage = `create table if not exists usage (owner integer primary key, records integer not null, bytes integer not null)`
	clearUsage  = `delete from usage`
	fillUsage   = `
		insert into usage select owner, sum(records), sum(bytes) from (
			select c.owner, count(*) records, sum(length(cast(ifnull(c.value, ifnull(t.value, '')) as blob))) bytes
				from concept c left join text t on c.value is null and t.id = c.id where c.id >= 100000 group by c.owner
			union all select owner, count(*), 0 from connection group by owner) group by owner;
		insert into usage values (0, 0, 0)`
)

// completeUsage fills the table usage if it is not complete: after an upgrade, or after rows were copied.
func (w *writer) completeUsage(ctx context.Context) error {
	var complete bool
	if err := w.conn.QueryRowContext(ctx, "select exists (select 1 from usage where owner = 0)").Scan(&complete); err != nil || complete {
		return err
	}
	_, err := w.conn.ExecContext(ctx, "begin immediate; "+clearUsage+"; "+fillUsage+"; commit")
	return err
}

// ownedRecord adds a record and its text to the usage of the owner if n is 1, and subtracts them if n is -1.
func (s sizes) ownedRecord(owner graph.ID, text string, n int64) {
	of := s.owned[owner]
	s.owned[owner] = graph.Usage{Records: of.Records + n, Bytes: of.Bytes + n*int64(len(text))}
}

// requireQuota refuses a batch whose sender would exceed the quota.
func (t *batchWrite) requireQuota() error {
	quotas := t.quotas.Load()
	user := t.batch.Sender.User
	if quotas == nil || quotas.LimitsOf(user) == (graph.Usage{}) {
		return nil
	}
	stored, err := readUsage(context.Background(), t.do.usage, user)
	if err != nil {
		return err
	}
	waiting := t.writer.sizes.owned[user] // of earlier batches of the transaction
	before := graph.Usage{Records: stored.Records + waiting.Records, Bytes: stored.Bytes + waiting.Bytes}
	return quotas.LimitsOf(user).Check(before, t.sizes.owned[user])
}

// SetQuotas implements graph.UsageKeeper.
func (s *Store) SetQuotas(q graph.Quotas) { s.writer.quotas.Store(&q) }

// Usage implements graph.UsageKeeper.
func (r *Reader) Usage(ctx context.Context, owner graph.ID) (graph.Usage, error) {
	usage, err := readUsage(ctx, r.do.usage, owner)
	return usage, failed(ctx, "reading what a user owns", err)
}

func readUsage(ctx context.Context, statement *sql.Stmt, owner graph.ID) (u graph.Usage, err error) {
	err = statement.QueryRowContext(ctx, owner).Scan(&u.Records, &u.Bytes)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return u, err
}

const usageOf = `select records, bytes from usage where owner = ?`
