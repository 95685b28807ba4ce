package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/weft-graph/weft/server"
)

// limitFlags say how much the server may take.
type limitFlags struct {
	MaxBody     capacity `default:"32MiB" env:"WEFT_MAX_BODY" placeholder:"SIZE" help:"Largest request (${default})."`
	BodyMemory  capacity `default:"256MiB" env:"WEFT_BODY_MEMORY" placeholder:"SIZE" help:"Most that long requests may hold in memory together; beyond it they are asked to come again (${default})."`
	MemoryLimit capacity `env:"WEFT_MEMORY_LIMIT" placeholder:"SIZE" help:"Memory the process should stay below; an eighth of it remembers concepts. Left out, it takes what it needs."`
	MaxRequests int64    `default:"1000" env:"WEFT_MAX_REQUESTS" help:"Most requests answered at once."`
	Rate        float64  `env:"WEFT_RATE" placeholder:"N" help:"Most requests a second from one address. Left out, as many as it likes."`
	Burst       int      `env:"WEFT_BURST" placeholder:"N" help:"How many of them may come at once; left out, as many as in a second."`
	Streams     int      `default:"10000" env:"WEFT_STREAMS" help:"Most streams of changes open at once."`
	StreamsEach int      `default:"100" env:"WEFT_STREAMS_EACH" help:"How many of them one user, or one address where nobody is signed in, may have."`

	QueryTimeout time.Duration `default:"30s" env:"WEFT_QUERY_TIMEOUT" placeholder:"TIME" help:"Longest a query may take (${default})."`
	QueryWeight  int64         `default:"10000" env:"WEFT_QUERY_WEIGHT" placeholder:"N" help:"Most that queries answered at once may weigh: what they name, for every hundred records on their page (${default})."`
}

func (f limitFlags) check() error {
	switch {
	case f.MaxBody < 1:
		return misusef("--max-body %d leaves no room for anything", f.MaxBody)
	case f.BodyMemory < f.MaxBody:
		return misusef("--body-memory %s is less than --max-body %s: the largest request would never be taken", f.BodyMemory, f.MaxBody)
	case f.MaxRequests < 1:
		return misusef("--max-requests %d lets nobody in", f.MaxRequests)
	case f.Rate < 0 || f.Burst < 0:
		return misusef("--rate and --burst cannot be less than nothing")
	case f.Streams < 1 || f.StreamsEach < 1:
		return misusef("--streams %d and --streams-each %d leave nobody a stream", f.Streams, f.StreamsEach)
	case f.QueryTimeout <= 0 || f.QueryTimeout > time.Minute:
		return misusef("--query-timeout %s; a request has a minute", f.QueryTimeout)
	case f.QueryWeight < 1:
		return misusef("--query-weight %d leaves no room for a query", f.QueryWeight)
	case f.MemoryLimit != 0 && f.MemoryLimit < 64<<20:
		return misusef("--memory-limit %s is too little to work in; 64MiB is the least", f.MemoryLimit)
	}
	return nil
}

// apply tells the server and the runtime.
func (f limitFlags) apply(o *server.Options) {
	o.MaxBody = int64(f.MaxBody)
	o.Limits = server.Limits{Bodies: int64(f.BodyMemory), Requests: f.MaxRequests, PerSecond: f.Rate, Burst: f.Burst}
	o.Queries.Time, o.Queries.Weight = f.QueryTimeout, f.QueryWeight
	o.Streams = server.Streams{All: f.Streams, Each: f.StreamsEach}
	if f.MemoryLimit > 0 {
		debug.SetMemoryLimit(int64(f.MemoryLimit))
		o.ConceptCache = int(f.MemoryLimit / 8)
	}
}

// A capacity is a number of bytes that may be written as 32MiB.
type capacity int64

var units = []struct {
	name string
	size int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"", 1}}

// UnmarshalText reads 1048576, 1MiB or 1MB.
func (b *capacity) UnmarshalText(text []byte) error {
	for _, unit := range units {
		number, ok := strings.CutSuffix(string(text), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > 1<<62/unit.size {
			break
		}
		*b = capacity(n * unit.size)
		return nil
	}
	return fmt.Errorf("%q is no size; want a number of bytes, or one with KiB, MiB, GiB, kB, MB or GB behind it", text)
}

func (b capacity) String() string {
	for _, unit := range []int{2, 1, 0} {
		if size := units[unit].size; b != 0 && int64(b)%size == 0 {
			return strconv.FormatInt(int64(b)/size, 10) + units[unit].name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// watchFlags say who may look at the server's work.
type watchFlags struct {
	MetricsListen string `env:"WEFT_METRICS_LISTEN" placeholder:"ADDRESS" help:"Address that answers GET /metrics for Prometheus, apart from the public one. Left out, nothing is measured."`
	OTLP          string `name:"otlp" env:"WEFT_OTLP" placeholder:"URL" help:"Collector that is told of every request by OTLP over HTTP. Left out, OTEL_EXPORTER_OTLP_ENDPOINT names it, or there are no traces."`

	SlowQuery time.Duration `default:"1s" env:"WEFT_SLOW_QUERY" placeholder:"TIME" help:"A query that takes longer is logged with its plan (${default})."`
}

// start measures and traces as far as the flags say, until stop is called.
func (f watchFlags) start(ctx context.Context, o *server.Options, log *slog.Logger) (stop func(), err error) {
	o.Queries.Slow = f.SlowQuery
	if err := f.measure(ctx, o, log); err != nil {
		return nil, err
	}
	return f.trace(ctx, o, log)
}

func (f watchFlags) check() error {
	if f.SlowQuery <= 0 {
		return misusef("--slow-query %s would be every query", f.SlowQuery)
	}
	return nil
}

func (f watchFlags) measure(ctx context.Context, o *server.Options, log *slog.Logger) error {
	if f.MetricsListen == "" {
		return nil
	}
	l, err := listen(f.MetricsListen)
	if err != nil {
		return fmt.Errorf("--metrics-listen: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewBuildInfoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	o.Metrics = registry
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	serveAside(ctx, l, mux, log)
	log.InfoContext(ctx, "metrics", "url", "http://"+l.Addr().String()+"/metrics")
	return nil
}

func (f watchFlags) trace(ctx context.Context, o *server.Options, log *slog.Logger) (stop func(), err error) {
	var options []otlptracehttp.Option
	switch {
	case f.OTLP != "":
		u, err := url.Parse(f.OTLP)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, misusef("--otlp wants a URL as in http://127.0.0.1:4318")
		}
		if strings.Trim(u.Path, "/") == "" {
			u.Path = "/v1/traces"
		}
		options = append(options, otlptracehttp.WithEndpointURL(u.String()))
	case os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		return func() {}, nil
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("--otlp: %w", err)
	}
	who, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", "weft")), resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(who))
	o.Traces = provider
	return func() {
		if err := provider.Shutdown(context.WithoutCancel(ctx)); err != nil {
			log.Warn("the last traces are lost", "error", err)
		}
	}, nil
}
