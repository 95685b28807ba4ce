package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// Check implements graph.Store. PostgreSQL keeps its indexes consistent; Check verifies the invariants of the store.
func (r *Reader) Check(ctx context.Context) error {
	err := pgx.BeginTxFunc(ctx, r.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		for _, check := range []func(context.Context, pgx.Tx) error{allowScans, checkReferences, checkScopes, checkConcepts, checkTallies, checkChanges} {
			if err := check(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	return failed(ctx, "the store is inconsistent", err)
}

// allowScans permits PostgreSQL to scan tables, which setUp forbids.
func allowScans(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true),
		set_config('enable_mergejoin', 'on', true)`)
	return err
}

// checkReferences selects rows that must not exist.
func checkReferences(ctx context.Context, tx pgx.Tx) error {
	return expectNone(ctx, tx, map[string]string{
		"connection %d has no source":                  `select id from connection x where not exists (select from concept c where c.id = x.source)`,
		"connection %d has no target":                  `select id from connection x where not exists (select from concept c where c.id = x.target)`,
		"connection %d has no type":                    `select id from connection x where not exists (select from concept c where c.id = x.type)`,
		"connection %d connects a concept with itself": `select id from connection where source = target`,
		"two connections have id %d":                   `select id from connection group by id having count(*) > 1`,
		"a concept and a connection have id %d":        `select id from connection x where exists (select from concept c where c.id = x.id)`,
		"concept %d has no type":                       `select id from concept x where not exists (select from concept c where c.id = x.type)`,
		"concept %d has no category":                   `select id from concept x where not exists (select from concept c where c.id = x.category)`,
		"the directory lists %d under a wrong key": `select d.id from directory d left join concept c
			on c.id = d.id and c.type = d.type and c.category = d.category where c.id is null`,
		"a local id belongs to sender %d, which does not exist": `select id from ghost g where not exists (select from sender s where s.id = g.sender)`,
		"id %d is reserved and was given to another record": `select r.id from reserved r where r.became <> r.id
			and (exists (select from concept c where c.id = r.id) or exists (select from connection c where c.id = r.id))`,
		"id %d is beyond the next id of the sequence": `select id from (select max(id) id from concept union select max(id) from connection
			union select max(id) from reserved union select max(id) from sender) x
			where id >= (select next from sequence where name = 'id')`,
	})
}

// expectNone returns an error for the first query that finds an id. The keys of broken are the messages of the
// errors.
func expectNone(ctx context.Context, tx pgx.Tx, broken map[string]string) error {
	for broken, query := range broken {
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

// checkConcepts checks that the stored key and folded value of every concept belong to its value. It also checks that the
// directory lists each type and shared value under its key, and nothing else. Duplicates of types or shared values cannot
// exist, because they would have the same primary key in the directory.
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
		var valueKey []byte
		var folded *string
		if err := scanConcept(extendedRows{rows, []any{&valueKey, &folded, &hash, &scope}}, &c); err != nil {
			return err
		}
		if want := foldedOf(c.Value); !bytes.Equal(valueKey, keyOf(c.Value)) || (folded == nil) != (want == nil) || want != nil && *folded != *want {
			return fmt.Errorf("concept %d, %q, has a wrong key or folded value", c.ID, graph.Clip(c.Value))
		}
		key := plan.DirectoryKeyOf(c)
		if (hash != nil) != plan.InDirectory(c) || hash != nil && (*hash != key.Hash || graph.ID(*scope) != key.Scope) {
			return fmt.Errorf("the directory does not list concept %d, %q, under its key, or should not list it", c.ID, graph.Clip(c.Value))
		}
	}
	return rows.Err()
}

// checkTallies compares the tallies with counts of all records.
func checkTallies(ctx context.Context, tx pgx.Tx) error {
	var typ, part graph.ID
	var counted, n int64
	err := tx.QueryRow(ctx, `select type, part, coalesce(t.n, 0), coalesce(c.n, 0) from tally t
		full join (`+countAll+`) c(type, part, n) using (type, part) where coalesce(t.n, 0) <> coalesce(c.n, 0) limit 1`).Scan(&typ, &part, &counted, &n)
	switch {
	case err == nil:
		return fmt.Errorf("type %d has %d records in part %d; the tally is %d", typ, n, part, counted)
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	}
	return err
}

// extendedRows scans additional columns after the columns that the caller scans.
type extendedRows struct {
	pgx.Rows
	into []any
}

func (r extendedRows) Scan(into ...any) error { return r.Rows.Scan(append(into, r.into...)...) }

// checkChanges checks that every change can be unpacked and that the numbers of the changes have no gap.
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
			return fmt.Errorf("change %d is where change %d should be", c.Seq, next)
		}
	}
	return rows.Err()
}
