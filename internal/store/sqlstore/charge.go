package sqlstore

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Charge charges the text of a record that was read, given as a pointer, to the account of a request. Records without
// long texts cost nothing here; a caller that collects many of them charges them itself.
func Charge(account *budget.Account, record any) error {
	if account == nil {
		return nil
	}
	switch record := record.(type) {
	case *graph.Concept:
		return account.Grow(int64(len(record.Value)))
	case *kv.Entry:
		return account.Grow(int64(len(record.Key) + len(record.Value)))
	default:
		return nil
	}
}
