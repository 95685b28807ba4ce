package sqlstore

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Charge charges the value of a record that was read to the account of a request. The record is a pointer. It
// charges nothing for a record without a long value; a caller that collects many such records must charge them
// itself.
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
