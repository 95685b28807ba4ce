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

// steps lead from an empty database to today's schema. They are only ever added to; the table weft_version
// holds how many were taken. They go forwards only, each in a transaction, and nobody runs them by hand.
var steps = []step{
	{then: schema},
	{then: `alter table reserved add column at bigint not null default (extract(epoch from now()) * 1000)::bigint; -- milliseconds since 1970
	create index reserved_unused on reserved (at) where connection is null`},
	{then: selecting},
	{first: fillKeys, then: selectable},
}

// A step is statements in one transaction. What comes first may take long: it goes on where it was when it is broken off.
type step struct {
	first func(context.Context, *pgx.Conn) error
	then  string
}

// migrate brings a database up to date, one server at a time. It refuses one from the future. Refused is why there
// is no index of texts.
func migrate(ctx context.Context, pool *pgxpool.Pool) (refused, err error) {
	err = pool.AcquireFunc(ctx, func(pooled *pgxpool.Conn) error {
		conn := pooled.Conn()
		if _, err := conn.Exec(ctx, lockMigration); err != nil {
			return err
		}
		err := takeSteps(ctx, conn)
		if err == nil {
			refused, err = indexTexts(ctx, conn)
		}
		if _, open := conn.Exec(context.WithoutCancel(ctx), unlockMigration); open != nil {
			_ = conn.Close(context.WithoutCancel(ctx)) // which unlocks it too
		}
		return err
	})
	return refused, err
}

func takeSteps(ctx context.Context, conn *pgx.Conn) error {
	taken, err := version(ctx, conn)
	if err != nil {
		return err
	}
	if taken > len(steps) {
		return fromTheFuture(taken)
	}
	for ; taken < len(steps); taken++ {
		if err := steps[taken].take(ctx, conn, taken+1); err != nil {
			return fmt.Errorf("taking the store from version %d to %d: %w", taken, taken+1, err)
		}
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return plant(ctx, tx) })
}

func (s step) take(ctx context.Context, conn *pgx.Conn, version int) error {
	if s.first != nil {
		if err := s.first(ctx, conn); err != nil {
			return err
		}
	}
	_, err := conn.PgConn().Exec(ctx, fmt.Sprintf(`%s; create table if not exists weft_version (steps int not null);
		delete from weft_version; insert into weft_version values (%d)`, s.then, version)).ReadAll()
	return err
}

// version is how many steps a database has taken: 0 when there is no store in it.
func version(ctx context.Context, db querier) (taken int, err error) {
	var encoding string
	var there bool
	err = db.QueryRow(ctx, `select current_setting('server_encoding'), to_regclass('weft_version') is not null`).Scan(&encoding, &there)
	if err == nil && encoding != "UTF8" {
		err = graph.Errorf(graph.Invalid, "the database keeps its texts in %s; a store needs one made with encoding UTF8", encoding)
	}
	if err != nil || !there {
		return 0, err
	}
	err = db.QueryRow(ctx, `select steps from weft_version`).Scan(&taken)
	return taken, err
}

// readable says why a database cannot be read, unless it holds a store of today's version.
func readable(ctx context.Context, db querier) error {
	taken, err := version(ctx, db)
	switch {
	case err != nil:
		return err
	case taken == 0:
		return graph.Errorf(graph.NotFound, "there is no store in the database")
	case taken < len(steps):
		return graph.Errorf(graph.Unavailable, "the store was made by an older Weft; weft serve brings it up to date")
	case taken > len(steps):
		return fromTheFuture(taken)
	}
	return nil
}

func fromTheFuture(version int) error {
	return graph.Errorf(graph.Unavailable, "the store is of version %d; this program knows %d", version, len(steps))
}

// plant adds the identity, and the fixed concepts that are not there yet.
func plant(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	b.Queue(`insert into identity select $1 where not exists (select from identity)`, rand.Text())
	queueNames(b, graph.Fixed())
	queueConcepts(b, graph.Fixed())
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("planting the fixed concepts: %w", err)
	}
	return nil
}

// A querier is a connection, a transaction or a pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
