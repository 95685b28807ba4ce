package postgres

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// deleteOldChanges deletes changes older than $1, at most $2 of them, the oldest first. The remaining changes have no gap, even
// if a clock was set back.
const deleteOldChanges = `with oldest as (select seq, at from change order by seq limit $2)
	delete from change where seq in (select seq from oldest)
	and seq < coalesce((select min(seq) from oldest where at >= $1), 9223372036854775807)`

// deleteOldReservations deletes unused reservations older than $1, at most $2.
const deleteOldReservations = `delete from reserved where id in (select id from reserved where connection is null and at < $1 limit $2)`

// save inserts the planned rows in one round trip. All servers write the tables in the same order, and each table
// in the order of its key, so that no two transactions deadlock.
func (t *transaction) save(ctx context.Context) error {
	added := t.plan.Added()
	b := &pgx.Batch{}
	if err := t.queueNewSenders(b, added.Refs); err != nil {
		return err
	}
	listed := slices.DeleteFunc(slices.Clone(added.Concepts), func(c graph.Concept) bool { return !plan.InDirectory(c) })
	if len(listed) > 0 {
		expectRows(queueDirectory(b, listed), len(listed))
	}
	t.queueRefs(b, added.Refs)
	if len(added.Concepts) > 0 {
		expectRows(queueConcepts(b, added.Concepts), len(added.Concepts))
	}
	if len(added.Connections) > 0 {
		queueConnections(b, added.Connections, numberScopes(t.plan, added.Connections))
	}
	if b.Len() == 0 {
		return nil
	}
	return t.conn.SendBatch(ctx, b).Close()
}

// expectRows makes a statement fail with errCrossed unless it writes n rows. If it writes fewer rows, another server has
// already written one of them.
func expectRows(q *pgx.QueuedQuery, n int) {
	q.Exec(func(written pgconn.CommandTag) error {
		if written.RowsAffected() != int64(n) {
			return errCrossed
		}
		return nil
	})
}

// queueNewSenders assigns ids to the new senders of local ids, and inserts these senders.
func (t *transaction) queueNewSenders(b *pgx.Batch, refs []plan.Ref) error {
	var senders []graph.Sender
	for _, ref := range refs {
		if _, known := t.senders[ref.Sender]; known || ref.ID > 0 {
			continue
		}
		id, err := t.ids.takeID()
		if err != nil {
			return err
		}
		t.senders[ref.Sender] = id
		senders = append(senders, ref.Sender)
	}
	if len(senders) == 0 {
		return nil
	}
	slices.SortFunc(senders, func(a, b graph.Sender) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Randomizer, b.Randomizer))
	})
	var ids []int64
	for _, by := range senders {
		ids = append(ids, int64(t.senders[by]))
	}
	users, sessions, randomizers := senderColumns(senders)
	expectRows(b.Queue(`insert into sender (id, "user", session, randomizer)
		select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) on conflict do nothing`, ids, users, sessions, randomizers), len(ids))
	return nil
}

// queueDirectory enters concepts in the directory, except concepts whose key it already lists.
func queueDirectory(b *pgx.Batch, concepts []graph.Concept) *pgx.QueuedQuery {
	keys := make([]plan.DirectoryKey, len(concepts))
	idOf := make(map[plan.DirectoryKey]graph.ID, len(concepts))
	for i, c := range concepts {
		keys[i] = plan.DirectoryKeyOf(c)
		idOf[keys[i]] = c.ID
	}
	slices.SortFunc(keys, func(a, b plan.DirectoryKey) int {
		return cmp.Or(bytes.Compare(a.Hash[:], b.Hash[:]), cmp.Compare(a.Category, b.Category), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Scope, b.Scope))
	})
	hashes, categories, types, scopes := keyColumns(keys)
	ids := make([]int64, len(keys))
	for i, key := range keys {
		ids[i] = int64(idOf[key])
	}
	return b.Queue(`insert into directory (hash, category, type, scope, id)
		select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) on conflict do nothing`,
		hashes, categories, types, scopes, ids)
}

// queueRefs stores the ids of the records that were sent under local and reserved ids.
func (t *transaction) queueRefs(b *pgx.Batch, refs []plan.Ref) {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b plan.Ref) int {
		return cmp.Or(cmp.Compare(t.senders[a.Sender], t.senders[b.Sender]), cmp.Compare(b.ID, a.ID), cmp.Compare(ordinal(a.IsConnection), ordinal(b.IsConnection)))
	})
	var senders, ids, became, reserved, users, used []int64
	var connections, uses []bool
	for _, ref := range refs {
		id, _ := t.plan.Sent(ref)
		if ref.ID > 0 {
			reserved, users = append(reserved, int64(ref.ID)), append(users, int64(ref.Sender.User))
			uses, used = append(uses, ref.IsConnection), append(used, int64(id))
			continue
		}
		senders, connections = append(senders, int64(t.senders[ref.Sender])), append(connections, ref.IsConnection)
		ids, became = append(ids, int64(-ref.ID)), append(became, int64(id))
	}
	if len(ids) > 0 {
		expectRows(b.Queue(`insert into ghost (sender, connection, ghost, id)
			select * from unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[]) on conflict do nothing`,
			senders, connections, ids, became), len(ids))
	}
	if len(reserved) > 0 {
		expectRows(b.Queue(`update reserved r set "user" = k."user", connection = k.connection, became = k.became
			from unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[]) k(id, "user", connection, became)
			where r.id = k.id and r.connection is null`, reserved, users, uses, used), len(reserved))
	}
}

