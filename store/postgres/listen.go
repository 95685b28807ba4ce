package postgres

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is where a server tells the others that it has committed a change. It says no more than that:
// what changed stands in the table.
const channel = "weft_change"

// LogTo makes Listen tell a log when the database is gone and when it is back, once each. It comes before Listen, and
// tells at once if texts are searched without an index.
func (r *Reader) LogTo(log *slog.Logger) {
	if r.log = log; r.unindexed != nil {
		log.Warn("texts are searched without an index: the database has no extension pg_trgm", "error", r.unindexed)
	}
}

// Listen calls woken after every change that anybody commits, and whenever it may have missed one, until
// ctx ends. It keeps a connection of its own.
func (r *Reader) Listen(ctx context.Context, woken func()) {
	const soon, late = 50 * time.Millisecond, 5 * time.Second
	wait, gone := soon, false
	for ctx.Err() == nil {
		heard := false
		err := r.listen(ctx, func() {
			if heard = true; gone {
				gone = false
				r.log.InfoContext(ctx, "the database answers again")
			}
			woken()
		})
		if wait = min(2*wait, late); heard {
			wait = soon
		} else if !gone && ctx.Err() == nil {
			gone = true
			r.log.ErrorContext(ctx, "the database does not answer; until it does requests are refused", "error", err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// listen calls woken for the first time when it is connected, and returns why it is not any more.
func (r *Reader) listen(ctx context.Context, woken func()) error {
	conn, err := pgx.ConnectConfig(ctx, r.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "listen "+channel); err != nil {
		return err
	}
	for {
		woken()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}
