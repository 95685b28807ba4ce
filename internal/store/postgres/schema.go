package postgres

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-graph/weft/graph"
)

//go:embed schema.sql
var schema string

// steps lists the migrations from an empty database to the current schema. New steps are appended; released steps
// never change. The table weft_version holds the number of applied steps. Each step runs in a transaction that
// increments this number.
var steps = []step{
	{then: schema},
	{then: `alter table reserved add column at bigint not null default (extract(epoch from now()) * 1000)::bigint; -- milliseconds since 1970
	create index reserved_unused on reserved (at) where connection is null`},
	{then: addSelectColumns},
	{first: fillKeys, then: addSelectIndexes},
	{then: addScopes},
	{first: fillScopes, then: addScopeIndexes},
	{then: fillUsage},
	{then: recountLinks},
	{then: `alter table concept add column position text`}, // graph.Position; null: none
}

// A step is a migration. The function first may be nil. It may take long and therefore runs outside a transaction; it can be
// repeated after an interruption. After first, the SQL in the field then runs in one transaction.
type step struct {
	first func(context.Context, *pgx.Conn) error
	then  string
}

// migrate applies the steps that a database lacks, one server at a time. It rejects a newer version. For indexErr see indexTexts.
func migrate(ctx context.Context, pool *pgxpool.Pool) (indexErr, err error) {
	err = pool.AcquireFunc(ctx, func(pooled *pgxpool.Conn) error {
		conn := pooled.Conn()
		if _, err := conn.Exec(ctx, lockMigration); err != nil {
			return err
		}
		err := applySteps(ctx, conn)
		if err == nil {
			indexErr, err = indexTexts(ctx, conn)
		}
		if _, unlockErr := conn.Exec(context.WithoutCancel(ctx), unlockMigration); unlockErr != nil {
			_ = conn.Close(context.WithoutCancel(ctx)) // closing also releases the lock
		}
		return err
	})
	return indexErr, err
}

func applySteps(ctx context.Context, conn *pgx.Conn) error {
	applied, err := version(ctx, conn)
	if err != nil {
		return err
	}
	if applied > len(steps) {
		return errNewerVersion(applied)
	}
	for ; applied < len(steps); applied++ {
		if err := steps[applied].apply(ctx, conn, applied+1); err != nil {
			return fmt.Errorf("migrating the store from version %d to %d: %w", applied, applied+1, err)
		}
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return addFixed(ctx, tx) })
}

func (s step) apply(ctx context.Context, conn *pgx.Conn, version int) error {
	if s.first != nil {
		if err := s.first(ctx, conn); err != nil {
			return err
		}
	}
	_, err := conn.PgConn().Exec(ctx, fmt.Sprintf(`%s; create table if not exists weft_version (steps int not null);
		delete from weft_version; insert into weft_version values (%d)`, s.then, version)).ReadAll()
	return err
}

// version returns the number of steps applied to a database, which is 0 without a store.
func version(ctx context.Context, db querier) (applied int, err error) {
	var encoding string
	var exists bool
	err = db.QueryRow(ctx, `select current_setting('server_encoding'), to_regclass('weft_version') is not null`).Scan(&encoding, &exists)
	if err == nil && encoding != "UTF8" {
		err = graph.Errorf(graph.Invalid, "the database has encoding %s; a store needs a database with encoding UTF8", encoding)
	}
	if err != nil || !exists {
		return 0, err
	}
	err = db.QueryRow(ctx, `select steps from weft_version`).Scan(&applied)
	return applied, err
}

// checkReadable returns an error unless a database holds a store of the current version.
func checkReadable(ctx context.Context, db querier) error {
	applied, err := version(ctx, db)
	switch {
	case err != nil:
		return err
	case applied == 0:
		return graph.Errorf(graph.NotFound, "there is no store in the database")
	case applied < len(steps):
		return graph.Errorf(graph.Unavailable, "the store was created by an older Weft; weft serve upgrades it")
	case applied > len(steps):
		return errNewerVersion(applied)
	}
	return nil
}

func errNewerVersion(version int) error {
	return graph.Errorf(graph.Unavailable, "the store has version %d; this program supports %d", version, len(steps))
}

// addFixed adds the identity and the fixed concepts that are missing.
func addFixed(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	b.Queue(`insert into identity select $1 where not exists (select from identity)`, rand.Text())
	queueDirectory(b, graph.Fixed())
	queueConcepts(b, graph.Fixed())
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("adding the fixed concepts: %w", err)
	}
	return nil
}

// A querier is a connection, a transaction or a pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
