package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/query"
)

// metrics counts requests by route. The counters of all routes are created before the server starts, so counting a
// request neither allocates nor locks. A nil metrics counts nothing.
type metrics struct {
	routes    map[string]*routeMetrics // keyed by the pattern of the mux; read-only while serving
	unrouted  *routeMetrics            // counts requests that no route handled
	requests  *prometheus.CounterVec
	took      *prometheus.HistogramVec
	bytes     *prometheus.CounterVec
	inFlight  prometheus.Gauge
	streams   prometheus.Gauge
	queryTook prometheus.Histogram
	queryRows prometheus.Histogram
}

// routeMetrics holds the counters of one route.
type routeMetrics struct {
	requests [statusClasses]prometheus.Counter // by the first digit of the status
	took     prometheus.Observer
	bytes    prometheus.Counter
}

const statusClasses = 6

// latencyBuckets are in seconds. Most requests take less than a millisecond.
var latencyBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}

// newMetrics registers the metrics of requests and queries; nil without a registry.
func newMetrics(r prometheus.Registerer) *metrics {
	if r == nil {
		return nil
	}
	m := &metrics{
		routes: map[string]*routeMetrics{},
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_requests_total", Help: "Requests by route and class of status.",
		}, []string{"route", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "weft_request_seconds", Help: "Time to respond by route, without change streams.", Buckets: latencyBuckets,
		}, []string{"route"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_response_bytes_total", Help: "Bytes of responses before compression, by route.",
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "weft_requests_in_flight", Help: "Requests being handled."}),
		streams:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "weft_event_streams", Help: "Open change streams."}),
		queryTook: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weft_query_seconds", Help: "Time to run a query, including the queries of searches.", Buckets: latencyBuckets,
		}),
		queryRows: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weft_query_rows", Help: "Rows that the steps of a query read.", Buckets: prometheus.ExponentialBuckets(1, 10, 8),
		}),
	}
	r.MustRegister(m.requests, m.took, m.bytes, m.inFlight, m.streams, m.queryTook, m.queryRows)
	m.unrouted = m.newRoute("none")
	return m
}

// addRoutes creates the counters of routes. It is called before the server starts.
func (m *metrics) addRoutes(patterns []string) {
	if m == nil {
		return
	}
	for _, pattern := range patterns {
		m.routes[pattern] = m.newRoute(pattern)
	}
}

func (m *metrics) newRoute(name string) *routeMetrics {
	route := &routeMetrics{took: m.took.WithLabelValues(name), bytes: m.bytes.WithLabelValues(name)}
	for class := range route.requests {
		route.requests[class] = m.requests.WithLabelValues(name, strconv.Itoa(class)+"xx")
	}
	return route
}

// begin counts a request that is being handled.
func (m *metrics) begin() {
	if m != nil {
		m.inFlight.Inc()
	}
}

// end counts a finished request.
func (m *metrics) end(r *http.Request, w *responseRecorder, took time.Duration) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	route := m.routes[r.Pattern]
	if route == nil {
		route = m.unrouted
	}
	route.requests[min(w.status/100, statusClasses-1)].Inc()
	route.bytes.Add(float64(w.bytes))
	if w.Header().Get("Content-Type") != eventStream {
		route.took.Observe(took.Seconds())
	}
}

func (m *metrics) addQuery(answer query.Answer, took time.Duration) {
	if m != nil {
		m.queryTook.Observe(took.Seconds())
		m.queryRows.Observe(float64(answer.Plan.Rows()))
	}
}

// addStream counts a change stream until release is called.
func (m *metrics) addStream() (release func()) {
	if m == nil {
		return func() {}
	}
	m.streams.Inc()
	return m.streams.Dec
}

// registerStoreMetrics registers metrics for the state of a store and of the cache in front of it.
func registerStoreMetrics(r prometheus.Registerer, store graph.Store, c *cache.Store) {
	probe := storeProbe{store}
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "weft_store_seq", Help: "Number of the newest change.",
		}, probe.seq),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "weft_store_up", Help: "1 when the store responds, 0 when it does not.",
		}, probe.up),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "weft_cache_hits_total", Help: "Concepts found in the cache.",
		}, func() float64 { hits, _ := c.Counts(); return float64(hits) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "weft_cache_misses_total", Help: "Concepts read from the store.",
		}, func() float64 { _, misses := c.Counts(); return float64(misses) }),
	)
}

// registerMemoryMetrics registers the memory that requests hold.
func registerMemoryMetrics(r prometheus.Registerer, l *requestLimits) {
	gauge := func(name, help string, value func(budget.Usage) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value(l.memory.Usage())) })
	}
	r.MustRegister(
		gauge("weft_request_memory_bytes", "Bytes that requests hold: bodies, records and widget trees.", func(u budget.Usage) int64 { return u.Used }),
		gauge("weft_request_memory_peak_bytes", "Maximum number of bytes that requests have held at the same time.", func(u budget.Usage) int64 { return u.Peak }),
		gauge("weft_request_memory_limit_bytes", "Maximum number of bytes that requests may hold.", func(u budget.Usage) int64 { return u.Total }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "weft_request_memory_refused_total", Help: "Requests refused because of the memory that requests hold.",
		}, func() float64 { return float64(l.memory.Usage().Refused + l.bodiesRefused.Load()) }),
	)
}

// registerShares registers a counter of the requests that the limit with the given name has refused.
func registerShares(r prometheus.Registerer, limit string, refused func() int64) {
	if r == nil {
		return
	}
	r.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "weft_refused_total", Help: "Requests refused because of a limit that users share.", ConstLabels: prometheus.Labels{"limit": limit},
	}, func() float64 { return float64(refused()) }))
}

// A storeProbe reads the state of a store for a scrape.
type storeProbe struct{ store graph.Reader }

// seq returns the number of the newest change, or -1 when the store does not respond within a second.
func (p storeProbe) seq() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	seq, err := p.store.LastSeq(ctx)
	if err != nil {
		return -1
	}
	return float64(seq)
}

// up returns 1 if the store responds within a second, otherwise 0.
func (p storeProbe) up() float64 {
	if p.seq() < 0 {
		return 0
	}
	return 1
}

// An instrumentedStore measures how long batches take until they are durable.
type instrumentedStore struct {
	graph.Store
	graph.SetForwarder
	waiting prometheus.Gauge
	took    prometheus.Histogram
}

func newInstrumentedStore(r prometheus.Registerer, store graph.Store) graph.Store {
	m := &instrumentedStore{
		Store:        store,
		SetForwarder: graph.ForwardSets(store),
		waiting:      prometheus.NewGauge(prometheus.GaugeOpts{Name: "weft_writes_waiting", Help: "Batches that are not durable yet."}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weft_write_seconds", Help: "Time until a batch is durable.", Buckets: latencyBuckets,
		}),
	}
	r.MustRegister(m.waiting, m.took)
	return m
}

// Unwrap returns the wrapped store.
func (m *instrumentedStore) Unwrap() graph.Store { return m.Store }

// Write implements graph.Store.
func (m *instrumentedStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	start := time.Now()
	m.waiting.Inc()
	defer func() {
		m.waiting.Dec()
		m.took.Observe(time.Since(start).Seconds())
	}()
	return m.Store.Write(ctx, b)
}
