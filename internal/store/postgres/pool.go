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

// poolSize is the maximum number of connections of a server, unless its URL has pool_max_conns. By default PostgreSQL permits
// a hundred for all servers together.
const poolSize = 16

// connect opens a pool of connections to the database at a URL. Errors do not quote the URL, which contains a password.
func connect(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, graph.Errorf(graph.Invalid, "the URL of the store is not a PostgreSQL URL, such as postgres://user:password@host:5432/database")
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

// setUp overrides the settings of the database on which the store relies:
//
//   - A commit waits for the disk.
//   - Plans of prepared statements are generic, created once per connection, and all plans use indexes. Estimates for a table that was not analyzed yet
//     must not lead to a full scan. Planning again, compiling or starting workers takes longer than the query.
func setUp(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `select set_config('jit', 'off', false), set_config('max_parallel_workers_per_gather', '0', false),
		set_config('plan_cache_mode', 'force_generic_plan', false),
		set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
		set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'
			else current_setting('synchronous_commit') end, false)`)
	return err
}

// isUnreachable reports whether an error may be temporary: no connection, or a database that starts, stops, is full or
// overloaded.
func isUnreachable(err error) bool {
	if pgError, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pgError.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, operator intervention, disk
			return true
		}
		return isCrossed(err)
	}
	var refused *pgconn.ConnectError
	var netError net.Error
	return errors.As(err, &refused) || errors.As(err, &netError) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded)
}

// isCrossed reports whether a transaction failed because of a concurrent transaction, and may succeed if it is
// repeated.
func isCrossed(err error) bool {
	var pgError *pgconn.PgError
	return errors.Is(err, errCrossed) || errors.As(err, &pgError) && (pgError.Code == "40001" || pgError.Code == "40P01")
}

// errCrossed means that another server has written one of the rows since the transaction loaded its data.
var errCrossed = errors.New("another server wrote the same row at the same time")
