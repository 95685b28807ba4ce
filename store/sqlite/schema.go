package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/weft-graph/weft/graph"
)

//go:embed schema.sql
var schema string

//go:embed select.sql
var selecting string

// steps lead from an empty file to today's schema. They are only ever added to; the file's user_version
// is how many it has taken. That number is all there is to keep: steps go forwards only, each in a
// transaction with its number, and nobody runs them by hand.
var steps = []string{
	schema,
	`create table identity (name text not null); insert into identity values (lower(hex(randomblob(16))))`,
	`create table reserved (
		id         integer primary key,
		user       integer not null,
		connection integer,                   -- null: nothing was sent under it; 0: a concept, 1: a connection
		became     integer not null default 0 -- what that is; 0: a connection that was skipped
	)`,
	`create table kv (
		key     text primary key,
		value   blob not null,
		version integer not null,
		expires integer -- milliseconds since 1970; null: never
	);
	create index kv_expires on kv (expires) where expires is not null;
	insert into sequence values ('kv', 1)`,
	`alter table reserved add column at integer not null default 0; -- milliseconds since 1970
	update reserved set at = unixepoch() * 1000;
	create index reserved_unused on reserved (at) where connection is null`,
	selecting,
}

// migrate brings a database up to date. It refuses one from the future.
func migrate(ctx context.Context, db *sql.Conn) error {
	var version int
	if err := db.QueryRowContext(ctx, "pragma user_version").Scan(&version); err != nil {
		return fmt.Errorf("reading the version of the store: %w", err)
	}
	if version > len(steps) {
		return fromTheFuture(version)
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

// readable says why a file cannot be read, unless it is a store of today's version.
func readable(ctx context.Context, db *sql.DB, path string) error {
	var version int
	err := db.QueryRowContext(ctx, "pragma user_version").Scan(&version)
	switch {
	case foreign(err) || err == nil && version == 0:
		return notAStore(path)
	case unwritable(err):
		return closed(filepath.Dir(path))
	case err != nil:
		return fmt.Errorf("reading the version of %s: %w", path, err)
	case version < len(steps):
		return graph.Errorf(graph.Unavailable, "%s was made by an older Weft; weft serve brings it up to date", path)
	case version > len(steps):
		return fromTheFuture(version)
	}
	return nil
}

func fromTheFuture(version int) error {
	return graph.Errorf(graph.Unavailable, "the store is of version %d; this program knows %d", version, len(steps))
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
