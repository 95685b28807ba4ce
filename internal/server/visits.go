package server

import (
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
)

// visitAPI stores the sessions and page visits that sites report, and lists them for admins.
type visitAPI struct{ logs *clientLogs }

func (a *visitAPI) routes() []route {
	return []route{
		{"POST", "/api/create-session-id-remote", smallBody, jsonEndpoint(a.addSession), "Announce a session at a site", fields(optionalTexts(sessionFields)...)},
		{"POST", "/api/create-remote-session-visit", smallBody, jsonEndpoint(a.addVisit), "Announce that a page was visited in a session", fields("sessionId int", "url text")},
		{"GET", "/api/logs/sessions", noBody, jsonEndpoint(a.sessions), "Announced sessions, newest first, for admins", fields("before int?", "limit int 100")},
		{"GET", "/api/logs/pages", noBody, jsonEndpoint(a.pages), "The pages visited in a session, oldest first, for admins", fields("session int", "after int?", "limit int 100")},
	}
}

var sessionFields = []string{
	"id", "remote_address", "server_port", "server_address", "server_name", "server_software", "http_user_agent", "self", "port",
	"userId", "email",
}

func optionalTexts(names []string) (texts []string) {
	for _, name := range names {
		texts = append(texts, name+" text?")
	}
	return texts
}

// addSession stores the fields of a session as sent, together with the caller and the address of the request, which
// the client cannot forge.
func (a *visitAPI) addSession(req *request) (clientlog.Session, error) {
	logs, err := a.logs.get()
	if err == nil {
		err = a.logs.countReport(req)
	}
	if err != nil {
		return clientlog.Session{}, err
	}
	sent, err := req.fields(sessionFields...)
	if err != nil {
		return clientlog.Session{}, err
	}
	for _, name := range sessionFields {
		if err := graph.CheckText(name, sent[name]); err != nil {
			return clientlog.Session{}, err
		}
	}
	return logs.AddSession(req.Context(), clientlog.Session{
		RemoteAddress: sent["remote_address"], ServerPort: sent["server_port"], ServerAddress: sent["server_address"],
		ServerName: sent["server_name"], ServerSoftware: sent["server_software"], UserAgent: sent["http_user_agent"],
		Self: sent["self"], Port: sent["port"], UserID: sent["userId"], Email: sent["email"],
		Address: a.logs.addresses.of(req.Request).String(), User: req.caller.User,
	})
}

func (a *visitAPI) addVisit(req *request) (clientlog.PageVisit, error) {
	logs, err := a.logs.get()
	if err == nil {
		err = a.logs.countReport(req)
	}
	if err != nil {
		return clientlog.PageVisit{}, err
	}
	fields, err := req.fields("sessionId", "url")
	if err != nil {
		return clientlog.PageVisit{}, err
	}
	session, err := fields.ID("sessionId")
	if err != nil {
		return clientlog.PageVisit{}, err
	}
	url, err := fields.Text("url")
	if err != nil {
		return clientlog.PageVisit{}, err
	}
	return logs.AddPageVisit(req.Context(), req.caller.User, int64(session), url)
}

// listed is a list in the form of the contract.
type listed[T any] struct {
	Data []T `json:"data"`
}

func (a *visitAPI) sessions(req *request) (listed[clientlog.Session], error) {
	logs, limit, err := a.requireList(req)
	if err != nil {
		return listed[clientlog.Session]{}, err
	}
	before, err := req.cursorField("before")
	if err != nil {
		return listed[clientlog.Session]{}, err
	}
	found, err := logs.Sessions(req.Context(), before, limit)
	return listed[clientlog.Session]{found}, err
}

func (a *visitAPI) pages(req *request) (listed[clientlog.PageVisit], error) {
	logs, limit, err := a.requireList(req)
	if err != nil {
		return listed[clientlog.PageVisit]{}, err
	}
	session, err := req.idField("session")
	if err != nil {
		return listed[clientlog.PageVisit]{}, err
	}
	after, err := req.cursorField("after")
	if err != nil {
		return listed[clientlog.PageVisit]{}, err
	}
	found, err := logs.PageVisits(req.Context(), int64(session), after, limit)
	return listed[clientlog.PageVisit]{found}, err
}

// requireList returns the logs and the length of the list in the request. It returns an error for callers who are not
// admins.
func (a *visitAPI) requireList(req *request) (logs *clientlog.Log, limit int, err error) {
	if logs, err = a.logs.get(); err != nil {
		return nil, 0, err
	}
	if err = req.requireAdmin(); err != nil {
		return nil, 0, err
	}
	fields, err := req.fields("limit")
	if err != nil {
		return nil, 0, err
	}
	limit, err = fields.Int("limit", 100)
	return logs, min(max(limit, 1), maxPageSize), err
}
