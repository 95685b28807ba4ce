package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// load begins the transaction and reads everything to which the batches of the group refer, in three round trips. Each
// round trip needs the result of the previous one. They read the senders, then the ids of the records that were sent
// under their local ids, then these records.
func (t *transaction) load(ctx context.Context) error {
	r := t.references()
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(t.lock)
	t.queueAbsent(b)
	t.queueSenders(b, r)
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	b = &pgx.Batch{}
	t.queueSent(b, r)
	t.queueReserved(b, r)
	t.queueTypes(b, r)
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	b = &pgx.Batch{}
	t.queueSentRecords(b)
	t.queueEnds(b)
	t.queueUsage(b)
	if err := t.queueValues(b); err != nil {
		return err
	}
	return t.conn.SendBatch(ctx, b).Close()
}

// references holds the ids and names to which a group of batches refers.
type references struct {
	senders  map[graph.Sender]bool
	local    map[plan.Ref]bool
	reserved map[graph.ID]bool // real ids, which may be reserved ids
	types    map[string]bool   // names
}

func (t *transaction) references() references {
	r := references{map[graph.Sender]bool{}, map[plan.Ref]bool{}, map[graph.ID]bool{}, map[string]bool{}}
	for _, request := range t.group {
		w := request.work
		for id := range plan.ConceptRefs(w.batch) {
			r.add(w.by, id, false)
		}
		for id := range plan.ConnectionRefs(w.batch) {
			r.add(w.by, id, true)
		}
		for name := range plan.TypeNames(w.batch) {
			for _, part := range graph.TypeChain(name) {
				r.types[part] = true
			}
		}
	}
	return r
}

func (r references) add(by graph.Sender, id graph.ID, isConnection bool) {
	switch {
	case id < 0:
		r.senders[by] = true
		r.local[plan.RefOf(by, id, isConnection)] = true
	case id >= graph.FirstFree:
		r.reserved[id] = true
	}
}

func (t *transaction) queueSenders(b *pgx.Batch, r references) {
	if len(r.senders) == 0 {
		return
	}
	users, sessions, randomizers := senderColumns(slices.Collect(maps.Keys(r.senders)))
	queueRows(b, func(rows pgx.Rows) error {
		var by graph.Sender
		var id graph.ID
		err := rows.Scan(&id, &by.User, &by.Session, &by.Randomizer)
		t.senders[by] = id
		return err
	}, `select s.id, s."user", s.session, s.randomizer from unnest($1::bigint[], $2::text[], $3::bigint[]) k("user", session, randomizer)
		join sender s on s."user" = k."user" and s.session = k.session and s.randomizer = k.randomizer`, users, sessions, randomizers)
}

func senderColumns(senders []graph.Sender) (users []int64, sessions []string, randomizers []int64) {
	for _, by := range senders {
		users = append(users, int64(by.User))
		sessions = append(sessions, by.Session)
		randomizers = append(randomizers, by.Randomizer)
	}
	return users, sessions, randomizers
}

// queueSent reads the records that were sent under local ids.
func (t *transaction) queueSent(b *pgx.Batch, r references) {
	byID := map[graph.ID]graph.Sender{}
	for by, id := range t.senders {
		byID[id] = by
	}
	var senders, ids []int64
	var connections []bool
	for ref := range r.local {
		if id, known := t.senders[ref.Sender]; known {
			senders, connections, ids = append(senders, int64(id)), append(connections, ref.IsConnection), append(ids, int64(-ref.ID))
		}
	}
	if len(ids) == 0 {
		return
	}
	queueRows(b, func(rows pgx.Rows) error {
		var sender, id, became int64
		var isConnection bool
		err := rows.Scan(&sender, &isConnection, &id, &became)
		t.plan.LearnSent(plan.RefOf(byID[graph.ID(sender)], graph.ID(-id), isConnection), graph.ID(became))
		return err
	}, `select g.sender, g.connection, g.ghost, g.id from unnest($1::bigint[], $2::boolean[], $3::bigint[]) k(sender, connection, ghost)
		join ghost g on g.sender = k.sender and g.connection = k.connection and g.ghost = k.ghost`, senders, connections, ids)
}

