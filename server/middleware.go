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

const requestID = "X-Request-Id"

var (
	anyOrigin = []string{"*"}
	exposed   = []string{requestID + ", " + moreHeader + ", Retry-After, Date"}
	// requests of one process share a prefix, so that ids of several do not meet in one log.
	prefix  = strings.ToLower(rand.Text()[:8]) + "-"
	counter atomic.Int64
)

// around does for every request what no handler should have to think of.
func (s *Server) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &seen{ResponseWriter: w}
		h := w.Header()
		h[requestID] = []string{prefix + strconv.FormatInt(counter.Add(1), 36)}
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposed
		guard(h, r)
		s.meters.begin()
		r, span := s.tracing.begin(r)
		defer func() {
			if cause := recover(); cause != nil {
				s.recovered(seen, r, cause)
			}
			took := time.Since(start)
			s.access.note(r, seen, took)
			s.meters.end(r, seen, took)
			s.tracing.end(r, seen, span)
		}()
		if strings.HasPrefix(r.URL.Path, "//") {
			// Clients join "https://host/" and "/api/…".
			r.URL.Path = "/" + strings.TrimLeft(r.URL.Path, "/")
			r.URL.RawPath = ""
		}
		if r.Method == http.MethodOptions {
			preflight(h)
			seen.WriteHeader(http.StatusNoContent)
			return
		}
		if err := s.admit(r); err != nil {
			s.refuse(seen, r, err)
			return
		}
		next.ServeHTTP(seen, r)
	})
}

// What browsers are told about every answer. Pages replace the policy, which lets an answer do nothing, and what is
// the same for everybody may be kept.
var (
	noSniffing  = []string{"nosniff"}
	noFrames    = []string{"DENY"}
	ownOrigin   = []string{"strict-origin-when-cross-origin"}
	sameOrigin  = []string{"same-origin"}
	noDevices   = []string{"accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()"}
	nothingRuns = []string{"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"}
	nothingKept = []string{"no-store"}
	onlyTLS     = []string{"max-age=31536000"}
)

func guard(h http.Header, r *http.Request) {
	h["X-Content-Type-Options"] = noSniffing
	h["X-Frame-Options"] = noFrames
	h["Referrer-Policy"] = ownOrigin
	h["Cross-Origin-Opener-Policy"] = sameOrigin
	h["Permissions-Policy"] = noDevices
	h["Content-Security-Policy"] = nothingRuns
	h["Cache-Control"] = nothingKept
	if r.TLS != nil {
		h["Strict-Transport-Security"] = onlyTLS
	}
}

func preflight(h http.Header) {
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, X-Session-Id, Randomizer, Last-Event-ID, X-Recaptcha-Token")
	h.Set("Access-Control-Max-Age", "86400")
}

func (s *Server) recovered(w *seen, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler { //nolint:errorlint // a sentinel that panics carry as it is
		panic(cause)
	}
	err := graph.Wrap(graph.Internal, fmt.Errorf("%v\n%s", cause, debug.Stack()), "panic")
	if w.status != 0 {
		s.options.Log.ErrorContext(r.Context(), "panic in mid-answer", "route", r.Pattern, "error", err)
		panic(http.ErrAbortHandler) // so that the client does not take half an answer for a whole one
	}
	s.refuse(w, r, err)
}

// worthIt is the smallest answer that is compressed, in bytes: below, it costs more time than it saves.
const worthIt = 16 << 10

// compression compresses long JSON for those who ask for it.
func compression() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(
		gzhttp.MinSize(worthIt), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.ContentTypes([]string{"application/json"}),
	)
	if err != nil {
		panic(err) // the options are written above
	}
	return wrap
}

// seen is a ResponseWriter that remembers what became of the answer.
type seen struct {
	http.ResponseWriter
	status int
	bytes  int
}

func (w *seen) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *seen) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController through.
func (w *seen) Unwrap() http.ResponseWriter { return w.ResponseWriter }
