package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/internal/site/manual"
	"github.com/weft-graph/weft/internal/store/cache"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/telemetry/anomaly"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/internal/telemetry/operation"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

// Options are the operator's options. With the zero value a server is read-only and logs nothing.
type Options struct {
	// AnonymousWrites permits guests to write.
	AnonymousWrites bool
	// MaxBody is the maximum size of a batch in bytes; 0 means 32 MiB.
	MaxBody int64
	// Pages handles all paths outside /api/; nil means that the server has no pages.
	Pages http.Handler
	// Site is the built site. The API reference at /api/docs uses its style sheet; nil means plain styling.
	Site fs.FS
	// Console is the built console; if it is nil or empty, /console says that the console was not built.
	Console fs.FS
	// Packages has the folders packages and client of the build: the npm packages, and the client as modules. If it is nil or
	// empty, the server has none.
	Packages fs.FS
	// Manual is the documentation at /docs; nil means that the server has none.
	Manual *manual.Manual
	// Policies decide which widgets may run code; nil means only widgets of the system user.
	Policies *Policies
	// Log is the server's log; nil discards it.
	Log *slog.Logger
	// Accounts identify callers; nil means that every caller is Anonymous.
	Accounts *account.Accounts
	// Attempts is the maximum number of attempts at an action such as signing up, from one network in a minute; 0 means
	// 10. Package account limits sign-ins and has its own setting.
	Attempts int
	// UniqueChecks limits how often one user, or the guests of one network, may check in five minutes whether any
	// record has a value, including records that the caller may not read; 0 means DefaultUniqueChecks. If it is
	// negative, checks have no limit and find only records that the caller may read.
	UniqueChecks int
	// LooseSchemas restricts the checks of records against the schema to batches of clients that support schemas. If it is
	// false, the batches of all clients are checked.
	LooseSchemas bool
	// DeleteUserKey permits its holder to delete any account; "" means that only admins and the user of the
	// account may.
	DeleteUserKey string
	// IdentityLessReads selects how the user of a read without identity is found; "" means that such a read is a
	// read of a guest.
	IdentityLessReads IdentityLessReads
	// TrustedProxies are the proxies whose X-Forwarded-For is used.
	TrustedProxies []netip.Prefix
	// PublicURL is the start of the URLs of uploads, without a slash at the end; "" means the address to which the
	// request was sent.
	PublicURL string
	// Uploads stores files; nil means that the server accepts none.
	Uploads *upload.Uploads
	// Mail is the queue of outgoing e-mail; nil means that the server sends none.
	Mail *mail.Queue
	// MailConfirmed permits only admins and users with a confirmed e-mail address to send e-mails.
	MailConfirmed bool
	// ContactTo lists the e-mail addresses that receive the messages of visitors; if it is empty, messages are only
	// stored.
	ContactTo []string
	// Asker turns plain English into queries; nil means that the server has no language model.
	Asker *Asker
	// ClientLog stores log entries of clients and the visits that sites report; nil means that the server stores
	// neither.
	ClientLog *clientlog.Log
	// Usage counts uses of records; nil means that the server does not count them.
	Usage *usage.Tracker
	// CacheServers are part of the configuration of clients.
	CacheServers []string
	// DocumentationWidget is part of the configuration of clients: the widget that shows documentation; 0 means none.
	DocumentationWidget graph.ID
	Limits              Limits
	Queries             Queries
	Disk                Disk
	// Quotas limit the records that users own, on stores that count them; see graph.UsageKeeper.
	Quotas graph.Quotas
	// ConceptCache is the size of the concept cache in bytes; 0 means 64 MiB.
	ConceptCache int
	Streams      Streams
	// Embedding holds the extensions by a program that embeds the server.
	Embedding Embedding
	// Metrics registers the metrics of the server; nil means none.
	Metrics prometheus.Registerer
	// Operation holds the data about the running server that admins see.
	Operation Operation
	// Traces creates spans of requests; nil means none.
	Traces trace.TracerProvider
}

const (
	defaultMaxBody      = 32 << 20
	defaultConceptCache = 64 << 20
	defaultAttempts     = 10
)

