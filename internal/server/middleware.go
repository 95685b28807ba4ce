package server

import (
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/weft-graph/weft/graph"
)

const requestIDHeader = "X-Request-Id"

var (
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{requestIDHeader + ", " + cursorHeader + ", Retry-After, Date"}
	// The request ids of a process share a random prefix, so that they differ from the ids of other processes that
	// write to the same log.
	requestIDPrefix  = strings.ToLower(rand.Text()[:8]) + "-"
	requestIDCounter atomic.Int64
)

// middleware wraps every request, of the API and of pages.
type middleware struct {
	limits    *requestLimits
	addresses clientAddresses
	errors    errorResponder
	accessLog *accessLog
	metrics   *metrics
	tracing   *tracing
}

// wrap returns a handler that
//
//   - gives each response a request id, CORS headers and security headers,
//   - records the request in traces, metrics and the access log,
//   - responds to preflight requests, and rejects requests above the rate limit of the client's network,
//   - recovers from panics.
func (m *middleware) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, recorder := time.Now(), &responseRecorder{ResponseWriter: w}
		h := w.Header()
		h[requestIDHeader] = []string{requestIDPrefix + strconv.FormatInt(requestIDCounter.Add(1), 36)}
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposedHeaders
		setSecurityHeaders(h, r)
		m.metrics.begin()
		r, span := m.tracing.begin(r)
		defer func() {
			if cause := recover(); cause != nil {
				m.respondPanic(recorder, r, cause)
			}
			took := time.Since(start)
			m.accessLog.add(r, recorder, took)
			m.metrics.end(r, recorder, took)
			m.tracing.end(r, recorder, span)
		}()
		if strings.HasPrefix(r.URL.Path, "//") {
			// Some clients join "https://host/" and "/api/…", which doubles the slash.
			r.URL.Path = "/" + strings.TrimLeft(r.URL.Path, "/")
			r.URL.RawPath = ""
		}
		if r.Method == http.MethodOptions {
			setPreflightHeaders(h)
			recorder.WriteHeader(http.StatusNoContent)
			return
		}
		if err := m.limits.admit(r, m.addresses); err != nil {
			m.limits.refusals.wait(r.Context(), m.addresses.network(r), err)
			m.errors.respond(recorder, r, err)
			return
		}
		next.ServeHTTP(recorder, r)
	})
}

// The security headers of every response. By default, the Content-Security-Policy allows nothing; handlers of
// pages and files replace it. They also replace Cache-Control if the response is the same for all callers.
var (
	noSniffing     = []string{"nosniff"}
	denyFrames     = []string{"DENY"}
	referrerPolicy = []string{"strict-origin-when-cross-origin"}
	sameOrigin     = []string{"same-origin"}
	noDevices      = []string{"accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()"}
	denyContent    = []string{"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}
	noStore        = []string{"no-store"}
	onlyTLS        = []string{"max-age=31536000"}
)

func setSecurityHeaders(h http.Header, r *http.Request) {
	h["X-Content-Type-Options"] = noSniffing
	h["X-Frame-Options"] = denyFrames
	h["Referrer-Policy"] = referrerPolicy
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Permissions-Policy"] = noDevices
	h["Content-Security-Policy"] = denyContent
	h["Cache-Control"] = noStore
	if r.TLS != nil {
		h["Strict-Transport-Security"] = onlyTLS
	}
}

func setPreflightHeaders(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, X-Session-Id, Randomizer, Last-Event-ID, X-Recaptcha-Token")
	h.Set("Access-Control-Max-Age", "86400")
}

// respondPanic turns a panic into a response. If the response has begun, it closes the connection instead, so that
// the client does not mistake a truncated response for a complete one.
func (m *middleware) respondPanic(w *responseRecorder, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // panics carry this sentinel unwrapped
		panic(cause)
	}
	err := graph.Wrap(graph.Internal, fmt.Errorf("%v\n%s", cause, debug.Stack()), "panic")
	if w.status != 0 {
		m.errors.log.ErrorContext(r.Context(), "panic while writing a response", "route", r.Pattern, "error", err)
		panic(http.ErrAbortHandler)
	}
	m.errors.respond(w, r, err)
}

// minCompressed is the size in bytes below which compressing a response costs more time than it saves.
const minCompressed = 16 << 10

// newCompression returns a wrapper that compresses long JSON responses for clients that accept gzip.
func newCompression() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.ContentTypes([]string{"application/json"}),
	)
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap
}

// responseRecorder is a ResponseWriter that records the status and the number of bytes.
type responseRecorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

// WriteHeader implements http.ResponseWriter.
func (w *responseRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *responseRecorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *responseRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
