package server

import (
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/wire"
)

// longestSession is in bytes. Clients send the number they were given.
const longestSession = 100

// read learns who asks and reads the body, up to the most bytes of the route, into a buffer.
func (s *Server) read(w http.ResponseWriter, r *http.Request, route route, into *[]byte, room *held) (*request, error) {
	session := r.Header.Get("X-Session-Id")
	if len(session) > longestSession {
		return nil, graph.Errorf(graph.Invalid, "the session is %d bytes long; the most is %d", len(session), longestSession)
	}
	who, err := s.options.Accounts.Identify(r.Context(), authorization(r))
	if err != nil {
		return nil, err
	}
	caller := who.Caller
	caller.Session = session
	if *into, err = body(w, r, route, (*into)[:0], room); err != nil {
		return nil, err
	}
	return &request{Request: r, body: *into, caller: caller, graph: s.as(caller), answer: w.Header()}, nil
}

func body(w http.ResponseWriter, r *http.Request, route route, b []byte, room *held) ([]byte, error) {
	most := route.most
	if r.ContentLength > most {
		w.Header().Set("Connection", "close") // or the server would read on to reach the next request
		return b, graph.Errorf(graph.TooLarge, "the body is %d bytes; the most is %d", r.ContentLength, most)
	}
	if route.answer.reads {
		r.Body = http.MaxBytesReader(w, r.Body, most)
		return b, nil
	}
	if r.ContentLength == 0 {
		return b, nil
	}
	if err := room.grow(r.ContentLength); err != nil {
		w.Header().Set("Connection", "close")
		return b, err
	}
	source := http.MaxBytesReader(w, r.Body, most)
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
			if err := room.grow(int64(cap(b))); err != nil {
				w.Header().Set("Connection", "close")
				return b, err
			}
		}
		n, err := source.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		var tooLarge *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case errors.As(err, &tooLarge):
			return b, graph.Errorf(graph.TooLarge, "the body is more than %d bytes", most)
		case err != nil:
			return b, graph.Wrap(graph.Invalid, err, "the body broke off after %d bytes", len(b))
		}
	}
}

// fields reads the named values of a small request, from its body or else its query.
func (q *request) fields(names ...string) (wire.Fields, error) {
	fields := wire.Fields{}
	if len(q.body) > 0 {
		var err error
		if fields, err = wire.ReadFields(q.Header.Get("Content-Type"), q.body, names...); err != nil {
			return nil, err
		}
	}
	if q.URL.RawQuery == "" {
		return fields, nil
	}
	query := q.URL.Query()
	for _, name := range names {
		if _, ok := fields[name]; !ok && query.Has(name) {
			fields[name] = query.Get(name)
		}
	}
	return fields, nil
}

// id reads a request that holds one id.
func (q *request) id(name string) (graph.ID, error) {
	fields, err := q.fields(name)
	if err != nil {
		return 0, err
	}
	return fields.ID(name)
}

// mostIDs bounds the answer to a list of ids: a record is a hundred times as long as its id.
const mostIDs = 100_000

// ids reads a request that is a JSON list of ids.
func (q *request) ids() ([]graph.ID, error) {
	ids, err := wire.DecodeIDs(q.body)
	if len(ids) > mostIDs {
		return nil, graph.Errorf(graph.TooLarge, "%d ids; the most is %d", len(ids), mostIDs)
	}
	return ids, err
}

// sender is the circle in which the ghosts of this request mean something.
func (q *request) sender() graph.Sender {
	randomizer, _ := strconv.ParseInt(q.Header.Get("Randomizer"), 10, 64)
	return graph.Sender{User: q.caller.User, Session: q.caller.Session, Randomizer: randomizer}
}
