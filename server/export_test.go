package server

import (
	"reflect"
	"strings"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
)

// A Line is a route as tests see it.
type Line struct {
	Method, Path string
	Most         int64
	Kind         string       // content type of what it gives
	Streams      bool         // it answers until one side ends it
	Reads        bool         // it reads the body itself
	Fields       []string     // names of what it takes
	Body         reflect.Type // of the JSON it takes
}

// Lines lists every route there is.
func Lines() []Line {
	s := &Server{options: Options{MaxBody: 32 << 20}}
	var lines []Line
	for _, a := range s.areas() {
		for _, r := range a.routes {
			line := Line{Method: r.method, Path: r.path, Most: r.most, Kind: r.answer.kind, Streams: r.answer.streams, Reads: r.answer.reads, Body: r.takes.body}
			if line.Kind == "" {
				line.Kind = "application/json"
			}
			for _, field := range r.takes.fields {
				name, _, _ := strings.Cut(field, " ")
				line.Fields = append(line.Fields, name)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// Waiting is how many requests wait for concepts.
func (s *Server) Waiting() int64 { return s.waiting.Load() }

// Look makes callers see something else, made of what they see and of the whole.
func (s *Server) Look(through func(view, whole graph.Store) graph.Store) {
	as := s.as
	s.as = func(caller auth.Caller) graph.Store { return through(as(caller), as(auth.System)) }
}

// As is the store as a caller sees it.
func (s *Server) As(caller auth.Caller) graph.Store { return s.as(caller) }
