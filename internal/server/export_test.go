package server

import (
	"reflect"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/access"
	"github.com/weft-graph/weft/internal/store/memory"
)

// A RouteInfo describes a route to tests.
type RouteInfo struct {
	Method, Path string
	MaxBody      int64
	ContentType  string       // content type of the response
	Streams      bool         // the response lasts until one side closes it
	ReadsBody    bool         // the handler reads the body itself
	Fields       []string     // names of the fields of the request
	Body         reflect.Type // type of the JSON request body
	Effect       string       // "" when routesByEffect lacks the route
}

// Routes lists every route of the areas of the server.
func Routes() []RouteInfo {
	s := New(memory.New(), Options{})
	defer s.Close()
	var all []RouteInfo
	for _, a := range s.areas.list {
		for _, r := range a.routes {
			info := RouteInfo{
				Method: r.method, Path: r.path, MaxBody: r.maxBody, ContentType: r.endpoint.contentType,
				Streams: r.endpoint.streams, ReadsBody: r.endpoint.readsBody, Body: r.request.body, Effect: string(effects[r.method+" "+r.path]),
			}
			if info.ContentType == "" {
				info.ContentType = "application/json"
			}
			for _, field := range r.request.fields {
				name, _, _ := strings.Cut(field, " ")
				info.Fields = append(info.Fields, name)
			}
			all = append(all, info)
		}
	}
	return all
}

// WaitingRequests returns how many requests wait for concepts.
func (s *Server) WaitingRequests() int64 { return s.areas.waiter.waiting.Used() }

// ReplaceView replaces the function that returns the store as a caller may see it.
func (s *Server) ReplaceView(replace func(view, store graph.Store) graph.Store) {
	as := s.views.as
	s.views.as = func(caller access.Caller) graph.Store { return replace(as(caller), as(access.System)) }
}

// As returns the store as a caller sees it.
func (s *Server) As(caller access.Caller) graph.Store { return s.views.as(caller) }