func ordinal(b bool) int {
	if b {
		return 1
	}
	return 0
}

// queueConcepts inserts concepts, except those that exist.
func queueConcepts(b *pgx.Batch, concepts []graph.Concept) *pgx.QueuedQuery {
	n := len(concepts)
	ids, types, categories, owners, created := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	accesses, compositions, values, k := make([]int16, n), make([]bool, n), make([]string, n), keyed{}
	positions := make([]string, n)
	for i, c := range concepts {
		ids[i], types[i], categories[i], owners[i] = int64(c.ID), int64(c.Type), int64(c.Category), int64(c.Owner)
		created[i], accesses[i], compositions[i], values[i] = c.Created.UnixMilli(), int16(c.Access), c.Composition, c.Value
		positions[i] = c.Position.String()
		k.add(c.Value)
	}
	return b.Queue(`insert into concept (id, type, category, owner, created, access, composition, value, key, folded, position)
		select id, type, category, owner, created, access, composition, value, key, folded, nullif(position, '')
		from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::boolean[], $8::text[], $9::bytea[], $10::text[], $11::text[])
			c(id, type, category, owner, created, access, composition, value, key, folded, position)
		on conflict do nothing`, ids, types, categories, owners, created, accesses, compositions, values, k.keys, k.folded, positions)
}

func queueConnections(b *pgx.Batch, connections []graph.Connection, scopes []int64) {
	n := len(connections)
	sources, types, ids, targets, owners := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	created, orders, accesses := make([]int64, n), make([]int64, n), make([]int16, n)
	for i, c := range connections {
		sources[i], types[i], ids[i], targets[i], owners[i] = int64(c.From), int64(c.Type), int64(c.ID), int64(c.To), int64(c.Owner)
		created[i], orders[i], accesses[i] = c.Created.UnixMilli(), int64(c.Order), int16(c.Access)
	}
	b.Queue(`insert into connection (source, type, id, target, owner, created, "order", access, scope)
		select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::smallint[], $9::bigint[])`,
		sources, types, ids, targets, owners, created, orders, accesses, scopes)
}

// finish numbers the changes, notifies other servers and commits, in one round trip: the row of numbers is locked only for as
// long as the commit takes.
func (t *transaction) finish(ctx context.Context) error {
	now := t.plan.Now()
	var changed []*write
	var times []int64
	var touched [][]byte
	for _, r := range t.group {
		if r.err == nil && !r.work.outcome.Touched.IsEmpty() {
			changed = append(changed, r.work)
			times = append(times, now.UnixMilli())
			touched = append(touched, r.work.outcome.Touched.Build(0, now).Pack())
		}
	}
	b := &pgx.Batch{}
	if t.prune {
		t.deleteOlder(b, deleteOldChanges, graph.ChangeRetention)
		t.deleteOlder(b, deleteOldReservations, graph.ReservationRetention)
	}
	first := graph.Seq(0)
	if n := int64(len(changed)); n > 0 {
		b.Queue(`update sequence set next = next + $1 where name = 'change' returning next - $1`, n).QueryRow(func(row pgx.Row) error { return row.Scan(&first) })
		b.Queue(`insert into change (seq, at, touched) select s.next - $1 - 1 + c.n, c.at, c.touched
			from sequence s, unnest($2::bigint[], $3::bytea[]) with ordinality c(at, touched, n) where s.name = 'change'`, n, times, touched)
		t.queueTallies(b)
		b.Queue(`select pg_notify('` + channel + `', '')`)
	}
	b.Queue("commit").Exec(func(done pgconn.CommandTag) error {
		if done.String() != "COMMIT" {
			return fmt.Errorf("commit returned %s", done)
		}
		return nil
	})
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for i, w := range changed {
		w.outcome.Receipt.Seq = first + graph.Seq(i)
	}
	return nil
}

// deleteOlder deletes rows older than an age, at most maxDeleted.
func (t *transaction) deleteOlder(b *pgx.Batch, statement string, age time.Duration) {
	b.Queue(statement, t.plan.Now().Add(-age).UnixMilli(), maxDeleted).Exec(func(done pgconn.CommandTag) error {
		t.hasMoreExpired = t.hasMoreExpired || done.RowsAffected() == maxDeleted
		return nil
	})
}
