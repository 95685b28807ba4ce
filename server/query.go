package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) query(q *request) (wire.Answer, error) {
	var asked wire.Query
	if err := wire.Decode(q.body, &asked); err != nil {
		return wire.Answer{}, err
	}
	found, err := s.find(q.Context(), q, asked.Graph())
	if err != nil {
		return wire.Answer{}, err
	}
	answer := wire.AnswerOf(found)
	if asked.Explain {
		answer.Plan = plan(q.caller, found).String()
	}
	if grouped := answer.Grouped(); len(grouped) > 0 {
		concepts, err := q.graph.Concepts(q.Context(), grouped)
		if err != nil {
			return wire.Answer{}, err
		}
		answer.NameGroups(concepts)
	}
	if format := query.Format(asked.OutputFormat); format.Shapes() {
		records, err := query.Shape(q.Context(), q.graph, found, format)
		if err != nil {
			return wire.Answer{}, err
		}
		answer.Data = records.AppendJSON(nil)
	}
	return answer, nil
}

// plan is what a caller may see of one. What is expected tells how much there is that nobody else may see.
func plan(caller auth.Caller, found query.Answer) *query.Plan {
	if caller.Admin && (caller.Scope == nil || caller.Scope.Types == nil) {
		return found.Plan
	}
	return found.Plan.WithoutEstimates()
}

// find answers a query as the caller sees it. Whatever searches asks through here.
func (s *Server) find(ctx context.Context, q *request, asked query.Query) (query.Answer, error) {
	return s.queries.run(ctx, q.graph, asked, q.answer.Get(requestID))
}

// Queries are limits on queries. One beyond them may be sent again.
type Queries struct {
	// Time is how long one may take; 0 means 30 seconds.
	Time time.Duration
	// Weight is what all that are answered at once may weigh together; 0 means 10,000. None counts for more than nine
	// tenths of it, so that a few light ones do not keep a heavy one out.
	Weight int64
	// Slow is how long one takes that is logged with its plan; 0 means a second.
	Slow time.Duration
}

type queries struct {
	Queries
	room   *semaphore.Weighted
	log    *slog.Logger
	meters *meters
	late   error // the answer to one that takes too long
}

func newQueries(l Queries, log *slog.Logger, m *meters) *queries {
	if l.Time == 0 {
		l.Time = 30 * time.Second
	}
	if l.Weight == 0 {
		l.Weight = 10_000
	}
	if l.Slow == 0 {
		l.Slow = time.Second
	}
	return &queries{
		Queries: l, room: semaphore.NewWeighted(l.Weight), log: log, meters: m,
		late: graph.Errorf(graph.Unavailable, "a query may take %s; ask for less at once", l.Time),
	}
}

func (s *queries) run(ctx context.Context, r graph.Reader, asked query.Query, request string) (query.Answer, error) {
	release, err := s.take(weigh(asked))
	if err != nil {
		return query.Answer{}, err
	}
	defer release()
	ctx, cancel := context.WithTimeoutCause(ctx, s.Time, s.late)
	defer cancel()
	start := time.Now()
	found, err := query.Run(ctx, r, asked)
	took := time.Since(start)
	s.meters.query(found, took)
	if took > s.Slow {
		s.log.WarnContext(ctx, "slow query", "request", request, "took", took, "plan", found.Plan.String())
	}
	if err != nil && errors.Is(context.Cause(ctx), s.late) {
		return query.Answer{}, s.late
	}
	return found, err
}

// take makes room for a question of a weight, until it is released.
func (s *queries) take(weight int64) (release func(), err error) {
	weight = min(weight, s.Weight-s.Weight/10)
	if !s.room.TryAcquire(weight) {
		return nil, graph.Errorf(graph.Unavailable,
			"the queries that are being answered leave no room for one of weight %d; try again in a moment", weight)
	}
	return func() { s.room.Release(weight) }, nil
}

// weigh estimates the work that a query makes: each node, selector and filter counts once for every hundred
// roots on a page.
func weigh(q query.Query) int64 { return partsOf(q) * int64(1+max(q.PageSize, 0)/100) }

func partsOf(q query.Query) int64 {
	n := int64(1 + len(q.Selectors) + len(q.Filters))
	for _, hop := range q.Hops {
		n += partsOf(hop)
	}
	return n
}
