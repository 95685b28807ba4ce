package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/internal/telemetry/operation"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

// queryAPI serves schema queries.
type queryAPI struct{ queries *queryRunner }

func (a *queryAPI) routes() []route {
	return []route{
		{"POST", "/api/freeschema-query", largeBody, jsonEndpointAs[wire.Answer](a.query), "The answer to a schema query, as ids", jsonBody[wire.Query]()},
	}
}

// A queryResponse is a wire.Answer whose Data is encoded while it is sent.
type queryResponse struct {
	wire.Answer
	records *composition.Value // nil when the query requested ids only
}

// AppendChunks implements chunkAppender.
func (q queryResponse) AppendChunks(b []byte, flush func([]byte) []byte) []byte {
	b = q.AppendJSON(b)
	if q.records == nil {
		return flush(b)
	}
	b = append(b[:len(b)-1], `,"data":`...)
	return append(q.records.AppendChunks(b, flush), '}')
}

func (a *queryAPI) query(req *request) (queryResponse, error) {
	var sent wire.Query
	if err := wire.Decode(req.body, &sent); err != nil {
		return queryResponse{}, err
	}
	if err := sent.CheckSupported(); err != nil {
		return queryResponse{}, err
	}
	var found query.Answer // stays empty for a query without a start, which clients of the contract send before they know the type
	if q := sent.Graph(); q.Type != "" || len(q.ConceptIDs) > 0 {
		var err error
		if found, err = a.queries.run(req, q); err != nil {
			return queryResponse{}, err
		}
	}
	answer := queryResponse{Answer: wire.NewAnswer(found)}
	if sent.Warnings {
		warnings, err := query.Warnings(req.Context(), req.graph, sent.Graph(), len(found.Roots) == 0)
		if err != nil {
			return queryResponse{}, err
		}
		answer.Warnings = warnings
	}
	if sent.Explain && found.Plan != nil {
		answer.Plan = planFor(req.caller, found).String()
		if seesEstimates(req.caller) {
			answer.PlanSteps = wire.NewPlanSteps(found.Plan)
		}
	}
	if grouped := answer.GroupIDs(); len(grouped) > 0 {
		concepts, err := req.graph.Concepts(req.Context(), grouped)
		if err != nil {
			return queryResponse{}, err
		}
		answer.SetGroupValues(concepts)
	}
	if format := query.Format(sent.OutputFormat); format.ReturnsRecords() {
		records, err := a.shapeRecords(req, found, format)
		if err != nil {
			return queryResponse{}, err
		}
		answer.records = &records
	}
	return answer, nil
}

// shapeRecords returns the records of an answer in a format. The work may take as long as the query.
func (a *queryAPI) shapeRecords(req *request, found query.Answer, format query.Format) (composition.Value, error) {
	end, err := a.queries.turns.Begin(req.Context(), req.owner)
	if err != nil {
		return composition.Value{}, err
	}
	defer end()
	return query.Shape(req.Context(), req.graph, found, format)
}

// planFor returns the plan of an answer as a caller may see it. Estimates count records that the caller may not read,
// so only admins see them.
func planFor(caller access.Caller, answer query.Answer) *query.Plan {
	if seesEstimates(caller) {
		return answer.Plan
	}
	return answer.Plan.WithoutEstimates()
}

// seesEstimates reports whether a caller may read all records, and may therefore see estimates and the durations of steps.
func seesEstimates(caller access.Caller) bool {
	return caller.Admin && (caller.Scope == nil || caller.Scope.Types == nil)
}

// Queries limits queries. A query that is refused may be sent again.
type Queries struct {
	// Time is the maximum duration of a query; 0 means 30 seconds.
	Time time.Duration
	// Weight is the maximum total weight of concurrent queries; 0 means 10,000. A query counts for at most half of
	// it, so that a few light queries cannot keep a heavy query out. One user receives at most three quarters; see
	// package shares.
	Weight int64
	// Slow is the duration from which a query is logged with its plan; 0 means a second.
	Slow time.Duration
}

