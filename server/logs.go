package server

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/wire"
)

func (s *Server) logRoutes() []route {
	return []route{
		{"POST", "/api/logger", mostLogs, answer(s.log), "Keep what a client logged", sends[logged]()},
		{"GET", "/api/check", none, answer(s.keepsLogs), "Whether logs are kept", takes{}},
		{"GET", "/api/logs", none, answer(s.logs), "What was logged, the newest first: an admin sees everybody's, a user their own", fields(
			"type text?", "level text?", "session text?", "user int?", "text text?", "from text?", "to text?", "before text?", "limit int 100")},
		{"GET", "/api/logs/visits", none, answer(s.visits), "Visits by page, session and quarter of an hour, for admins; the last day unless said otherwise", fields("application text?", "from text?", "to text?")},
	}
}

// What a user, or an address where nobody is signed in, may send as logs.
const (
	mostLogs  = 10 << 20
	logRate   = 256 << 10 // bytes in a second
	logBurst  = 16 << 20
	leastSent = 1 << 10 // what a call counts as, however short
)

// logged is what clients send.
type logged struct {
	LogType string          `json:"logType"` // see logType
	LogData json.RawMessage `json:"logData"` // a list of objects
}

func (s *Server) log(q *request) (done, error) {
	// A client that is told 404 sends nothing more until /api/check says that logs are kept.
	if s.options.Journal == nil {
		return done{}, graph.Errorf(graph.NotFound, "this server keeps no logs")
	}
	if err := s.reports(q); err != nil {
		return done{}, err
	}
	var sent logged
	if err := wire.Decode(q.body, &sent); err != nil {
		return done{}, err
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(sent.LogData, &entries); err != nil || entries == nil {
		return done{}, graph.Errorf(graph.Invalid, "invalid or missing 'logs' data: want logData, a list")
	}
	by := journal.Source{User: q.caller.User, Session: q.caller.Session}
	return done{true, "Log entry added successfully"}, s.options.Journal.Append(q.Context(), by, logType(sent.LogType), entries)
}

// logType is our word for a type of log: clients of the contract call that of the client library by their own name.
func logType(name string) string {
	if name == "mftsccs" {
		return journal.Client
	}
	return name
}

// reports counts what somebody tells us unasked against their rate. Nobody need be signed in for it.
func (s *Server) reports(q *request) error {
	who := "user " + q.caller.User.String()
	if q.caller.User == graph.Anonymous {
		who = household(s.address(q.Request))
	}
	if !s.logging.limiter(who).AllowN(time.Now(), max(len(q.body), leastSent)) {
		return graph.Errorf(graph.TooMany, "too much is sent in a short time; try again in a minute")
	}
	return nil
}

func (s *Server) journal() (*journal.Journal, error) {
	if s.options.Journal == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server keeps no logs; --log-keep says for how long they are kept")
	}
	return s.options.Journal, nil
}

func (s *Server) keepsLogs(*request) (done, error) {
	_, err := s.journal()
	return done{true, "logs are kept"}, err
}

func (s *Server) logs(q *request) (journal.Page, error) {
	j, err := s.journal()
	if err != nil {
		return journal.Page{}, err
	}
	fields, err := q.fields("type", "level", "session", "user", "text", "from", "to", "before", "limit")
	if err != nil {
		return journal.Page{}, err
	}
	wanted := journal.Query{
		Type: logType(fields["type"]), Level: fields["level"], Session: fields["session"], Text: fields["text"], Before: fields["before"],
	}
	if wanted.User, err = q.whose(fields); err != nil {
		return journal.Page{}, err
	}
	if wanted.Limit, err = fields.Int("limit", 100); err != nil {
		return journal.Page{}, err
	}
	if wanted.From, err = moment(fields, "from", time.Time{}); err != nil {
		return journal.Page{}, err
	}
	if wanted.To, err = moment(fields, "to", time.Time{}); err != nil {
		return journal.Page{}, err
	}
	return j.Search(q.Context(), wanted)
}

// whose is the user whose logs are meant; 0 means everybody, which is for admins.
func (q *request) whose(fields wire.Fields) (graph.ID, error) {
	user := graph.ID(0)
	if fields["user"] != "" {
		var err error
		if user, err = fields.ID("user"); err != nil {
			return 0, err
		}
	}
	switch own := q.caller.User; {
	case q.caller.Admin:
		return user, nil
	case own == graph.Anonymous:
		return 0, graph.Errorf(graph.Unauthorized, "nobody is signed in")
	case user != 0 && user != own:
		return 0, graph.Errorf(graph.Forbidden, "only admins see the logs of others")
	default:
		return own, q.mayRead()
	}
}

// moment reads a time: as in 2026-01-31T10:00:00Z, or in milliseconds since 1970.
func moment(fields wire.Fields, name string, otherwise time.Time) (time.Time, error) {
	text := fields[name]
	if text == "" {
		return otherwise, nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms >= 0 && ms < lastMoment {
		return time.UnixMilli(ms).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, graph.Errorf(graph.Invalid, "the field %q is %q; want a time as in 2026-01-31T10:00:00Z", name, graph.Clip(text))
	}
	return t.UTC(), nil
}

// lastMoment is the end of the year 9999, in milliseconds.
const lastMoment = 253_402_300_800_000

func (s *Server) visits(q *request) (journal.Visits, error) {
	j, err := s.journal()
	if err == nil {
		err = q.admin()
	}
	if err != nil {
		return journal.Visits{}, err
	}
	fields, err := q.fields("application", "from", "to")
	if err != nil {
		return journal.Visits{}, err
	}
	wanted := journal.VisitQuery{Application: fields["application"]}
	if wanted.To, err = moment(fields, "to", time.Now()); err != nil {
		return journal.Visits{}, err
	}
	if wanted.From, err = moment(fields, "from", wanted.To.Add(-24*time.Hour)); err != nil {
		return journal.Visits{}, err
	}
	return j.Visits(q.Context(), wanted)
}

// admin refuses everybody else.
func (q *request) admin() error {
	switch {
	case q.caller.Admin:
		return nil
	case q.caller.User == graph.Anonymous:
		return graph.Errorf(graph.Unauthorized, "nobody is signed in")
	default:
		return graph.Errorf(graph.Forbidden, "only admins may see this")
	}
}
