package memory

import (
	"context"

	"github.com/weft-graph/weft/graph"
)

var _ graph.UsageKeeper = (*Store)(nil)

// SetQuotas implements graph.UsageKeeper.
func (s *Store) SetQuotas(q graph.Quotas) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quotas = q
}

// Usage implements graph.UsageKeeper.
func (s *Store) Usage(ctx context.Context, owner graph.ID) (graph.Usage, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.usage[owner], ctx.Err()
}

// countOwned adds a record and its text to the usage of the owner if n is 1, and subtracts them if n is -1.
func (s *Store) countOwned(id, owner graph.ID, text string, n int64) {
	if id < graph.FirstFree {
		return
	}
	of := s.usage[owner]
	s.usage[owner] = graph.Usage{Records: of.Records + n, Bytes: of.Bytes + n*int64(len(text))}
}

// requireQuota refuses a batch that has given its sender more than the quota.
func (w *write) requireQuota(before graph.Usage) error {
	after := w.usage[w.by.User]
	return w.quotas.LimitsOf(w.by.User).Check(before, graph.Usage{Records: after.Records - before.Records, Bytes: after.Bytes - before.Bytes})
}
