package server

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/weft-graph/weft/graph"
)

// A route is one operation of the contract. The mux and the API reference are built from the routes.
type route struct {
	method, path string
	maxBody      int64 // bytes
	endpoint     endpoint
	summary      string // one line for the API reference
	request      requestShape
}

// A requestShape describes what a request contains, for the API reference.
type requestShape struct {
	// Fields of a form, a JSON object or the query string, each as "name type" or "name type default". The type is int,
	// bool, text or file, followed by a question mark if the field is optional.
	fields []string
	body   reflect.Type // type of a JSON body; nil for fields or an empty request
}

func fields(names ...string) requestShape { return requestShape{fields: names} }

func jsonBody[T any]() requestShape { return requestShape{body: reflect.TypeFor[T]()} }

// The usual limits of a body, in bytes. Batches and files have separate limits.
const (
	noBody    = 4 << 10 // not 0, because some clients send a body where none is expected
	smallBody = 64 << 10
	largeBody = 4 << 20 // a list of ids
)

// An area is a part of the contract with its routes; a chapter in the API reference.
type area struct {
	name   string
	routes []route
}

// A router builds the mux of all routes.
type router struct {
	areas      []area
	forms      []route      // pages for people, which are not in the API reference
	pages      http.Handler // everything outside the API; nil when the server has no pages
	dispatcher *dispatcher
}

// patterns returns the patterns of the mux, as they appear in metrics and logs.
func (rt *router) patterns() []string {
	all := []string{"/", "/api/", "GET " + pagesPath}
	for _, area := range rt.areas {
		for _, r := range area.routes {
			all = append(all, r.method+" "+r.path)
		}
	}
	for _, r := range rt.forms {
		all = append(all, r.method+" "+r.path)
	}
	return all
}

func (rt *router) mux() *http.ServeMux {
	mux := http.NewServeMux()
	methods := map[string][]string{} // keyed by path
	compress := newCompression()
	for _, area := range rt.areas {
		for _, route := range area.routes {
			h := rt.dispatcher.handle(route)
			if !route.endpoint.streams { // a compressor would delay events
				h = compress(h)
			}
			mux.Handle(route.method+" "+route.path, h)
			methods[route.path] = append(methods[route.path], route.method)
		}
	}
	for _, route := range rt.forms {
		mux.Handle(route.method+" "+route.path, rt.dispatcher.handle(route))
	}
	mux.HandleFunc("/api/", rt.unknownRoute(methods))
	if rt.pages != nil {
		pages := rt.dispatcher.withAccount(rt.pages)
		mux.Handle("/", pages)
		mux.Handle("GET "+pagesPath, pages)
	} else {
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			rt.dispatcher.errors.respond(w, r, graph.Errorf(graph.NotFound, "no page at %s", graph.Clip(r.URL.Path)))
		})
	}
	return mux
}

// unknownRoute responds to a wrong method with 405 and the allowed methods, and to an unknown path with 404.
func (rt *router) unknownRoute(methods map[string][]string) http.HandlerFunc {
	errors := rt.dispatcher.errors
	return func(w http.ResponseWriter, r *http.Request) {
		if allowed, ok := methods[r.URL.Path]; ok {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			err := graph.Errorf(graph.Invalid, "%s accepts %s, not %s", r.URL.Path, strings.Join(allowed, " or "), graph.Clip(r.Method))
			errors.respondStatus(w, r, http.StatusMethodNotAllowed, err)
			return
		}
		errors.respond(w, r, graph.Errorf(graph.NotFound, "no route for %s %s", graph.Clip(r.Method), graph.Clip(r.URL.Path)))
	}
}
