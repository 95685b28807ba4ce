package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/store/sqlstore"
)

// Explain tells how a selection is found.
func (r *Reader) Explain(ctx context.Context, s graph.Selection) (string, error) {
	statement, args, err := sqlstore.Compile(dialect{}, s)
	if err != nil {
		return "", err
	}
	lines, err := collect(ctx, r.pool, func(rows pgx.Rows, line *string) error { return rows.Scan(line) },
		"explain "+statement, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
	return strings.Join(lines, "\n"), err
}
