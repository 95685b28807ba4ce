package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-graph/weft/graph"
)

// poolSize is how many connections a server opens at most, unless its URL says pool_max_conns. PostgreSQL allows a
// hundred to all servers together unless it is told otherwise.
const poolSize = 16

// connect opens a pool on the database at a URL. What it says of a bad URL does not repeat it: there is a
// password in it.
func connect(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, graph.Errorf(graph.Invalid, "the URL of the store is none that PostgreSQL understands; it looks like postgres://user:password@host:5432/database")
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = poolSize
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	config.PingTimeout = 5 * time.Second
	config.AfterConnect = setUp
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, failed(ctx, "opening the store", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, failed(ctx, "opening the store", err)
	}
	return pool, nil
}

// setUp sees to what the store relies on, whatever the database was told.
//
// A commit waits for the disk. Every question is answered by walking an index, and its plan is made once: what
// PostgreSQL guesses about a table that it has not counted yet must not turn one into reading the whole of it,
// and guessing anew or starting workers takes it longer than answering.
func setUp(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `select set_config('jit', 'off', false), set_config('max_parallel_workers_per_gather', '0', false),
		set_config('plan_cache_mode', 'force_generic_plan', false),
		set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
		set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
			else current_setting('synchronous_commit') end, false)`)
	return err
}

// unreachable says whether an error may pass by itself: no connection, or a database that starts, stops, is
// full or has too much to do.
func unreachable(err error) bool {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch said.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, operator intervention, disk
			return true
		}
		return crossed(err)
	}
	var refused *pgconn.ConnectError
	var broken net.Error
	return errors.As(err, &refused) || errors.As(err, &broken) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded)
}

// crossed says whether a transaction was undone because of another one, and may succeed when it is tried again.
func crossed(err error) bool {
	var said *pgconn.PgError
	return errors.Is(err, errCrossed) || errors.As(err, &said) && (said.Code == "40001" || said.Code == "40P01")
}

// errCrossed is for what another server wrote since we looked.
var errCrossed = errors.New("another server wrote the same at the same time")
