package weft

import (
	"context"
	"net/http"

	"github.com/weft-graph/weft/client"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/server"
)

// A Write is the batch of a request, before or after it is written.
type Write struct {
	App   *App
	User  User        // the caller of the request
	Batch graph.Batch // drafts and removals
	// Receipt holds the stored records, in the order of the drafts, and the number of the change. It is empty before the batch
	// is written.
	Receipt graph.Receipt
}

// Handler handles the requests of a route. An error becomes the response. A graph.Error is sent with its kind, text and status. Any
// other error is logged and sent with the status 500, without its text. A handler that has written part of its response must return
// nil.
//
// A request is limited to 4 MiB and one minute, and counts towards the limits of the server. A read-only API key may only use routes with
// the method GET.
type Handler func(w http.ResponseWriter, r *Request) error

// A Request is an HTTP request to a route, with its caller.
type Request struct {
	*http.Request
	App  *App
	User User // the caller, whose token or key the server has checked

	caller access.Caller
}

// Records returns a client that acts as the caller, within the rights of the caller's key if there is one.
func (r *Request) Records() *client.Client { return r.App.clientOf(r.caller) }

// embedding returns the hooks and routes of the app.
func (a *App) embedding() server.Embedding {
	var e server.Embedding
	if before := a.options.BeforeWrite; before != nil {
		e.BeforeWrite = func(ctx context.Context, caller access.Caller, b graph.Batch) error {
			if caller.User == graph.System {
				return nil
			}
			return before(ctx, Write{App: a, User: userOf(caller), Batch: b})
		}
	}
	if after := a.options.AfterWrite; after != nil {
		e.AfterWrite = func(ctx context.Context, caller access.Caller, b graph.Batch, receipt graph.Receipt) {
			if caller.User != graph.System {
				after(ctx, Write{App: a, User: userOf(caller), Batch: b, Receipt: receipt})
			}
		}
	}
	for pattern, handler := range a.options.Routes {
		e.Routes = append(e.Routes, server.CustomRoute{
			Pattern: pattern, MaxBody: maxRouteBody,
			Serve: func(w http.ResponseWriter, r *http.Request, caller access.Caller) error {
				return handler(w, &Request{Request: r, App: a, User: userOf(caller), caller: caller})
			},
		})
	}
	return e
}

func userOf(caller access.Caller) User { return User{ID: caller.User, IsAdmin: caller.Admin} }