func (t *transaction) queueReserved(b *pgx.Batch, r references) {
	if len(r.reserved) == 0 {
		return
	}
	queueRows(b, func(rows pgx.Rows) error {
		var id, user, became int64
		var connection *bool
		err := rows.Scan(&id, &user, &connection, &became)
		if connection != nil {
			t.plan.LearnUsed(graph.ID(id), graph.ID(user), *connection, graph.ID(became))
		} else {
			t.plan.LearnReserved(graph.ID(id), graph.ID(user))
		}
		return err
	}, `select id, "user", connection, became from reserved where id = any($1)`, numbers(slices.Collect(maps.Keys(r.reserved))))
}

func (t *transaction) queueTypes(b *pgx.Batch, r references) {
	if len(r.types) == 0 {
		return
	}
	keys := seeks{}
	for name := range r.types {
		keys.add(graph.ValueKey{Value: name})
	}
	queueRows(b, t.learnConcept, typesByValue, keys.hashes, keys.viewers, keys.types)
}

func (t *transaction) learnConcept(rows pgx.Rows) error {
	var c graph.Concept
	err := scanConcept(rows, &c)
	t.plan.LearnConcept(c)
	return err
}

// queueSentRecords reads the records that drafts became in earlier batches, and the types of the concepts.
func (t *transaction) queueSentRecords(b *pgx.Batch) {
	var concepts, connections []graph.ID
	for _, r := range t.group {
		someConcepts, someConnections := t.plan.SentRecords(r.work.batch)
		concepts, connections = append(concepts, someConcepts...), append(connections, someConnections...)
	}
	if len(concepts) > 0 {
		ids := numbers(concepts)
		queueRows(b, t.learnConcept, conceptsByID, ids)
		queueRows(b, t.learnConcept, `select `+conceptColumns+` from concept c where c.id in (select type from concept where id = any($1))`, ids)
	}
	if len(connections) > 0 {
		queueRows(b, func(rows pgx.Rows) error {
			var c graph.Connection
			err := scanConnection(rows, &c)
			t.plan.LearnConnection(c)
			return err
		}, connectionsByID, numbers(connections))
	}
}

// queueEnds reads which of the concepts in connections and removals exist.
func (t *transaction) queueEnds(b *pgx.Batch) {
	var missing []graph.ID
	for _, r := range t.group {
		missing = append(missing, t.plan.MissingEnds(r.work.batch)...)
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		queueRows(b, t.learnEnd, endsByID, numbers(slices.Compact(missing)))
	}
}

func (t *transaction) learnEnd(rows pgx.Rows) error {
	var id, typ, category, owner int64
	var access int16
	var c graph.Concept
	err := rows.Scan(&id, &typ, &category, &owner, &access, &c.Composition)
	c.Type, c.Category, c.Owner, c.Access = graph.ID(typ), graph.ID(category), graph.ID(owner), graph.Access(access)
	t.plan.LearnEnd(graph.ID(id), plan.EndOf(c))
	return err
}

// queueValues reads the shared values among the drafts.
func (t *transaction) queueValues(b *pgx.Batch) error {
	keys := map[plan.DirectoryKey]bool{}
	for _, r := range t.group {
		missing, err := t.plan.MissingKeys(r.work.batch)
		if err != nil {
			return err
		}
		for _, key := range missing {
			keys[key] = true
		}
	}
	if len(keys) == 0 {
		return nil
	}
	hashes, categories, types, scopes := keyColumns(slices.Collect(maps.Keys(keys)))
	queueRows(b, t.learnConcept, `select `+conceptColumns+` from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) k(hash, category, type, scope)
		join directory d on d.hash = k.hash and d.category = k.category and d.type = k.type and d.scope = k.scope
		join concept c on c.id = d.id`, hashes, categories, types, scopes)
	return nil
}

// keyColumns returns the keys column by column.
func keyColumns(keys []plan.DirectoryKey) (hashes [][16]byte, categories, types, scopes []int64) {
	for _, key := range keys {
		hashes = append(hashes, key.Hash)
		categories = append(categories, int64(key.Category))
		types = append(types, int64(key.Type))
		scopes = append(scopes, int64(key.Scope))
	}
	return hashes, categories, types, scopes
}

// queueRows queues a query and calls row for each row of its result.
func queueRows(b *pgx.Batch, row func(pgx.Rows) error, sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := row(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}
