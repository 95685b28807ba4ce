// Package weft embeds a Weft server in a Go program: a store, its HTTP API with accounts, access control, live queries and uploads, and
// the code of the program around it.
//
//	app, err := weft.Open(ctx, "data", weft.Options{
//		Schema:      contacts,                                      // pushed to the store
//		BeforeWrite: func(ctx context.Context, w weft.Write) error { … }, // may refuse a batch
//		Routes:      map[string]weft.Handler{"GET /hello": hello},  // with the caller's identity
//		Jobs:        []weft.Job{{Name: "digest", Every: time.Hour, Run: digest}},
//	})
//	if err != nil { … }
//	defer app.Close()
//	err = app.ListenAndServe(ctx, "127.0.0.1:8080")
//
// Clients use the server like any other: the browser library, the Go SDK (package client), curl. The program itself reads and
// writes with the same SDK, within the process, as a caller of its choice:
//
//	for contact, err := range client.For[Contact](app.As(user)).Find().All(ctx) { … }
//
// The command weft can serve a data directory that weft.Open has used, and vice versa, but not both at the same time.
//
// Reasons for the design: docs/decisions/0043.
package weft

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/host"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/schema"
)

// Options are the settings of an App. The zero value is a server on SQLite to which only signed-in users write.
type Options struct {
	// Store is where the graph is stored: "postgres://…", or "memory" for a graph that is discarded at the end. "" means
	// SQLite in the directory.
	Store string
	// Schema is added to the schema of the store, against which every write is checked. Types that only the store has are kept.
	Schema *schema.Schema
	// AnonymousWrites permits guests to write.
	AnonymousWrites bool
	// NoSignUp permits only admins to create accounts.
	NoSignUp bool
	// PublicURL is the start of the URLs of uploads and of links in e-mails. If it is "", the URL of an upload starts
	// with the address of the server in the request for it.
	PublicURL string
	// Site serves the stored pages of the site, and the console.
	Site bool
	// Log receives the log of the server and the errors of jobs; nil discards them.
	Log *slog.Logger

	// BeforeWrite is called before each batch of a request is written. An error refuses the batch, and the client receives its text; the
	// kind is graph.Forbidden, unless the error is one of graph.Errorf. BeforeWrite may be called again for the same batch, and
	// concurrently for several batches. It must not write.
	BeforeWrite func(ctx context.Context, w Write) error
	// AfterWrite is called after each batch of a request that changed something, before the client receives its response. It may be
	// called concurrently for several batches, and it may write as App.System, which calls no hooks.
	AfterWrite func(ctx context.Context, w Write)
	// Routes maps patterns of http.ServeMux, such as "POST /api/orders/{id}", to handlers. Routes of the server cannot be replaced: Open
	// rejects their patterns.
	Routes map[string]Handler
	// Jobs run at intervals while the app is open.
	Jobs []Job
}

// Limits of an App that have no option. Sizes are in bytes.
const (
	maxImageBytes  = 10 << 20  // per uploaded picture
	maxFileBytes   = 25 << 20  // per uploaded file that is not a picture
	maxUserBytes   = 1 << 30   // for all uploads of a user
	pictureMemory  = 320 << 20 // for all pictures being decoded
	pageCacheBytes = 16 << 20  // per cache of the site
	maxRouteBody   = 4 << 20   // per request to one of Options.Routes
	tokenLife      = 15 * time.Minute
)

// An App is a server in this process. It is safe for concurrent use.
type App struct {
	options Options
	store   graph.Store
	host    *host.Host
	server  *server.Server
	log     *slog.Logger

	stopping context.Context //nolint:containedctx // ends with Close, for jobs and servers
	stop     context.CancelFunc
	running  sync.WaitGroup // jobs and servers
	close    func() error
}

