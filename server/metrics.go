package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/store/cache"
)

// meters count what the server does, by route. All that a request touches is made beforehand, so that
// counting it allocates nothing and waits for nobody.
type meters struct {
	routes   map[string]*meter // by the pattern of the mux; not changed any more
	none     *meter            // of requests that no route took
	inFlight prometheus.Gauge
	streams  prometheus.Gauge

	queryTook, queryRows prometheus.Histogram
}

// A meter is that of one route.
type meter struct {
	requests [classes]prometheus.Counter // by the first digit of the status
	took     prometheus.Observer
	bytes    prometheus.Counter
}

const classes = 6

// The bounds of the latencies, in seconds: most requests take less than a millisecond.
var latencies = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}

// newMeters registers the meters of these patterns.
func newMeters(r prometheus.Registerer, patterns []string) *meters {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "weft_requests_total", Help: "Requests answered, by route and class of status.",
	}, []string{"route", "status"})
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "weft_request_seconds", Help: "Time to answer, by route; streams of changes are left out.", Buckets: latencies,
	}, []string{"route"})
	bytes := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "weft_response_bytes_total", Help: "Bytes answered before compression, by route.",
	}, []string{"route"})
	m := &meters{
		routes:   map[string]*meter{},
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "weft_requests_in_flight", Help: "Requests being answered."}),
		streams:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "weft_event_streams", Help: "Readers of the stream of changes."}),
	}
	m.queryTook = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "weft_query_seconds", Help: "Time to run a query, those of searches included.", Buckets: latencies,
	})
	m.queryRows = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "weft_query_rows", Help: "Rows that the steps of a query came to.", Buckets: prometheus.ExponentialBuckets(1, 10, 8),
	})
	r.MustRegister(requests, took, bytes, m.inFlight, m.streams, m.queryTook, m.queryRows)
	of := func(route string) *meter {
		one := &meter{took: took.WithLabelValues(route), bytes: bytes.WithLabelValues(route)}
		for class := range one.requests {
			one.requests[class] = requests.WithLabelValues(route, strconv.Itoa(class)+"xx")
		}
		return one
	}
	for _, pattern := range patterns {
		m.routes[pattern] = of(pattern)
	}
	m.none = of("none")
	return m
}

func (m *meters) begin() {
	if m != nil {
		m.inFlight.Inc()
	}
}

func (m *meters) end(r *http.Request, w *seen, took time.Duration) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	one := m.routes[r.Pattern]
	if one == nil {
		one = m.none
	}
	one.requests[min(w.status/100, classes-1)].Inc()
	one.bytes.Add(float64(w.bytes))
	if w.Header().Get("Content-Type") != eventStream {
		one.took.Observe(took.Seconds())
	}
}

func (m *meters) query(found query.Answer, took time.Duration) {
	if m != nil {
		m.queryTook.Observe(took.Seconds())
		m.queryRows.Observe(float64(found.Plan.Rows()))
	}
}

// stream counts a reader of the stream of changes until the function it returns is called.
func (m *meters) stream() (gone func()) {
	if m == nil {
		return func() {}
	}
	m.streams.Inc()
	return m.streams.Dec
}

// meterStore registers what can be told of a store.
func meterStore(r prometheus.Registerer, store graph.Store, c *cache.Store) {
	r.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "weft_store_seq", Help: "Number of the newest change.",
		}, seqOf{store}.value),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "weft_store_up", Help: "1 when the store answers, 0 when it does not.",
		}, seqOf{store}.up),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "weft_cache_hits_total", Help: "Concepts found in memory.",
		}, func() float64 { hits, _ := c.Counts(); return float64(hits) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "weft_cache_misses_total", Help: "Concepts asked of the store.",
		}, func() float64 { _, misses := c.Counts(); return float64(misses) }),
	)
}

type seqOf struct{ store graph.Reader }

// value is -1 when the store does not answer.
func (s seqOf) value() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	seq, err := s.store.LastSeq(ctx)
	if err != nil {
		return -1
	}
	return float64(seq)
}

func (s seqOf) up() float64 {
	if s.value() < 0 {
		return 0
	}
	return 1
}

// A meteredStore counts the batches that wait to be durable.
type meteredStore struct {
	graph.Store
	graph.Sets
	waiting prometheus.Gauge
	took    prometheus.Histogram
}

func newMeteredStore(r prometheus.Registerer, store graph.Store) graph.Store {
	m := &meteredStore{
		Store:   store,
		Sets:    graph.SetsOf(store),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{Name: "weft_writes_waiting", Help: "Batches that are not durable yet."}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "weft_write_seconds", Help: "Time until a batch is durable.", Buckets: latencies,
		}),
	}
	r.MustRegister(m.waiting, m.took)
	return m
}

// Unwrap is the store behind.
func (m *meteredStore) Unwrap() graph.Store { return m.Store }

// Write implements graph.Store.
func (m *meteredStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	start := time.Now()
	m.waiting.Inc()
	defer func() {
		m.waiting.Dec()
		m.took.Observe(time.Since(start).Seconds())
	}()
	return m.Store.Write(ctx, b)
}