func (o Options) withDefaults() Options {
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.ConceptCache == 0 {
		o.ConceptCache = defaultConceptCache
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Attempts == 0 {
		o.Attempts = defaultAttempts
	}
	if o.UniqueChecks == 0 {
		o.UniqueChecks = DefaultUniqueChecks
	}
	return o
}

// A Server is an http.Handler for one store. It only wires the areas of the contract; see areas.go.
type Server struct {
	log        *slog.Logger
	feed       *feed.Feed
	views      *storeViews
	statistics *anomaly.Statistics
	accessLog  *accessLog
	areas      *areaSet
	handler    http.Handler
	routeError error
}

// New returns a server for a store. The caller must close the store, after the server.
func New(store graph.Store, o Options) *Server {
	o = o.withDefaults()
	if o.Metrics != nil {
		store = newInstrumentedStore(o.Metrics, store)
	}
	disk := newDiskGuard(o.Disk, o.Log)
	disk.register(o.Metrics)
	store = newGuardedStore(store, disk)
	cached := cache.New(store, o.ConceptCache)
	changes := feed.New(cached)
	if o.Metrics != nil {
		registerStoreMetrics(o.Metrics, store, cached)
	}
	unique := newUniqueLimits(o.UniqueChecks)
	checked := schemas.NewStore(changes, schemas.Options{OnlyTypedClients: o.LooseSchemas, Unique: unique.forSchemas(), Log: o.Log})
	views := &storeViews{as: access.New(newHookedStore(checked, o.Embedding), access.Rules{AnonymousWrites: o.AnonymousWrites}).As}
	c := &components{
		options:    o,
		kv:         kv.In(store),
		feed:       changes,
		views:      views,
		statistics: anomaly.New(views.public(), kv.In(store), o.Log, nil),
		addresses:  clientAddresses{o.TrustedProxies},
		errors:     errorResponder{o.Log},
		metrics:    newMetrics(o.Metrics),
		disk:       disk,
		quotas:     newQuotas(store, o.Quotas),
		turns:      shares.NewTurns(runtime.GOMAXPROCS(0), maxTurnWait),
		unique:     unique,
		limits:     newRequestLimits(o.Limits),
		traffic:    &operation.Traffic{},
		slow:       operation.NewSlowQueries(),
	}
	c.quotas.register(o.Metrics)
	s := &Server{
		log: o.Log, feed: changes, views: views, statistics: c.statistics,
		accessLog: &accessLog{log: o.Log, traffic: c.traffic}, areas: newAreaSet(c),
	}
	s.handler = s.newHandler(c)
	if o.Accounts != nil {
		o.Accounts.UseStore(changes)
		o.Accounts.AddErasers(s.areas.erasers()...)
	}
	return s
}

// newHandler returns the middleware around the mux of all routes.
func (s *Server) newHandler(c *components) http.Handler {
	limits := c.limits
	routes := &router{
		areas: s.areas.list, forms: s.areas.forms.routes(), pages: c.options.Pages,
		dispatcher: &dispatcher{
			accounts: c.options.Accounts, views: c.views, addresses: c.addresses, limits: limits, turns: c.turns, errors: c.errors,
			readers: &readerDirectory{mode: c.options.IdentityLessReads, accounts: c.options.Accounts, addresses: c.addresses, publicURL: c.options.PublicURL},
		},
	}
	registerShares(c.options.Metrics, "requests", limits.requests.Refused)
	registerShares(c.options.Metrics, "uploads", limits.uploads.Refused)
	if c.options.Metrics != nil {
		registerMemoryMetrics(c.options.Metrics, limits)
	}
	c.metrics.addRoutes(routes.patterns())
	m := &middleware{
		limits: limits, addresses: c.addresses, errors: c.errors,
		accessLog: s.accessLog, metrics: c.metrics, tracing: newTracing(c.options.Traces),
	}
	mux := routes.mux()
	s.routeError = routes.addCustomRoutes(mux, c.options.Embedding.Routes)
	return m.wrap(mux)
}

// RouteError returns the Invalid error of a route of Options.Embedding that could not be added, or nil.
func (s *Server) RouteError() error { return s.routeError }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close ends the change streams and flushes the access log.
func (s *Server) Close() {
	_ = s.feed.Close()
	s.statistics.Close()
	s.accessLog.flush()
}

const (
	// shutdownGrace is the maximum time for requests in progress after the context of Serve has ended.
	shutdownGrace = 20 * time.Second

	readHeaderTimeout = 10 * time.Second
	connectionTimeout = 2 * time.Minute // to read a request, to write a response, and idle between requests
	maxHeaderBytes    = 64 << 10
)

// Serve handles requests on a listener until the context ends. Then it closes the streams and waits up to shutdownGrace
// for requests in progress.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       connectionTimeout,
		WriteTimeout:      connectionTimeout,
		IdleTimeout:       connectionTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
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
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	err := h.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(err, h.Close())
	}
	if failure := <-failed; !errors.Is(failure, http.ErrServerClosed) {
		err = errors.Join(err, failure)
	}
	return err
}
