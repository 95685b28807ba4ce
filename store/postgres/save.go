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
)

// What is forgotten, the oldest first, so that what is left has no gap.
const forgetChanges = `with oldest as (select seq, at from change order by seq limit $2)
	delete from change where seq in (select seq from oldest)
	and seq < coalesce((select min(seq) from oldest where at >= $1), 9223372036854775807)`

const forgetReserved = `delete from reserved where id in (select id from reserved where connection is null and at < $1 limit $2)`

// save writes what was planned, in one round trip. The order of tables and of keys is the same everywhere,
// so that no two wait for each other.
func (t *transaction) save(ctx context.Context) error {
	b := &pgx.Batch{}
	t.queueNewSenders(b)
	if listed := slices.DeleteFunc(slices.Clone(t.newConcepts), func(c graph.Concept) bool { return !listed(c) }); len(listed) > 0 {
		all(queueNames(b, listed), len(listed))
	}
	t.queueNewGhosts(b)
	if len(t.newConcepts) > 0 {
		all(queueConcepts(b, t.newConcepts), len(t.newConcepts))
	}
	if len(t.newConnections) > 0 {
		queueConnections(b, t.newConnections)
	}
	if b.Len() == 0 {
		return nil
	}
	return t.conn.SendBatch(ctx, b).Close()
}

// all wants a statement to write so many rows: fewer means that somebody else wrote one of them.
func all(q *pgx.QueuedQuery, n int) {
	q.Exec(func(written pgconn.CommandTag) error {
		if written.RowsAffected() != int64(n) {
			return errCrossed
		}
		return nil
	})
}

func (t *transaction) queueNewSenders(b *pgx.Batch) {
	if len(t.newSenders) == 0 {
		return
	}
	slices.SortFunc(t.newSenders, func(a, b graph.Sender) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Randomizer, b.Randomizer))
	})
	var ids []int64
	for _, by := range t.newSenders {
		ids = append(ids, int64(t.senders[by]))
	}
	users, sessions, randomizers := columns(t.newSenders)
	all(b.Queue(`insert into sender (id, "user", session, randomizer)
		select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) on conflict do nothing`, ids, users, sessions, randomizers), len(ids))
}

// queueNames adds concepts to the directory, but for those whose name stands there.
func queueNames(b *pgx.Batch, concepts []graph.Concept) *pgx.QueuedQuery {
	names := make([]name, len(concepts))
	idOf := make(map[name]graph.ID, len(concepts))
	for i, c := range concepts {
		names[i] = nameOf(c)
		idOf[names[i]] = c.ID
	}
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(bytes.Compare(a.hash[:], b.hash[:]), cmp.Compare(a.category, b.category), cmp.Compare(a.typ, b.typ), cmp.Compare(a.scope, b.scope))
	})
	hashes, categories, types, scopes := split(names)
	ids := make([]int64, len(names))
	for i, n := range names {
		ids[i] = int64(idOf[n])
	}
	return b.Queue(`insert into directory (hash, category, type, scope, id)
		select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) on conflict do nothing`,
		hashes, categories, types, scopes, ids)
}

// split is names by column.
func split(names []name) (hashes [][16]byte, categories, types, scopes []int64) {
	for _, n := range names {
		hashes = append(hashes, n.hash)
		categories = append(categories, int64(n.category))
		types = append(types, int64(n.typ))
		scopes = append(scopes, int64(n.scope))
	}
	return hashes, categories, types, scopes
}

