package server

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// tracing creates a span for every request. The span contains the route, but not the URL, because a URL may contain a
// token. A nil tracing does nothing.
type tracing struct{ tracer trace.Tracer }

func newTracing(p trace.TracerProvider) *tracing {
	if p == nil {
		return nil
	}
	return &tracing{p.Tracer("github.com/weft-graph/weft/server")}
}

func (t *tracing) begin(r *http.Request) (*http.Request, trace.Span) {
	if t == nil {
		return r, nil
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx), span
}

func (t *tracing) end(r *http.Request, w *responseRecorder, span trace.Span) {
	if t == nil {
		return
	}
	if r.Pattern != "" {
		span.SetName(r.Pattern)
	}
	span.SetAttributes(
		attribute.String("http.request.method", r.Method),
		attribute.String("http.route", r.Pattern),
		attribute.Int("http.response.status_code", w.status),
		attribute.String("weft.request", w.Header().Get(requestIDHeader)),
	)
	if w.status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
