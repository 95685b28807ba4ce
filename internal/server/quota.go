package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
)

// Default quotas of all guests together, on servers where guests may write.
const (
	DefaultGuestRecords = 10_000_000
	DefaultGuestBytes   = 1 << 30
)

// quotas reports the usage and the limits of callers. A nil quotas limits nothing.
type quotas struct {
	keeper graph.UsageKeeper
	limits graph.Quotas
}

// newQuotas sets the quotas of a store. It returns nil without quotas, or if the store does not count the records
// of users.
func newQuotas(store graph.Store, limits graph.Quotas) *quotas {
	keeper, ok := graph.As[graph.UsageKeeper](store)
	if !ok || limits == (graph.Quotas{}) {
		return nil
	}
	keeper.SetQuotas(limits)
	return &quotas{keeper, limits}
}

// quotaState holds the usage and the limits of a caller.
type quotaState struct {
	graph.Usage
	MaxRecords int64 `json:"maxRecords"` // 0 means no limit
	MaxBytes   int64 `json:"maxBytes"`
}

// of returns the state of a user, or nil without a quota.
func (q *quotas) of(ctx context.Context, user graph.ID) (*quotaState, error) {
	if q == nil || q.limits.LimitsOf(user) == (graph.Usage{}) {
		return nil, nil //nolint:nilnil // the response has no such member then
	}
	used, err := q.keeper.Usage(ctx, user)
	limit := q.limits.LimitsOf(user)
	return &quotaState{used, limit.Records, limit.Bytes}, err
}

// register registers the usage of all guests as metrics. The usage of each user is not a metric, because there may be
// many users.
func (q *quotas) register(r prometheus.Registerer) {
	if q == nil || r == nil || q.limits.Guests == (graph.Usage{}) {
		return
	}
	guests := func() graph.Usage {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		used, err := q.keeper.Usage(ctx, graph.Anonymous)
		if err != nil {
			return graph.Usage{Records: -1, Bytes: -1}
		}
		return used
	}
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "weft_guest_records", Help: "Records of all guests, -1 if the store does not respond."},
			func() float64 { return float64(guests().Records) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "weft_guest_text_bytes", Help: "Bytes of the values of all guests, -1 if the store does not respond."},
			func() float64 { return float64(guests().Bytes) }),
	)
}
