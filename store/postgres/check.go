package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
)

// Check implements graph.Store. PostgreSQL keeps its indexes equal to its tables; the rest is ours.
func (r *Reader) Check(ctx context.Context) error {
	err := pgx.BeginTxFunc(ctx, r.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, check := range []func(context.Context, pgx.Tx) error{readAll, checkReferences, checkConcepts, checkTallies, checkChanges} {
			if err := check(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	return failed(ctx, "the store contradicts itself", err)
}

// readAll lets PostgreSQL read whole tables, which setUp forbids elsewhere.
func readAll(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
		set_config('enable_mergejoin', 'on', true)`)
	return err
}

// checkReferences looks for rows that must not exist.
func checkReferences(ctx context.Context, tx pgx.Tx) error {
	for broken, query := range map[string]string{
		"connection %d has no source":             `select id from connection x where not exists (select from concept c where c.id = x.source)`,
		"connection %d has no target":             `select id from connection x where not exists (select from concept c where c.id = x.target)`,
		"connection %d has no type":               `select id from connection x where not exists (select from concept c where c.id = x.type)`,
		"connection %d joins a concept to itself": `select id from connection where source = target`,
		"two connections are %d":                  `select id from connection group by id having count(*) > 1`,
		"a concept and a connection are %d":       `select id from connection x where exists (select from concept c where c.id = x.id)`,
		"concept %d has no type":                  `select id from concept x where not exists (select from concept c where c.id = x.type)`,
		"concept %d has no category":              `select id from concept x where not exists (select from concept c where c.id = x.category)`,
		"the directory lists %d under a wrong name": `select d.id from directory d left join concept c
			on c.id = d.id and c.type = d.type and c.category = d.category where c.id is null`,
		"a ghost of %d belongs to no sender": `select id from ghost g where not exists (select from sender s where s.id = g.sender)`,
		"id %d is reserved and was given to somebody else": `select r.id from reserved r where r.became <> r.id
			and (exists (select from concept c where c.id = r.id) or exists (select from connection c where c.id = r.id))`,
		"id %d was given before its turn": `select id from (select max(id) id from concept union select max(id) from connection
			union select max(id) from reserved union select max(id) from sender) x
			where id >= (select next from sequence where name = 'id')`,
	} {
		var id graph.ID
		switch err := tx.QueryRow(ctx, query+" limit 1").Scan(&id); {
		case err == nil:
			return fmt.Errorf(broken, id)
		case !errors.Is(err, pgx.ErrNoRows):
			return err
		}
	}
	return nil
}

// checkConcepts reads every value. It has its own key. Each type and shared value stands in the directory under its own
// hash and scope, and nothing else does. Equal ones would have to stand there twice, which they cannot.
func checkConcepts(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `select `+conceptColumns+`, c.key, c.folded, d.hash, d.scope from concept c left join directory d on d.id = c.id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var c graph.Concept
		var hash *[16]byte
		var scope *int64
		var key []byte
		var folded *string
		if err := scanConcept(more{rows, []any{&key, &folded, &hash, &scope}}, &c); err != nil {
			return err
		}
		if want := foldedOf(c.Value); !bytes.Equal(key, keyOf(c.Value)) || (folded == nil) != (want == nil) || want != nil && *folded != *want {
			return fmt.Errorf("concept %d, %q, is selected by what it is not", c.ID, graph.Clip(c.Value))
		}
		n := nameOf(c)
		if (hash != nil) != listed(c) || hash != nil && (*hash != n.hash || graph.ID(*scope) != n.scope) {
			return fmt.Errorf("concept %d, %q, does not stand in the directory as it should", c.ID, graph.Clip(c.Value))
		}
	}
	return rows.Err()
}

// checkTallies counts everything.
func checkTallies(ctx context.Context, tx pgx.Tx) error {
	var typ, part graph.ID
	var counted, n int64
	err := tx.QueryRow(ctx, `select type, part, coalesce(t.n, 0), coalesce(c.n, 0) from tally t
		full join (`+tallied+`) c(type, part, n) using (type, part) where coalesce(t.n, 0) <> coalesce(c.n, 0) limit 1`).Scan(&typ, &part, &counted, &n)
	switch {
	case err == nil:
		return fmt.Errorf("of type %d there are %d in part %d, and %d were counted", typ, n, part, counted)
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	}
	return err
}

// more scans further columns into places of their own.
type more struct {
	pgx.Rows
	into []any
}

func (m more) Scan(into ...any) error { return m.Rows.Scan(append(into, m.into...)...) }

// checkChanges reads every change: they are whole, and their numbers have no gap.
func checkChanges(ctx context.Context, tx pgx.Tx) error {
	var next graph.Seq
	if err := tx.QueryRow(ctx, `select next from sequence where name = 'change'`).Scan(&next); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `select seq, at, touched from change order by seq desc`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var c graph.Change
		if err := scanChange(rows, &c); err != nil {
			return err
		}
		if next--; c.Seq != next {
			return fmt.Errorf("change %d stands where %d should", c.Seq, next)
		}
	}
	return rows.Err()
}
