package server

import (
	"sync"

	"github.com/weft-graph/weft/graph"
)

// Streams bounds how many readers the stream of changes has on this server.
type Streams struct {
	All  int // 0 means 10,000
	Each int // of one user, or of one address that nobody is signed in at; 0 means 100
}

// streams counts the readers there are.
type streams struct {
	most Streams
	mu   sync.Mutex
	all  int
	of   map[string]int
}

func newStreams(most Streams) *streams {
	if most.All == 0 {
		most.All = 10_000
	}
	if most.Each == 0 {
		most.Each = 100
	}
	return &streams{most: most, of: map[string]int{}}
}

// begin counts a reader until the function it returns is called.
func (s *streams) begin(reader string) (gone func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.most.All {
		return nil, graph.Errorf(graph.Unavailable, "%d streams are open already; try again in a moment", s.all)
	}
	if n := s.of[reader]; n >= s.most.Each {
		return nil, graph.Errorf(graph.Unavailable, "you have %d streams open already; close one", n)
	}
	s.all++
	s.of[reader]++
	return func() { s.end(reader) }, nil
}

func (s *streams) end(reader string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[reader]--; s.of[reader] == 0 {
		delete(s.of, reader)
	}
}

// reader is whose streams are counted together.
func (s *Server) reader(q *request) string {
	if q.caller.User != graph.Anonymous {
		return "user " + q.caller.User.String()
	}
	return household(s.address(q.Request))
}
