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
var selectSchema string

//go:embed visible.sql
var visibleSchema string

// migrations lists the steps from an empty file to the current schema. New migrations are appended; released migrations never
// change. The user_version of the file is the number of migrations that were applied to it.
var migrations = []migration{
	{sql: schema},
	{sql: `create table identity (name text not null); insert into identity values (lower(hex(randomblob(16))))`},
	{sql: `create table reserved (
		id         integer primary key,
		user       integer not null,
		connection integer,                   -- null: unused; 0: used for a concept, 1: for a connection
		became     integer not null default 0 -- id of that record; 0: a skipped connection
	)`},
	{sql: `create table kv (
		key     text primary key,
		value   blob not null,
		version integer not null,
		expires integer -- milliseconds since 1970; null: never
	);
	create index kv_expires on kv (expires) where expires is not null;
	insert into sequence values ('kv', 1)`},
	{sql: `alter table reserved add column at integer not null default 0; -- milliseconds since 1970
	update reserved set at = unixepoch() * 1000;
	create index reserved_unused on reserved (at) where connection is null`},
	{sql: selectSchema},
	{sql: addScopes},
	{prepare: fillScopes, sql: visibleSchema},
	{sql: createUsage},
	// The column position contains a graph.Position as text, or null. It has no declared type: with a declared type, the query planner
	// would estimate larger rows and use other indexes.
	{sql: `alter table concept add column position`},
}

// A migration changes the schema of a file from one version to the next.
type migration struct {
	// prepare may be nil. It can take long and therefore runs in several transactions. After an interruption it is called again and
	// continues with the remaining work.
	prepare func(context.Context, *sql.Conn) error
	// sql runs after prepare, in one transaction that also sets the version.
	sql string
}

// apply applies a migration. version is the version of the file after the migration.
func (m migration) apply(ctx context.Context, db *sql.Conn, version int) error {
	if m.prepare != nil {
		if err := m.prepare(ctx, db); err != nil {
			return err
		}
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf("begin immediate; %s; pragma user_version = %d; commit", m.sql, version))
	return err
}

// migrate applies the migrations that a database lacks, and adds missing fixed concepts. It returns an error for a version that is newer
// than this program.
func migrate(ctx context.Context, db *sql.Conn) error {
	var version int
	if err := db.QueryRowContext(ctx, "pragma user_version").Scan(&version); err != nil {
		return fmt.Errorf("reading the version of the store: %w", err)
	}
	if version > len(migrations) {
		return errNewerVersion(version)
	}
	for ; version < len(migrations); version++ {
		if err := migrations[version].apply(ctx, db, version+1); err != nil {
			return fmt.Errorf("migrating the store from version %d to %d: %w", version, version+1, err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("adding the fixed concepts: %w", err)
	}
	if err := addFixed(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// checkReadable returns an error unless the file is a store of the current version that can be opened without migrations.
func checkReadable(ctx context.Context, db *sql.DB, path string) error {
	var version int
	err := db.QueryRowContext(ctx, "pragma user_version").Scan(&version)
	switch {
	case isForeign(err) || err == nil && version == 0:
		return errNotAStore(path)
	case isUnwritable(err):
		return errUnwritable(filepath.Dir(path))
	case err != nil:
		return fmt.Errorf("reading the version of %s: %w", path, err)
	case version < len(migrations):
		return graph.Errorf(graph.Unavailable, "%s was created by an older Weft; weft serve upgrades it", path)
	case version > len(migrations):
		return errNewerVersion(version)
	}
	return nil
}

func errNewerVersion(version int) error {
	return graph.Errorf(graph.Unavailable, "the store has version %d; this program supports %d", version, len(migrations))
}

// addFixed adds missing fixed concepts.
func addFixed(ctx context.Context, db *sql.Tx) error {
	for _, c := range graph.Fixed() {
		_, err := db.ExecContext(ctx, `insert or ignore into concept values (?, ?, ?, ?, ?, ?, ?, ?, null)`,
			c.ID, c.Type, c.Category, c.Value, c.Owner, c.Access, c.Composition, c.Created.UnixMilli())
		if err != nil {
			return fmt.Errorf("adding concept %d: %w", c.ID, err)
		}
		_, err = db.ExecContext(ctx, `insert or ignore into directory values (?, ?, ?, ?, ?)`,
			hash(c.Value), c.Category, c.Type, c.Scope(), c.ID)
		if err != nil {
			return fmt.Errorf("adding concept %d: %w", c.ID, err)
		}
	}
	return nil
}
