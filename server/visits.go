package server

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/journal"
)

func (s *Server) sessionRoutes() []route {
	return []route{
		{"POST", "/api/create-session-id-remote", few, answer(s.createSession), "Announce a session at a site", fields(optional(sessionFields)...)},
		{"POST", "/api/create-remote-session-visit", few, answer(s.createVisit), "Announce that a page was visited in a session", fields("sessionId int", "url text")},
		{"GET", "/api/logs/sessions", none, answer(s.announced), "Announced sessions, the newest first, for admins", fields("before int?", "limit int 100")},
		{"GET", "/api/logs/pages", none, answer(s.sessionPages), "The pages visited in a session, the first first, for admins", fields("session int", "after int?", "limit int 100")},
	}
}

var sessionFields = []string{
	"id", "remote_address", "server_port", "server_address", "server_name", "server_software", "http_user_agent", "self", "port",
	"userId", "email",
}

func optional(names []string) (texts []string) {
	for _, name := range names {
		texts = append(texts, name+" text?")
	}
	return texts
}

// createSession keeps what the body says of a session, and beside it who and where the request came from:
// a site's server speaks for others, and a page may say anything.
func (s *Server) createSession(q *request) (journal.Session, error) {
	j, err := s.journal()
	if err == nil {
		err = s.reports(q)
	}
	if err != nil {
		return journal.Session{}, err
	}
	said, err := q.fields(sessionFields...)
	if err != nil {
		return journal.Session{}, err
	}
	for _, name := range sessionFields {
		if err := graph.CheckText(name, said[name]); err != nil {
			return journal.Session{}, err
		}
	}
	return j.Begin(q.Context(), journal.Session{
		RemoteAddress: said["remote_address"], ServerPort: said["server_port"], ServerAddress: said["server_address"],
		ServerName: said["server_name"], ServerSoftware: said["server_software"], UserAgent: said["http_user_agent"],
		Self: said["self"], Port: said["port"], UserID: said["userId"], Email: said["email"],
		Address: s.address(q.Request).String(), User: q.caller.User,
	})
}

func (s *Server) createVisit(q *request) (journal.PageVisit, error) {
	j, err := s.journal()
	if err == nil {
		err = s.reports(q)
	}
	if err != nil {
		return journal.PageVisit{}, err
	}
	fields, err := q.fields("sessionId", "url")
	if err != nil {
		return journal.PageVisit{}, err
	}
	session, err := fields.ID("sessionId")
	if err != nil {
		return journal.PageVisit{}, err
	}
	url, err := fields.Text("url")
	if err != nil {
		return journal.PageVisit{}, err
	}
	return j.Visit(q.Context(), q.caller.User, int64(session), url)
}

// listed is a part of a list.
type listed[T any] struct {
	Data []T `json:"data"`
}

func (s *Server) announced(q *request) (listed[journal.Session], error) {
	j, limit, err := s.watched(q)
	if err != nil {
		return listed[journal.Session]{}, err
	}
	before, err := q.place("before")
	if err != nil {
		return listed[journal.Session]{}, err
	}
	found, err := j.Sessions(q.Context(), before, limit)
	return listed[journal.Session]{found}, err
}

func (s *Server) sessionPages(q *request) (listed[journal.PageVisit], error) {
	j, limit, err := s.watched(q)
	if err != nil {
		return listed[journal.PageVisit]{}, err
	}
	session, err := q.id("session")
	if err != nil {
		return listed[journal.PageVisit]{}, err
	}
	after, err := q.place("after")
	if err != nil {
		return listed[journal.PageVisit]{}, err
	}
	found, err := j.Pages(q.Context(), int64(session), after, limit)
	return listed[journal.PageVisit]{found}, err
}

// watched reads what the two lists for admins have in common.
func (s *Server) watched(q *request) (j *journal.Journal, limit int, err error) {
	if j, err = s.journal(); err != nil {
		return nil, 0, err
	}
	if err = q.admin(); err != nil {
		return nil, 0, err
	}
	fields, err := q.fields("limit")
	if err != nil {
		return nil, 0, err
	}
	limit, err = fields.Int("limit", 100)
	return j, min(max(limit, 1), 1_000), err
}

// place reads where a list goes on; 0 means from the start.
func (q *request) place(name string) (int64, error) {
	fields, err := q.fields(name)
	if err != nil || fields[name] == "" {
		return 0, err
	}
	id, err := fields.ID(name)
	return int64(id), err
}
