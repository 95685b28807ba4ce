package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/weft-graph/weft/internal/server"
)

// monitoringFlags configure metrics, profiles, traces and the log of slow queries.
type monitoringFlags struct {
	MetricsListen string `env:"WEFT_METRICS_LISTEN" placeholder:"ADDRESS" help:"Separate address that serves GET /metrics for Prometheus. The default is no metrics."`
	Pprof         bool   `env:"WEFT_PPROF" help:"Serve Go profiles under /debug/pprof/ on the address of --metrics-listen."`
	OTLP          string `name:"otlp" env:"WEFT_OTLP" placeholder:"URL" help:"URL of a collector that receives a trace of each request as OTLP over HTTP. The default is OTEL_EXPORTER_OTLP_ENDPOINT; without either there are no traces."`

	SlowQuery time.Duration `default:"1s" env:"WEFT_SLOW_QUERY" placeholder:"TIME" help:"Queries that take longer are logged with their plan (${default})."`
}

// startMonitoring starts metrics and traces as configured, and sets the server options for both. stop sends the traces
// that are still buffered.
func (f monitoringFlags) startMonitoring(ctx context.Context, o *server.Options, log *slog.Logger) (stop func(), err error) {
	o.Queries.Slow = f.SlowQuery
	if err := f.serveMetrics(ctx, o, log); err != nil {
		return nil, err
	}
	return f.exportTraces(ctx, o, log)
}

// check rejects flags that contradict each other.
func (f monitoringFlags) check() error {
	if f.SlowQuery <= 0 {
		return usageErrorf("--slow-query is %s; it must be positive", f.SlowQuery)
	}
	if f.Pprof && f.MetricsListen == "" {
		return usageErrorf("--pprof needs --metrics-listen: profiles are never served on the public address")
	}
	return nil
}

// serveMetrics serves metrics and, if configured, profiles on --metrics-listen until ctx is cancelled.
func (f monitoringFlags) serveMetrics(ctx context.Context, o *server.Options, log *slog.Logger) error {
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
	if f.Pprof {
		handleProfiles(mux)
	}
	serveInBackground(ctx, l, mux, log)
	log.InfoContext(ctx, "serving metrics", "url", "http://"+l.Addr().String()+"/metrics")
	return nil
}

// handleProfiles adds the routes that net/http/pprof registers only on the default mux.
func handleProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
}

// exportTraces sends traces to the collector that --otlp names, or to the collector that the OTEL environment variables
// name; without either it does nothing.
func (f monitoringFlags) exportTraces(ctx context.Context, o *server.Options, log *slog.Logger) (stop func(), err error) {
	var options []otlptracehttp.Option
	switch {
	case f.OTLP != "":
		u, err := url.Parse(f.OTLP)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, usageErrorf("--otlp is not a URL such as http://127.0.0.1:4318")
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
	res, err := resource.Merge(resource.NewSchemaless(attribute.String("service.name", "weft")), resource.Environment())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(res))
	o.Traces = provider
	return func() {
		if err := provider.Shutdown(context.WithoutCancel(ctx)); err != nil {
			log.Warn("could not send the last traces", "error", err)
		}
	}, nil
}
