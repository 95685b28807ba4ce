package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/sqlstore"
)

// Explain returns the query plan of a selection.
func (r *Reader) Explain(ctx context.Context, s graph.Selection) (string, error) {
	statement, args, err := sqlstore.Compile(dialect{}, s)
	if err != nil {
		return "", err
	}
	lines, err := collect(ctx, r.pool, func(rows pgx.Rows, line *string) error { return rows.Scan(line) },
		"explain "+statement, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
	return strings.Join(lines, "\n"), err
}

// IndexReads returns the number of index entries that were read in the database. The number is only complete for a reader with one
// connection, because other connections report their reads later.
func (r *Reader) IndexReads(ctx context.Context) (n int64, err error) {
	if _, err := r.pool.Exec(ctx, `select pg_stat_force_next_flush()`); err != nil {
		return 0, err
	}
	err = r.pool.QueryRow(ctx, `select sum(idx_tup_read)::bigint from pg_stat_user_indexes`).Scan(&n)
	return n, err
}

// ExplainValueLookups returns the generic plans of the statements that look up values, with the settings of the store's connections.
func (r *Reader) ExplainValueLookups(ctx context.Context) (map[string]string, error) {
	plans := map[string]string{}
	err := r.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		for statement, args := range map[string]string{
			presentValues: `'{}', '{}'`, typesByValue: `'{}', '{}', '{}'`, instancesByValue: `'{}', '{}', '{}'`,
			byTypeAndValue: `'{}', '{}', '{}'`, byTypeAndViewer: `'{}', '{}', '{}'`,
		} {
			if _, err := conn.Exec(ctx, `prepare lookup as `+statement, pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
			lines, err := collect(ctx, conn, func(rows pgx.Rows, line *string) error { return rows.Scan(line) },
				`explain execute lookup(`+args+`)`, pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				return err
			}
			plans[statement] = strings.Join(lines, "\n")
			if _, err := conn.Exec(ctx, `deallocate lookup`); err != nil {
				return err
			}
		}
		return nil
	})
	return plans, err
}
