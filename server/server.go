// Package server speaks HTTP. A handler reads a request, asks the graph and answers; routes.go says
// which one answers what.
package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/anomaly"
	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/feed"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/mail"
	"github.com/weft-graph/weft/store/cache"
	"github.com/weft-graph/weft/track"
	"github.com/weft-graph/weft/upload"
)

// Options are what the operator decides. The zero value serves, reads only and keeps no log.
type Options struct {
	AnonymousWrites bool
	// MaxBody is the largest request in bytes; 0 means 32 MiB.
	MaxBody int64
	// Pages answers what is not under /api/; nil means nothing does.
	Pages http.Handler
	// Site is the built site, whose look the reference at /api/docs takes; nil means a plain one.
	Site fs.FS
	// Policies say whose widgets may run; nil means the system's.
	Policies *Policies
	Log      *slog.Logger
	// Accounts know who asks; nil means that everybody is Anonymous.
	Accounts *account.Accounts
	// Attempts at signing in and the like that an address may make in a minute, and an e-mail take in ten; 0
	// means 10.
	Attempts int
	// DeleteUserKey is what ends any account; "" means that nothing does but the user and admins.
	DeleteUserKey string
	// TrustedProxies are believed when they say where a request comes from.
	TrustedProxies []netip.Prefix
	// PublicURL is what addresses of uploads start with, without a slash at the end; "" takes what the request
	// was sent to.
	PublicURL string
	// Uploads are the files people send; nil means that none are taken.
	Uploads *upload.Uploads
	// Mail is where mails wait to be sent; nil means that none are.
	Mail *mail.Queue
	// MailConfirmed lets only admins and those send whose own e-mail is confirmed.
	MailConfirmed bool
	// ContactTo are the addresses that what visitors write to the operator is mailed to; none means that it is stored only.
	ContactTo []string
	// Asker turns plain English into queries; nil means that nobody does.
	Asker *Asker
	// Journal keeps what clients log and which sessions sites announce; nil means that nothing is kept.
	Journal *journal.Journal
	// Tracker counts what is used; nil means that nothing is.
	Tracker *track.Tracker
	// CacheServers are told to clients that ask for their configuration.
	CacheServers []string
	// DocumentationWidget is told to clients that ask for their configuration.
	DocumentationWidget graph.ID
	Limits              Limits
	Queries             Queries
	// ConceptCache is how much memory remembers concepts, in bytes; 0 means 64 MiB.
	ConceptCache int
	Streams      Streams
	// Metrics counts what the server does; nil means nothing does.
	Metrics prometheus.Registerer
	// Traces makes spans of requests; nil means none.
	Traces trace.TracerProvider
}

// A Server is an http.Handler for one store.
type Server struct {
	options  Options
	feed     *feed.Feed
	gate     *auth.Gate
	as       func(auth.Caller) graph.Store // the store as who asks sees it
	senders  senders
	waiting  waiting
	texts    texts
	scans    scans
	places   *places
	access   access
	attempts attempts
	api      apiDescription
	frame    frame
	meters   *meters
	tracing  *tracing
	limits   *limits
	queries  *queries
	logging  *limits
	normals  *anomaly.Normals
	streams  *streams
	handler  http.Handler
}

// New returns a server of a store. The store stays the caller's to close, after the server.
func New(store graph.Store, o Options) *Server {
	if o.MaxBody == 0 {
		o.MaxBody = 32 << 20
	}
	if o.ConceptCache == 0 {
		o.ConceptCache = 64 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics != nil {
		store = newMeteredStore(o.Metrics, store)
	}
	remembering := cache.New(store, o.ConceptCache)
	if o.Attempts == 0 {
		o.Attempts = 10
	}
	f := feed.New(remembering)
	s := &Server{
		options: o,
		feed:    f,
		gate:    auth.New(f, auth.Rules{AnonymousWrites: o.AnonymousWrites}),
	}
	s.places = newPlaces(kv.In(store))
	s.attempts.most = o.Attempts
	s.access.log = o.Log
	s.texts.kv = kv.In(store)
	if o.Accounts != nil {
		o.Accounts.Through(f)
		o.Accounts.Erasing(s.erasers()...)
	}
	if o.Metrics != nil {
		s.meters = newMeters(o.Metrics, s.patterns())
		meterStore(o.Metrics, store, remembering)
	}
	s.tracing = newTracing(o.Traces)
	s.as = s.gate.As
	s.limits = newLimits(o.Limits)
	s.queries = newQueries(o.Queries, o.Log, s.meters)
	s.logging = newLimits(Limits{PerSecond: logRate, Burst: logBurst})
	s.normals = anomaly.New(s.public(), kv.In(store), o.Log, nil)
	s.streams = newStreams(o.Streams)
	s.handler = s.around(s.mux())
	return s
}

// erasers remove what is kept of users who left.
func (s *Server) erasers() []account.Eraser {
	all := []account.Eraser{s.texts.erase}
	if u := s.options.Uploads; u != nil {
		all = append(all, u.Erase)
	}
	if m := s.options.Mail; m != nil {
		all = append(all, m.Erase)
	}
	if j := s.options.Journal; j != nil {
		all = append(all, j.Erase)
	}
	if t := s.options.Tracker; t != nil {
		all = append(all, t.Erase)
	}
	return all
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the streams of changes and writes what is left of the access log.
func (s *Server) Close() {
	_ = s.feed.Close()
	s.normals.Close()
	s.access.flush()
}

// patience is how long requests in flight may take to finish once the server is told to stop.
const patience = 20 * time.Second

// Serve answers on a listener until the context ends. Then streams close and requests in flight finish.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       2 * time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	select {
	case err := <-failed:
		s.Close()
		return err
	case <-ctx.Done():
	}
	s.Close()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := h.Shutdown(end)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(err, h.Close())
	}
	if failure := <-failed; !errors.Is(failure, http.ErrServerClosed) {
		err = errors.Join(err, failure)
	}
	return err
}
