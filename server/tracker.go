package server

import (
	"context"

	"github.com/weft-graph/weft/auth"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/track"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) trackerRoutes() []route {
	const path = "/api/v1/access-tracker/"
	return []route{
		{"POST", path + "sync-access-tracker", many, answer(s.count), "Count how often the caller used concepts and connections", sends[used]()},
		{"GET", path + "list-concepts-file", none, answer(s.suggestConcepts), "The concepts used most: the caller's own, then everybody's", fields("top int 200")},
		{"GET", path + "list-connections-file", none, answer(s.suggestConnections), "The connections used most, likewise", fields("top int 200")},
	}
}

// used are numbers of uses by id.
type used struct {
	Concepts    map[string]wire.Int `json:"concepts"`
	Connections map[string]wire.Int `json:"connections"`
}

// public is the store as nobody in particular sees it.
func (s *Server) public() graph.Store { return s.gate.As(auth.Caller{User: graph.Anonymous}) }

func (s *Server) count(q *request) (done, error) {
	t := s.options.Tracker
	switch {
	case t == nil:
		return done{}, graph.Errorf(graph.Unavailable, "this server does not count uses; --usage makes it")
	case q.caller.User == graph.Anonymous:
		return done{}, graph.Errorf(graph.Unauthorized, "nobody is signed in")
	}
	var sent used
	if err := wire.Decode(q.body, &sent); err != nil {
		return done{}, err
	}
	if n := len(sent.Concepts) + len(sent.Connections); n > track.MaxIDs {
		return done{}, graph.Errorf(graph.TooLarge, "%d ids; the most is %d", n, track.MaxIDs)
	}
	own, err := seenBy(q.Context(), q.graph, sent)
	if err != nil {
		return done{}, err
	}
	all, err := seenBy(q.Context(), s.public(), sent)
	if err != nil {
		return done{}, err
	}
	return done{true, "the uses are counted"}, t.Count(q.Context(), q.caller.User, own, all)
}

// seenBy keeps the uses of what a reader sees. What names nothing is not worth an error: clients count what
// they once had.
func seenBy(ctx context.Context, r graph.Reader, sent used) (track.Counts, error) {
	counts := track.Counts{Concepts: track.Uses{}, Connections: track.Uses{}}
	concepts, err := r.Concepts(ctx, realIDs(sent.Concepts))
	if err != nil {
		return counts, err
	}
	for _, c := range concepts {
		counts.Concepts[c.ID] = int64(sent.Concepts[c.ID.String()])
	}
	connections, err := r.Connections(ctx, realIDs(sent.Connections))
	for _, c := range connections {
		counts.Connections[c.ID] = int64(sent.Connections[c.ID.String()])
	}
	return counts, err
}

func realIDs(uses map[string]wire.Int) []graph.ID {
	ids := make([]graph.ID, 0, len(uses))
	for text := range uses {
		if id, err := graph.ParseID(text); err == nil && id.Real() {
			ids = append(ids, id)
		}
	}
	return ids
}

// Suggestions are this many, and at most that many.
const (
	suggested       = 200
	mostSuggestions = 1_000
)

type conceptList struct {
	Data wire.Concepts `json:"data"`
}

// AppendJSON appends the JSON of the list.
func (l conceptList) AppendJSON(b []byte) []byte {
	return append(l.Data.AppendJSON(append(b, `{"data":`...)), '}')
}

type connectionList struct {
	Data wire.Connections `json:"data"`
}

// AppendJSON appends the JSON of the list.
func (l connectionList) AppendJSON(b []byte) []byte {
	return append(l.Data.AppendJSON(append(b, `{"data":`...)), '}')
}

func (s *Server) suggestConcepts(q *request) (conceptList, error) {
	found, err := suggest(s, q, track.Concepts, q.graph.Concepts)
	if err != nil {
		return conceptList{}, err
	}
	list, err := s.typed(q, found)
	return conceptList{list}, err
}

func (s *Server) suggestConnections(q *request) (connectionList, error) {
	found, err := suggest(s, q, track.Connections, q.graph.Connections)
	return connectionList{wire.LinksOf(found)}, err
}

// suggest reads how many suggestions are wanted, and finds them.
func suggest[T any](s *Server, q *request, kind track.Kind, read func(context.Context, []graph.ID) ([]T, error)) ([]T, error) {
	if s.options.Tracker == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server does not count uses; --usage makes it")
	}
	fields, err := q.fields("top")
	if err != nil {
		return nil, err
	}
	top, err := fields.Int("top", suggested)
	if err != nil {
		return nil, err
	}
	return usedMost(s, q, kind, min(max(top, 0), mostSuggestions), read)
}

// usedMost are the records used most of those the caller may read. What was used and is hidden, or gone, takes
// nobody's place.
func usedMost[T any](s *Server, q *request, kind track.Kind, n int, read func(context.Context, []graph.ID) ([]T, error)) ([]T, error) {
	ids, err := s.options.Tracker.Ranking(q.Context(), q.caller.User, kind, track.MaxOwn+track.MaxAll)
	var found []T
	for err == nil && len(found) < n && len(ids) > 0 {
		some := ids[:min(len(ids), n)]
		ids = ids[len(some):]
		var more []T
		more, err = read(q.Context(), some)
		found = append(found, more...)
	}
	return found[:min(n, len(found))], err
}
