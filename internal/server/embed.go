package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
)

// Embedding holds the hooks and routes of a program that embeds the server.
type Embedding struct {
	// BeforeWrite is called before a batch of a request is checked against the schema and written. An error refuses the batch; an error
	// that is not a graph.Error has the kind Forbidden. If BeforeWrite is nil, every batch is accepted.
	BeforeWrite func(ctx context.Context, caller access.Caller, b graph.Batch) error
	// AfterWrite, unless it is nil, is called after a batch that changed something was written.
	AfterWrite func(ctx context.Context, caller access.Caller, b graph.Batch, receipt graph.Receipt)
	// Routes are added to the routes of the contract.
	Routes []CustomRoute
}

// A CustomRoute is a route of the program.
type CustomRoute struct {
	Pattern string // pattern for http.ServeMux
	MaxBody int64  // in bytes
	// Serve handles a request. Its error becomes the response, as for the other routes. If it has written part of a response, it must
	// return nil.
	Serve func(w http.ResponseWriter, r *http.Request, caller access.Caller) error
}

// route returns the route for the dispatcher. Routes with the method GET read. All others write, so they refuse a read-only API
// key.
func (c CustomRoute) route() route {
	method, path, hasMethod := strings.Cut(c.Pattern, " ")
	if !hasMethod {
		method, path = "", c.Pattern
	}
	effect := writesGraph
	if method == http.MethodGet {
		effect = readsData
	}
	return route{method: method, path: path, maxBody: c.MaxBody, endpoint: endpoint{effect: effect, run: func(w http.ResponseWriter, req *request) error {
		r := req.WithContext(req.Context())
		r.Body = io.NopCloser(bytes.NewReader(req.body))
		return c.Serve(w, r, req.caller)
	}}}
}

// addCustomRoutes adds the routes of the program to a mux. The error is Invalid for a pattern that is malformed or in use.
func (rt *router) addCustomRoutes(mux *http.ServeMux, routes []CustomRoute) error {
	for _, custom := range routes {
		if err := addToMux(mux, custom.Pattern, rt.dispatcher.handle(custom.route())); err != nil {
			return err
		}
	}
	return nil
}

// addToMux registers a handler. http.ServeMux panics if it refuses the pattern; addToMux returns an error instead.
func addToMux(mux *http.ServeMux, pattern string, h http.Handler) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = graph.Errorf(graph.Invalid, "the route %q cannot be added: %s", graph.Clip(pattern), fmt.Sprint(cause))
		}
	}()
	mux.Handle(pattern, h)
	return nil
}

// A hookedStore calls the hooks of the program around batches.
type hookedStore struct {
	graph.Store
	graph.SetForwarder
	hooks Embedding
}

func newHookedStore(store graph.Store, hooks Embedding) graph.Store {
	if hooks.BeforeWrite == nil && hooks.AfterWrite == nil {
		return store
	}
	return &hookedStore{store, graph.ForwardSets(store), hooks}
}

// Unwrap returns the wrapped store.
func (s *hookedStore) Unwrap() graph.Store { return s.Store }

// Write implements graph.Store.
func (s *hookedStore) Write(ctx context.Context, b graph.Batch) (graph.Receipt, error) {
	caller, isRequest := ctx.Value(callerKey{}).(access.Caller)
	isEmpty := len(b.Concepts)+len(b.Connections)+len(b.RemoveConcepts)+len(b.RemoveConnections) == 0
	if !isRequest || isEmpty {
		return s.Store.Write(ctx, b)
	}
	if s.hooks.BeforeWrite != nil {
		if err := s.hooks.BeforeWrite(ctx, caller, b); err != nil {
			if _, hasKind := errors.AsType[*graph.Error](err); !hasKind {
				err = graph.Errorf(graph.Forbidden, "%s", err)
			}
			return graph.Receipt{}, err
		}
	}
	receipt, err := s.Store.Write(ctx, b)
	if err == nil && receipt.Seq != 0 && s.hooks.AfterWrite != nil {
		s.hooks.AfterWrite(context.WithoutCancel(ctx), caller, b, receipt)
	}
	return receipt, err
}

// callerKey is the context key for the caller of a request.
type callerKey struct{}

// internalCallerKey is the context key for the caller of a request that comes from this process.
type internalCallerKey struct{}

// AsCaller returns a context for a request that comes from within the process, with the given caller. Requests from the network
// cannot have such a context.
func AsCaller(ctx context.Context, caller access.Caller) context.Context {
	return context.WithValue(ctx, internalCallerKey{}, caller)
}

// internalCaller returns the caller of a request within the process.
func internalCaller(r *http.Request) (access.Caller, bool) {
	caller, ok := r.Context().Value(internalCallerKey{}).(access.Caller)
	return caller, ok
}