func (t *transaction) queueNewGhosts(b *pgx.Batch) {
	slices.SortFunc(t.newGhosts, func(a, b ghost) int {
		return cmp.Or(cmp.Compare(t.senders[a.sender], t.senders[b.sender]), cmp.Compare(b.id, a.id), cmp.Compare(ordinal(a.connection), ordinal(b.connection)))
	})
	var senders, ids, became, reserved, users, used []int64
	var connections, uses []bool
	for _, g := range t.newGhosts {
		if g.id > 0 {
			reserved, users = append(reserved, int64(g.id)), append(users, int64(g.sender.User))
			uses, used = append(uses, g.connection), append(used, int64(t.ghosts[g]))
			continue
		}
		senders, connections = append(senders, int64(t.senders[g.sender])), append(connections, g.connection)
		ids, became = append(ids, int64(-g.id)), append(became, int64(t.ghosts[g]))
	}
	if len(ids) > 0 {
		all(b.Queue(`insert into ghost (sender, connection, ghost, id)
			select * from unnest($1::bigint[], $2::boolean[], $3::bigint[], $4::bigint[]) on conflict do nothing`,
			senders, connections, ids, became), len(ids))
	}
	if len(reserved) > 0 {
		all(b.Queue(`update reserved r set "user" = k."user", connection = k.connection, became = k.became
			from unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::bigint[]) k(id, "user", connection, became)
			where r.id = k.id and r.connection is null`, reserved, users, uses, used), len(reserved))
	}
}

func ordinal(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// queueConcepts adds concepts, but for those that are there.
func queueConcepts(b *pgx.Batch, concepts []graph.Concept) *pgx.QueuedQuery {
	n := len(concepts)
	ids, types, categories, owners, created := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	accesses, compositions, values, k := make([]int16, n), make([]bool, n), make([]string, n), keyed{}
	for i, c := range concepts {
		ids[i], types[i], categories[i], owners[i] = int64(c.ID), int64(c.Type), int64(c.Category), int64(c.Owner)
		created[i], accesses[i], compositions[i], values[i] = c.Created.UnixMilli(), int16(c.Access), c.Composition, c.Value
		k.add(c.Value)
	}
	return b.Queue(`insert into concept (id, type, category, owner, created, access, composition, value, key, folded)
		select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::boolean[], $8::text[], $9::bytea[], $10::text[])
		on conflict do nothing`, ids, types, categories, owners, created, accesses, compositions, values, k.keys, k.folded)
}

func queueConnections(b *pgx.Batch, connections []graph.Connection) {
	n := len(connections)
	sources, types, ids, targets, owners := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	created, orders, accesses := make([]int64, n), make([]int64, n), make([]int16, n)
	for i, c := range connections {
		sources[i], types[i], ids[i], targets[i], owners[i] = int64(c.From), int64(c.Type), int64(c.ID), int64(c.To), int64(c.Owner)
		created[i], orders[i], accesses[i] = c.Created.UnixMilli(), int64(c.Order), int16(c.Access)
	}
	b.Queue(`insert into connection (source, type, id, target, owner, created, "order", access)
		select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::smallint[])`,
		sources, types, ids, targets, owners, created, orders, accesses)
}

// finish numbers the changes, tells other servers and commits, in one round trip: nobody waits for the row
// of numbers longer than the commit takes.
func (t *transaction) finish(ctx context.Context) error {
	var changed []*write
	var times []int64
	var touched [][]byte
	for _, r := range t.group {
		if r.err == nil && !r.work.touched.Nothing() {
			changed = append(changed, r.work)
			times = append(times, t.now.UnixMilli())
			touched = append(touched, r.work.touched.Change(0, t.now).Pack())
		}
	}
	b := &pgx.Batch{}
	if t.prune {
		t.forget(b, forgetChanges, graph.KeepChanges)
		t.forget(b, forgetReserved, graph.KeepReserved)
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
			return fmt.Errorf("the database answered %s to a commit", done)
		}
		return nil
	})
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for i, w := range changed {
		w.receipt.Seq = first + graph.Seq(i)
	}
	return nil
}

// forget drops what is older than an age, as much as one commit may.
func (t *transaction) forget(b *pgx.Batch, statement string, age time.Duration) {
	b.Queue(statement, t.now.Add(-age).UnixMilli(), mostDropped).Exec(func(done pgconn.CommandTag) error {
		t.more = t.more || done.RowsAffected() == mostDropped
		return nil
	})
}
