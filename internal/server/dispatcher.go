package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/budget"
	"github.com/weft-graph/weft/internal/longwork"
	"github.com/weft-graph/weft/internal/schemas"
	"github.com/weft-graph/weft/internal/shares"
)

// requestTimeout limits the work on one request, from the moment its body has arrived. Streams and uploads have
// separate limits.
const requestTimeout = time.Minute

// maxSessionBytes is the maximum length of the header X-Session-Id, which normally holds the number from
// /api/v1/config.
const maxSessionBytes = 100

// storeViews provides the store as each caller may see it.
type storeViews struct {
	as func(access.Caller) graph.Store
}

// public returns the store as a guest sees it.
func (v *storeViews) public() graph.Store { return v.as(access.Caller{User: graph.Anonymous}) }

// A dispatcher runs the endpoints of all areas: it identifies the caller, reads the body within the limits, sets the
// time limit and turns an error into a response.
type dispatcher struct {
	accounts  *account.Accounts // nil means that every caller is Anonymous
	readers   *readerDirectory
	views     *storeViews
	addresses clientAddresses
	limits    *requestLimits
	turns     *shares.Turns
	errors    errorResponder
}

// handle returns the handler of a route.
func (d *dispatcher) handle(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := d.serve(w, r, route) //nolint:contextcheck // the context of run derives from that of r
		if err == nil {
			return
		}
		d.limits.refusals.wait(r.Context(), d.addresses.network(r), err)
		if errors.Is(err, errSlowBody) {
			w.Header().Set("Connection", "close")
			d.errors.respondStatus(w, r, http.StatusRequestTimeout, err)
			return
		}
		d.errors.respond(w, r, err)
	})
}

// serve handles a request. If it returns an error, the caller writes the response. Everything that the request held is
// released by then.
func (d *dispatcher) serve(w http.ResponseWriter, r *http.Request, route route) error {
	buffer := requestBuffers.take()
	defer requestBuffers.release(buffer)
	body := bodyBuffer{bytes: buffer, limits: d.limits}
	defer body.release()
	req, err := d.read(w, r, route, &body)
	if err != nil {
		return err
	}
	if !route.endpoint.streams && !route.endpoint.readsBody {
		ctx, cancel := context.WithTimeout(req.Context(), requestTimeout)
		defer cancel()
		req.Request = req.WithContext(ctx)
	}
	return d.run(w, req, route.endpoint)
}

// run calls the handler within the limit on concurrent requests: uploads have a separate limit, streams have none. A
// handler that may read much waits for its turn. Queries have turns of their own, so the handler does not wait for
// queries of the same caller.
func (d *dispatcher) run(w http.ResponseWriter, req *request, e endpoint) error {
	if e.streams {
		return e.run(w, req)
	}
	limit := &d.limits.requests
	if e.readsBody {
		limit = &d.limits.uploads
	}
	leave, err := limit.Enter(req.owner, 1)
	if err != nil {
		if e.readsBody {
			closeWithoutBody(w, req.Request)
		}
		return err
	}
	defer leave()
	work := longwork.OfProcess.Start(req.owner)
	defer work.Release()
	req.Request = req.WithContext(longwork.In(req.Context(), work))
	if e.takesTurn {
		if req.endTurn, err = d.turns.Begin(req.Context(), req.owner+" reading"); err != nil {
			return err
		}
		defer req.finishTurn()
	}
	return e.run(w, req)
}

// read identifies the caller, opens the memory account of the request and reads the body into a buffer. It refuses a
// caller who may not write before it reads a long body.
func (d *dispatcher) read(w http.ResponseWriter, r *http.Request, route route, buffer *bodyBuffer) (*request, error) {
	session := r.Header.Get("X-Session-Id")
	if len(session) > maxSessionBytes {
		return nil, graph.Errorf(graph.Invalid, "the session is %d bytes long; the limit is %d", len(session), maxSessionBytes)
	}
	identity, err := d.identify(r)
	// If a public read had the status 401, a client that does not renew its token would not even show public
	// records.
	isPublicRead := account.IsSessionTokenEnded(err) && effects[route.method+" "+route.path] == readsGraph
	if isPublicRead || route.endpoint.ignoresBadToken && graph.KindOf(err) == graph.Unauthorized {
		identity, err = account.Identity{Caller: access.Caller{User: graph.Anonymous}}, nil
	}
	if err != nil {
		return nil, err
	}
	if identity, err = d.readers.identify(r, route.endpoint, identity); err != nil {
		return nil, err
	}
	caller := identity.Caller
	caller.Session = cmp.Or(session, caller.Session)
	if err := route.requireRights(caller); err != nil {
		closeWithoutBody(w, r)
		return nil, err
	}
	req := &request{Request: r, caller: caller, graph: d.views.as(caller), responseHeader: w.Header()}
	if isLong := r.ContentLength > smallBody || r.ContentLength < 0; isLong && route.endpoint.writesGraph && req.isGuest() {
		if err := req.requireGraphWrite(); err != nil { //nolint:contextcheck // req has the context of r
			closeWithoutBody(w, r)
			return nil, err
		}
	}
	req.owner = d.addresses.userOrNetwork(req)
	buffer.account = d.limits.memory.Open(req.owner)
	if req.body, err = buffer.read(w, r, route); err != nil {
		return nil, err
	}
	ctx := context.WithValue(r.Context(), callerKey{}, caller)
	ctx = schemas.In(ctx, schemas.Caller{Key: req.owner, Viewer: caller.User, IsAdmin: caller.Admin})
	if !route.endpoint.streams { // a stream holds one event at a time, although it may read many
		ctx = budget.In(ctx, buffer.account)
	}
	req.Request = r.WithContext(ctx)
	return req, buffer.chargeDecoding(req.Context(), req.body) //nolint:contextcheck // derives from the context of r
}

// identify returns the identity of the caller.
func (d *dispatcher) identify(r *http.Request) (account.Identity, error) {
	if caller, ok := internalCaller(r); ok {
		return account.Identity{Caller: caller}, nil
	}
	return d.accounts.Identify(r.Context(), authorization(r))
}

// withAccount returns a handler whose requests have memory accounts (package budget). The owner of an account is
// the network of the client, because pages are the same for all callers.
func (d *dispatcher) withAccount(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account := d.limits.memory.Open(d.addresses.network(r))
		defer account.Close()
		next.ServeHTTP(w, r.WithContext(budget.In(r.Context(), account)))
	})
}

// closeWithoutBody closes the connection of a request whose body will not be read.
func closeWithoutBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
}
