package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
)

// load begins the transaction and reads all that the group mentions, in three round trips.
func (t *transaction) load(ctx context.Context) error {
	m := t.mentioned()
	b := &pgx.Batch{}
	b.Queue("begin")
	b.Queue(t.lock)
	t.queueSenders(b, m)
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	b = &pgx.Batch{}
	t.queueGhosts(b, m)
	t.queueReserved(b, m)
	t.queueTypes(b, m)
	if err := t.conn.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	b = &pgx.Batch{}
	t.queueSent(b)
	t.queueEnds(b)
	t.queueValues(b)
	return t.conn.SendBatch(ctx, b).Close()
}

func (t *transaction) queueSenders(b *pgx.Batch, m mentioned) {
	if len(m.senders) == 0 {
		return
	}
	users, sessions, randomizers := columns(slices.Collect(maps.Keys(m.senders)))
	queue1(b, func(rows pgx.Rows) error {
		var by graph.Sender
		var id graph.ID
		err := rows.Scan(&id, &by.User, &by.Session, &by.Randomizer)
		t.senders[by] = id
		return err
	}, `select s.id, s."user", s.session, s.randomizer from unnest($1::bigint[], $2::text[], $3::bigint[]) k("user", session, randomizer)
		join sender s on s."user" = k."user" and s.session = k.session and s.randomizer = k.randomizer`, users, sessions, randomizers)
}

func columns(senders []graph.Sender) (users []int64, sessions []string, randomizers []int64) {
	for _, by := range senders {
		users = append(users, int64(by.User))
		sessions = append(sessions, by.Session)
		randomizers = append(randomizers, by.Randomizer)
	}
	return users, sessions, randomizers
}

func (t *transaction) queueGhosts(b *pgx.Batch, m mentioned) {
	byID := map[graph.ID]graph.Sender{}
	for by, id := range t.senders {
		byID[id] = by
	}
	var senders, ids []int64
	var connections []bool
	for g := range m.ghosts {
		if id, known := t.senders[g.sender]; known {
			senders, connections, ids = append(senders, int64(id)), append(connections, g.connection), append(ids, int64(-g.id))
		}
	}
	if len(ids) == 0 {
		return
	}
	queue1(b, func(rows pgx.Rows) error {
		var sender, id, became int64
		var g ghost
		err := rows.Scan(&sender, &g.connection, &id, &became)
		g.sender, g.id = byID[graph.ID(sender)], graph.ID(-id)
		t.ghosts[g] = graph.ID(became)
		return err
	}, `select g.sender, g.connection, g.ghost, g.id from unnest($1::bigint[], $2::boolean[], $3::bigint[]) k(sender, connection, ghost)
		join ghost g on g.sender = k.sender and g.connection = k.connection and g.ghost = k.ghost`, senders, connections, ids)
}

func (t *transaction) queueReserved(b *pgx.Batch, m mentioned) {
	if len(m.reserved) == 0 {
		return
	}
	queue1(b, func(rows pgx.Rows) error {
		var id, user, became int64
		var connection *bool
		err := rows.Scan(&id, &user, &connection, &became)
		t.reserved[graph.ID(id)] = graph.ID(user)
		if connection != nil {
			t.used[graph.ID(id)] = true
			t.ghosts[ghost{graph.Sender{User: graph.ID(user)}, *connection, graph.ID(id)}] = graph.ID(became)
		}
		return err
	}, `select id, "user", connection, became from reserved where id = any($1)`, numbers(slices.Collect(maps.Keys(m.reserved))))
}

func (t *transaction) queueTypes(b *pgx.Batch, m mentioned) {
	if len(m.types) == 0 {
		return
	}
	keys := seeks{}
	for name := range m.types {
		keys.add(graph.ValueKey{Value: name})
	}
	queue1(b, t.learnRow, typesByValue, keys.hashes, keys.viewers, keys.types)
}

func (t *transaction) learnRow(rows pgx.Rows) error {
	var c graph.Concept
	err := scanConcept(rows, &c)
	t.learn(c)
	return err
}

// queueSent asks for the records that drafts became before, and the types of those concepts.
func (t *transaction) queueSent(b *pgx.Batch) {
	var concepts, connections []int64
	for _, r := range t.group {
		for _, d := range r.work.batch.Concepts {
			if id, known := t.ghosts[ghostOf(r.work.by, d.Name(), false)]; known {
				concepts = append(concepts, int64(id))
			}
		}
		for _, d := range r.work.batch.Connections {
			if id, known := t.ghosts[ghostOf(r.work.by, d.Name(), true)]; known {
				connections = append(connections, int64(id))
			}
		}
	}
	if len(concepts) > 0 {
		queue1(b, t.learnRow, conceptsByID, concepts)
		queue1(b, t.learnRow, `select `+conceptColumns+` from concept c where c.id in (select type from concept where id = any($1))`, concepts)
	}
	if len(connections) > 0 {
		queue1(b, func(rows pgx.Rows) error {
			var c graph.Connection
			err := scanConnection(rows, &c)
			t.links[c.ID] = c
			return err
		}, connectionsByID, connections)
	}
}

// queueEnds asks which of the concepts that connections name exist.
func (t *transaction) queueEnds(b *pgx.Batch) {
	ends := map[graph.ID]bool{}
	for _, r := range t.group {
		for _, d := range r.work.batch.Connections {
			for _, id := range [3]graph.ID{d.From, d.To, d.Type} {
				if real, known := t.ghosts[ghostOf(r.work.by, id, false)]; known {
					id = real
				}
				if _, known := t.ends[id]; id > 0 && !known {
					ends[id] = true
				}
			}
		}
	}
	if len(ends) > 0 {
		queue1(b, t.learnEnd, endsByID, numbers(slices.Collect(maps.Keys(ends))))
	}
}

func (t *transaction) learnEnd(rows pgx.Rows) error {
	var id, typ, owner int64
	var access int
	err := rows.Scan(&id, &typ, &owner, &access)
	t.ends[graph.ID(id)] = graph.End{Type: graph.ID(typ), Scope: graph.ScopeOf(graph.ID(owner), graph.Access(access))}
	return err
}

// queueValues asks for the shared values among the drafts. What is of a type that is not there is not there.
func (t *transaction) queueValues(b *pgx.Batch) {
	keys := map[name]bool{}
	for _, r := range t.group {
		for _, d := range r.work.batch.Concepts {
			if d.Kind != graph.DraftValue || !graph.Shared(d.Value) {
				continue
			}
			if _, known := t.ghosts[ghostOf(r.work.by, d.Name(), false)]; known && d.Name() != 0 {
				continue
			}
			if typ, there := t.findType(d.TypeName); there {
				c := d.Concept(r.work.by, t.now)
				c.Type = typ.ID
				keys[nameOf(c)] = true
			}
		}
	}
	if len(keys) == 0 {
		return
	}
	hashes, categories, types, scopes := split(slices.Collect(maps.Keys(keys)))
	queue1(b, t.learnRow, `select `+conceptColumns+` from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[]) k(hash, category, type, scope)
		join directory d on d.hash = k.hash and d.category = k.category and d.type = k.type and d.scope = k.scope
		join concept c on c.id = d.id`, hashes, categories, types, scopes)
}

// queue1 queues a question whose answer is taken row by row.
func queue1(b *pgx.Batch, row func(pgx.Rows) error, sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := row(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
}
