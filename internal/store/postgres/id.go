package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/plan"
)

// A block is a range of ids taken from the table sequence: next is unused, and end is the first id after the block.
type block struct{ next, end graph.ID }

// idBlock is the minimum number of ids that are taken together. The ids left in a block are lost when the store closes, or
// when they are too few for a group.
const idBlock = 1_000

// refill takes a new block if the rest of the current block may be too small for a group. It runs before the transaction, so
// that the row of the table sequence is locked only for this statement.
func (w *writer) refill(ctx context.Context, conn *pgx.Conn, group []*request[*write]) error {
	need := graph.ID(0)
	names := map[string]bool{}
	for _, r := range group {
		b := r.work.batch
		need += graph.ID(1 + len(b.Concepts) + len(b.Connections)) // one id for the sender
		for n := range plan.TypeNames(b) {
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

// takeID returns the next id of the block, or errNoIDs.
func (b *block) takeID() (graph.ID, error) {
	if b.next >= b.end {
		return 0, errNoIDs
	}
	b.next++
	return b.next - 1, nil
}
