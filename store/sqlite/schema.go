package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"

	"github.com/weft-graph/weft/graph"
)

//go:embed schema.sql
var schema string

// steps lead from an empty file to today's schema. They are only ever added to; the file's user_version
// is how many it has taken. That number is all there is to keep: steps go forwards only, each in a
// transaction with its number, and nobody runs them by hand.
var steps = []string{
	schema,
	`create table identity (name text not null); insert into identity values (lower(hex(randomblob(16))))`,
}

// migrate brings a database up to date. It refuses one from the future.
func migrate(ctx context.Context, db *sql.Conn) error {
	var version int
	if err := db.QueryRowContext(ctx, "pragma user_version").Scan(&version); err != nil {
		return fmt.Errorf("reading the version of the store: %w", err)
	}
	if version > len(steps) {
		return fmt.Errorf("the store is of version %d; this program knows %d", version, len(steps))
	}
	for ; version < len(steps); version++ {
		step := fmt.Sprintf("begin immediate; %s; pragma user_version = %d; commit", steps[version], version+1)
		if _, err := db.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("taking the store from version %d to %d: %w", version, version+1, err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("planting the fixed concepts: %w", err)
	}
	if err := plant(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// plant adds the fixed concepts that are not there yet.
func plant(ctx context.Context, db *sql.Tx) error {
	for _, c := range graph.Fixed() {
		_, err := db.ExecContext(ctx, `insert or ignore into concept values (?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, c.Type, c.Category, c.Value, c.Owner, c.Access, c.Composition, c.Created.UnixMilli())
		if err != nil {
			return fmt.Errorf("planting concept %d: %w", c.ID, err)
		}
		_, err = db.ExecContext(ctx, `insert or ignore into directory values (?, ?, ?, ?, ?)`,
			hash(c.Value), c.Category, c.Type, c.Scope(), c.ID)
		if err != nil {
			return fmt.Errorf("planting concept %d: %w", c.ID, err)
		}
	}
	return nil
}
