package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// Check implements graph.Store. SQLite compares its indexes with its tables; the other checks verify invariants of the
// store.
func (r *Reader) Check(ctx context.Context) error {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return failed(ctx, "checking the store", err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, check := range []func(context.Context, *sql.Tx) error{
		checkFile, checkReferences, checkDirectory, checkChanges, checkScopes, checkSizes, checkValues,
	} {
		if err := check(ctx, tx); err != nil {
			return failed(ctx, "the store is inconsistent", err)
		}
	}
	return nil
}

func checkFile(ctx context.Context, tx *sql.Tx) error {
	// A connection caches the segments of the full-text index. The following search refreshes the cache. Without the
	// search, integrity_check would report recently merged segments as damaged.
	if _, err := tx.ExecContext(ctx, `select 1 from value_text where value_text match 'aaa' limit 1`); err != nil {
		return err
	}
	var result string
	if err := tx.QueryRowContext(ctx, "pragma integrity_check(1)").Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("the file is damaged: %s", result)
	}
	return nil
}

// checkReferences selects rows that must not exist.
func checkReferences(ctx context.Context, tx *sql.Tx) error {
	return expectNone(ctx, tx, map[string]string{
		"connection %d has no source":                       `select id from connection where source not in (select id from concept)`,
		"connection %d has no target":                       `select id from connection where target not in (select id from concept)`,
		"connection %d has no type":                         `select id from connection where type not in (select id from concept)`,
		"connection %d connects a concept with itself":      `select id from connection where source = target`,
		"concept %d has no type":                            `select id from concept where type not in (select id from concept)`,
		"concept %d has no category":                        `select id from concept where category not in (select id from concept)`,
		"concept %d lacks its long value in the table text": `select id from concept where value is null and id not in (select id from text)`,
		"text %d belongs to no concept":                     `select id from text where id not in (select id from concept where value is null)`,
		"the directory lists %d under a wrong key": `select d.id from directory d left join concept c
			on c.id = d.id and c.type = d.type and c.category = d.category where c.id is null`,
		"id %d is reserved and was given to another record": `select r.id from reserved r where r.became <> r.id
			and (r.id in (select id from concept) or r.id in (select id from connection))`,
		"id %d is beyond the next id of the sequence": `select id from (select max(id) id from concept union select max(id) from connection union select max(id) from reserved)
			where id >= (select next from sequence where name = 'id')`,
	})
}

// expectNone returns an error for the first query that finds an id. The keys of broken are the messages of the
// errors.
func expectNone(ctx context.Context, tx *sql.Tx, broken map[string]string) error {
	for broken, query := range broken {
		var id graph.ID
		switch err := tx.QueryRowContext(ctx, query+" limit 1").Scan(&id); {
		case err == nil:
			return fmt.Errorf(broken, id)
		case !errors.Is(err, sql.ErrNoRows):
			return err
		}
	}
	return nil
}

// checkDirectory checks that the directory lists each type and shared value under its key, and nothing else. Duplicates of
// types or shared values cannot exist, because they would have the same primary key in the directory.
func checkDirectory(ctx context.Context, tx *sql.Tx) error {
	find, err := tx.PrepareContext(ctx, `select id from directory where hash = ? and category = ? and type = ? and scope = ?`)
	if err != nil {
		return err
	}
	defer find.Close()
	rows, err := tx.QueryContext(ctx, `select `+conceptColumns+` from concept c`)
	if err != nil {
		return err
	}
	defer rows.Close()
	listed := 0
	for rows.Next() {
		var c graph.Concept
		if err := scanConcept(rows, &c); err != nil {
			return err
		}
		if !plan.InDirectory(c) {
			continue
		}
		listed++
		var id graph.ID
		err := find.QueryRowContext(ctx, hash(c.Value), c.Category, c.Type, c.Scope()).Scan(&id)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if id != c.ID {
			return fmt.Errorf("the directory lists concept %d under the key of concept %d, %q", id, c.ID, c.Value)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var n int
	if err := tx.QueryRowContext(ctx, `select count(*) from directory`).Scan(&n); err != nil {
		return err
	}
	if n != listed {
		return fmt.Errorf("the directory has %d entries for %d values", n, listed)
	}
	return nil
}

// checkChanges checks that every change can be unpacked and that the numbers of the changes have no gap.
func checkChanges(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `select seq, at, touched from change order by seq desc`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var next graph.Seq
	if err := tx.QueryRowContext(ctx, `select next from sequence where name = 'change'`).Scan(&next); err != nil {
		return err
	}
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
