package postgres

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is the NOTIFY channel on which a server reports that it has committed a change. Notifications have no payload; the
// changes are in the table.
const channel = "weft_change"

// LogTo makes Listen log when the database becomes unreachable and when it is reachable again. It must be called before Listen.
// If the index for Like is missing, LogTo logs a warning immediately.
func (r *Reader) LogTo(log *slog.Logger) {
	if r.log = log; r.indexErr != nil {
		log.Warn("values are searched without an index: the database has no extension pg_trgm", "error", r.indexErr)
	}
}

// Listen calls onChange after every change that a server commits, and whenever it may have missed a change, until ctx ends. It
// uses a separate connection and reconnects with backoff:
//
//	listening ── error ──→ disconnected ── after 50 ms, doubled up to 5 s ──→ connecting ──→ listening
func (r *Reader) Listen(ctx context.Context, onChange func()) {
	const minWait, maxWait = 50 * time.Millisecond, 5 * time.Second
	wait, isUnreachable := minWait, false
	for ctx.Err() == nil {
		connected := false
		err := r.listen(ctx, func() {
			if connected = true; isUnreachable {
				isUnreachable = false
				r.log.InfoContext(ctx, "the database responds again")
			}
			onChange()
		})
		if wait = min(2*wait, maxWait); connected {
			wait = minWait
		} else if !isUnreachable && ctx.Err() == nil {
			isUnreachable = true
			r.log.ErrorContext(ctx, "the database does not respond; requests are refused until it responds", "error", err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// listen connects, calls onChange once, and then calls it for each notification. It returns the error that ended the connection.
func (r *Reader) listen(ctx context.Context, onChange func()) error {
	conn, err := pgx.ConnectConfig(ctx, r.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "listen "+channel); err != nil {
		return err
	}
	for {
		onChange()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}
