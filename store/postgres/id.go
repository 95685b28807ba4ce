package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
)

// A block is ids taken from the sequence and not yet given away.
type block struct{ next, end graph.ID }

// idBlock is how many ids are taken at once, at least. What is left of a block when the store closes is
// never used.
const idBlock = 1_000

// refill takes a block when what is left is not enough for a group. It does so before the transaction, so
// that nobody waits for the row longer than a moment.
func (w *writer) refill(ctx context.Context, conn *pgx.Conn, group []*request[*write]) error {
	need := graph.ID(0)
	names := map[string]bool{}
	for _, r := range group {
		b := r.work.batch
		need += graph.ID(1 + len(b.Concepts) + len(b.Connections)) // and the sender
		for n := range typeNames(b) {
			names[n] = true
		}
	}
	for n := range names {
		need += graph.ID(len(graph.TypeChain(n)))
	}
	if w.ids.end-w.ids.next >= need {
		return nil
	}
	n := max(need, idBlock)
	var end graph.ID
	if err := conn.QueryRow(ctx, `update sequence set next = next + $1 where name = 'id' returning next`, n).Scan(&end); err != nil {
		return fmt.Errorf("taking a block of ids: %w", err)
	}
	w.ids = block{next: end - n, end: end}
	return nil
}

var errNoIDs = errors.New("the block of ids is used up")

func (b *block) take() (graph.ID, error) {
	if b.next >= b.end {
		return 0, errNoIDs
	}
	b.next++
	return b.next - 1, nil
}
