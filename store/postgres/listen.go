package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// channel is where a server tells the others that it has committed a change. It says no more than that:
// what changed stands in the table.
const channel = "weft_change"

// Listen calls woken after every change that anybody commits, and whenever it may have missed one, until
// ctx ends. It keeps a connection of its own.
func (r *Reader) Listen(ctx context.Context, woken func()) {
	const soon, late = 50 * time.Millisecond, 5 * time.Second
	wait := soon
	for ctx.Err() == nil {
		heard := r.listen(ctx, woken)
		if wait = min(2*wait, late); heard {
			wait = soon
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// listen says whether it was connected before it failed.
func (r *Reader) listen(ctx context.Context, woken func()) (heard bool) {
	conn, err := pgx.ConnectConfig(ctx, r.pool.Config().ConnConfig)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "listen "+channel); err != nil {
		return false
	}
	for {
		woken()
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return true
		}
	}
}