const (
	defaultQueryTime   = 30 * time.Second
	defaultQueryWeight = 10_000
	defaultSlowQuery   = time.Second
	// maxTurnWait is the maximum time for which a query, or another request that may read much, waits for its
	// turn; see shares.Turns.
	maxTurnWait = 10 * time.Second
)

// queryRunner runs all queries of the server within the limits, including those of searches.
type queryRunner struct {
	Queries
	weights shares.Gate
	turns   *shares.Turns
	log     *slog.Logger
	metrics *metrics
	slow    *operation.SlowQueries // nil in tests
	timeout error                  // the response to a query that takes too long
}

func newQueryRunner(l Queries, turns *shares.Turns, log *slog.Logger, m *metrics) *queryRunner {
	if l.Time == 0 {
		l.Time = defaultQueryTime
	}
	if l.Weight == 0 {
		l.Weight = defaultQueryWeight
	}
	if l.Slow == 0 {
		l.Slow = defaultSlowQuery
	}
	return &queryRunner{
		Queries: l, weights: shares.Gate{What: "units of the weight of queries", Total: l.Weight},
		turns: turns, log: log, metrics: m,
		timeout: graph.Errorf(graph.Unavailable, "the query took longer than %s; request fewer records or add filters", l.Time),
	}
}

// run runs a query as the caller of a request.
func (r *queryRunner) run(req *request, q query.Query) (query.Answer, error) {
	return r.runContext(req.Context(), req, q)
}

func (r *queryRunner) runContext(ctx context.Context, req *request, q query.Query) (query.Answer, error) {
	release, err := r.acquire(ctx, req, weightOf(q))
	if err != nil {
		return query.Answer{}, err
	}
	defer release()
	ctx, cancel := context.WithTimeoutCause(ctx, r.Time, r.timeout)
	defer cancel()
	account := budget.Of(ctx)
	before, start := account.Charged(), time.Now()
	answer, err := query.Run(ctx, req.graph, q)
	took := time.Since(start)
	// The answer consists of ids and connections, so the values that the query read can be freed.
	account.Shrink(account.Charged() - before - query.BytesPerLink*int64(len(answer.Connections)))
	r.metrics.addQuery(answer, took)
	if took > r.Slow {
		r.reportSlow(ctx, req, operation.SlowQuery{Type: q.Type, Plan: answer.Plan.String()}, took, err)
	}
	if err != nil && errors.Is(context.Cause(ctx), r.timeout) {
		return query.Answer{}, r.timeout
	}
	return answer, err
}

// reportSlow logs a slow query and keeps it for admins.
func (r *queryRunner) reportSlow(ctx context.Context, req *request, q operation.SlowQuery, took time.Duration, err error) {
	r.log.WarnContext(ctx, "slow query", "request", req.id(), "took", took, "plan", q.Plan)
	if r.slow == nil {
		return
	}
	q.At, q.Took, q.Request, q.User = time.Now().UTC(), float64(took.Microseconds())/1000, req.id(), req.caller.User
	if err != nil {
		q.Error = messageOf(err)
	}
	r.slow.Add(q)
}

// acquire waits until the owner of a request may run another query, and counts its weight until release is called.
// While a query waits, its weight does not count, because it holds no records. If the wait takes longer than
// maxTurnWait, or the weight exceeds the limit, the error is Unavailable.
func (r *queryRunner) acquire(ctx context.Context, req *request, weight int64) (release func(), err error) {
	end := func() {}
	if req.endTurn == nil { // a request that already has a turn must not take a second turn, which might wait for the first
		if end, err = r.turns.Begin(ctx, req.owner); err != nil {
			return nil, err
		}
	}
	leave, err := r.weights.Enter(req.owner, min(weight, max(1, r.Weight/2)))
	if err != nil {
		end()
		return nil, err
	}
	return func() {
		leave()
		end()
	}, nil
}

// weightOf estimates the work of a query: the number of its nodes, selectors and filters, for every hundred roots on a
// page.
func weightOf(q query.Query) int64 { return partsOf(q) * int64(1+max(q.PageSize, 0)/100) }

func partsOf(q query.Query) int64 {
	n := int64(1 + len(q.Selectors) + len(q.Filters))
	for _, hop := range q.Hops {
		n += partsOf(hop)
	}
	return n
}