// Open opens the store in a directory and starts the parts of the server. It creates the directory if it does not exist. It does not
// listen: call Serve or ListenAndServe, or use the App as an http.Handler. The caller must close the App.
func Open(ctx context.Context, directory string, o Options) (*App, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	store, err := host.OpenStore(ctx, host.Place{Data: directory, URL: o.Store})
	if err != nil {
		return nil, err
	}
	a := &App{options: o, store: store, log: o.Log}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.stopping, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	a.close = sync.OnceValue(a.shutDown)
	if err := a.start(ctx, directory); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// start pushes the schema, and starts the parts of the server and the jobs.
func (a *App) start(ctx context.Context, directory string) (err error) {
	o := a.options
	settings := host.Settings{
		Options: server.Options{
			Log: a.log, AnonymousWrites: o.AnonymousWrites, PublicURL: strings.TrimRight(o.PublicURL, "/"), Embedding: a.embedding(),
		},
		Accounts: account.Options{TokenLife: tokenLife, Closed: o.NoSignUp, URL: strings.TrimRight(o.PublicURL, "/")},
		Uploads: host.UploadSettings{
			Limits: upload.Limits{Image: maxImageBytes, File: maxFileBytes, Quota: maxUserBytes}, PictureMemory: pictureMemory,
		},
	}
	if !(host.Place{URL: o.Store}).IsMemory() {
		settings.Uploads.Directory = filepath.Join(directory, "blobs")
	}
	if o.Site {
		settings.Pages = &host.PageSettings{CacheBytes: pageCacheBytes, CleanBytes: pageCacheBytes}
	}
	if o.Schema != nil {
		if _, err := schemas.Push(ctx, a.store, o.Schema, schemas.PushOptions{}); err != nil {
			return err
		}
	}
	if a.host, err = host.Start(a.stopping, a.store, settings); err != nil { //nolint:contextcheck // the parts run until Close
		return err
	}
	a.server = a.host.NewServer(a.stopping) //nolint:contextcheck // the server runs until Close
	if err := a.server.RouteError(); err != nil {
		return err
	}
	return a.startJobs()
}

// check rejects options that contradict each other.
func (o Options) check() error {
	names := map[string]bool{}
	for _, j := range o.Jobs {
		switch {
		case j.Name == "" || j.Run == nil || j.Every <= 0:
			return graph.Errorf(graph.Invalid, "the job %q needs a name, an interval above zero (it is %v), and a function", j.Name, j.Every)
		case names[j.Name]:
			return graph.Errorf(graph.Invalid, "two jobs have the name %q", j.Name)
		}
		names[j.Name] = true
	}
	for pattern, h := range o.Routes {
		if h == nil {
			return graph.Errorf(graph.Invalid, "the route %q has no handler", pattern)
		}
	}
	return nil
}

// ServeHTTP implements http.Handler, for programs that have their own HTTP server. It handles all paths.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.server.ServeHTTP(w, r) }

// ListenAndServe serves on a TCP address until ctx ends or the app is closed.
func (a *App) ListenAndServe(ctx context.Context, address string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return a.Serve(ctx, l)
}

// Serve serves on a listener until ctx ends or the app is closed, and closes the listener. Requests in progress have 20 seconds to
// end. Serve can be called only once, because the App cannot serve change streams after it.
func (a *App) Serve(ctx context.Context, l net.Listener) error {
	defer l.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.stopping, cancel)() //nolint:contextcheck // closing the app ends its servers
	a.running.Add(1)
	defer a.running.Done()
	return a.server.Serve(ctx, l)
}

// Close stops serving, waits for requests and jobs in progress, stops the parts, and closes the store. Further calls return the result of the
// first.
func (a *App) Close() error { return a.close() }

func (a *App) shutDown() error {
	a.stop()
	a.running.Wait()
	if a.server != nil {
		a.server.Close()
	}
	if a.host != nil {
		a.host.Stop()
	}
	return a.store.Close()
}

// A User identifies the caller of a request.
type User struct {
	ID      graph.ID // graph.Anonymous for a guest
	IsAdmin bool
}

// IsGuest reports whether the caller is not signed in.
func (u User) IsGuest() bool { return u.ID == graph.Anonymous }

// As returns a client in this process that acts as a user. The same rules apply as over HTTP, but the client needs no connection and no
// sign-in. Closing it has no effect.
func (a *App) As(user User) *client.Client {
	return a.clientOf(access.Caller{User: cmp.Or(user.ID, graph.Anonymous), Admin: user.IsAdmin})
}

// System returns a client that acts as the program: it may read and change all records. Its writes call no hooks and are not
// checked against the schema of the store.
func (a *App) System() *client.Client { return a.clientOf(access.System) }

func (a *App) clientOf(caller access.Caller) *client.Client {
	c := client.New("http://weft.invalid") // the address is not used
	c.HTTP = &http.Client{Transport: &localTransport{server: a.server, caller: caller, stopping: a.stopping}}
	return c
}

// AddUser returns the user with an e-mail address, and creates the account if there is none. An existing account keeps its password and
// rights. The error is Invalid for a malformed address, and for a password that is too short or too long.
func (a *App) AddUser(ctx context.Context, email, password string, isAdmin bool) (User, error) {
	found, err := a.host.Accounts.ByEmail(ctx, email)
	if graph.KindOf(err) == graph.NotFound {
		found, err = a.host.Accounts.Add(ctx, account.Person{Email: email, Password: password}, isAdmin)
	}
	return User{ID: found.ID, IsAdmin: found.Admin}, err
}

// entries returns the store of the app's own entries.
func (a *App) entries() kv.Store { return kv.In(a.store) }
