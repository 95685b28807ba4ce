package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

// serveWithTelemetry serves a store with client logs and usage counts.
func serveWithTelemetry(t *testing.T, store graph.Store) *servertest.Server {
	t.Helper()
	return servertest.Serve(t, store, func(o *server.Options) {
		o.ClientLog = clientlog.New(kv.In(store), clientlog.Options{})
		o.Usage = usage.New(kv.In(store), eagerClock())
	})
}

// eagerClock advances two minutes at each reading, so that work delayed by a minute is due immediately.
func eagerClock() func() time.Time {
	now := make(chan time.Time, 1)
	now <- time.Now()
	return func() time.Time {
		t := (<-now).Add(2 * time.Minute)
		now <- t
		return t
	}
}

// status returns the status of the response to a request.
func (c caller) status(method, path, body string) int {
	c.t.Helper()
	contentType := ""
	if body != "" {
		contentType = asJSON
	}
	var responseBody json.RawMessage
	return c.do(method, path, contentType, strings.NewReader(body), &responseBody)
}

type logPage struct {
	Data []struct {
		ID, Type, Session string
		User              graph.ID
		Entry             map[string]any
	}
	Before string
}

func (p logPage) messages() (texts []string) {
	for _, r := range p.Data {
		texts = append(texts, fmt.Sprint(r.Entry["message"]))
	}
	return texts
}

func TestLogs(t *testing.T) {
	s := serveWithTelemetry(t, inSQLite(t))
	guest := newCaller(t, s)
	ann := guest.withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	boss := guest.withToken(servertest.Admin(t, s, "boss@example.org"))
	var result struct{ Message string }
	guest.postJSON("/api/logger", object{"logType": "app", "logData": []object{
		{"timestamp": "2026-01-02T03:04:05.678Z", "level": "INFO", "message": "a guest's", "data": object{"password": "hunter2", "free": "member"}},
	}}, &result)
	if result.Message != "Log entry added successfully" {
		t.Errorf("the message of the response = %q; want \"Log entry added successfully\"", result.Message)
	}
	ann.postJSON("/api/logger", object{"logType": "mftsccs", "logData": []object{
		{"level": "ERROR", "message": "Ann's first", "functionName": "LoginToBackend", "functionParameters": []any{"a@b.co", "hunter2"}},
		{"level": "INFO", "message": "Ann's second"},
	}}, &result)
	t.Run("an admin sees the logs of all users", func(t *testing.T) {
		var page logPage
		boss.in(t).get("/api/logs", &page)
		if diff := cmp.Diff([]string{"Ann's second", "Ann's first", "a guest's"}, page.messages()); diff != "" {
			t.Fatal(diff)
		}
		if text := fmt.Sprint(page); strings.Contains(text, "hunter2") || !strings.Contains(text, "free:member") {
			t.Errorf("the stored entries = %s; want no password, and the text free:member", text)
		}
		if last := page.Data[2]; last.User != 998 || last.Session != "998" || last.Type != "app" {
			t.Errorf("the guest's entry = %+v; want user 998, session 998 and type app", last)
		}
	})
	t.Run("a user reads their own log entries, page by page", func(t *testing.T) {
		c := ann.in(t)
		var page logPage
		c.get("/api/logs?limit=1", &page)
		if diff := cmp.Diff([]string{"Ann's second"}, page.messages()); diff != "" {
			t.Fatal(diff)
		}
		var rest logPage
		c.get("/api/logs?limit=10&before="+url.QueryEscape(page.Before), &rest)
		if diff := cmp.Diff([]string{"Ann's first"}, rest.messages()); diff != "" || rest.Before != "" {
			t.Error(diff, rest.Before)
		}
	})
	t.Run("the fields select entries", func(t *testing.T) {
		c := boss.in(t)
		for query, want := range map[string][]string{
			"type=app": {"a guest's"}, "type=client": {"Ann's second", "Ann's first"}, "type=mftsccs": {"Ann's second", "Ann's first"}, "level=error": {"Ann's first"}, "session=998&type=app": {"a guest's"}, "text=SECOND": {"Ann's second"},
			"user=998": {"a guest's"}, "to=2020-01-01T00:00:00Z": nil, "from=1577836800000&level=ERROR": {"Ann's first"},
		} {
			var page logPage
			c.get("/api/logs?"+query, &page)
			if diff := cmp.Diff(want, page.messages()); diff != "" {
				t.Errorf("%s:\n%s", query, diff)
			}
		}
	})
	t.Run("other callers see nothing", func(t *testing.T) {
		for _, path := range []string{"/api/logs", "/api/logs/visits", "/api/logs/sessions", "/api/logs/pages?session=1"} {
			if got := guest.in(t).status(http.MethodGet, path, ""); got != http.StatusUnauthorized {
				t.Errorf("%s by a guest: status %d; want 401", path, got)
			}
		}
		for _, path := range []string{"/api/logs?user=998", "/api/logs/visits", "/api/logs/sessions", "/api/logs/pages?session=1"} {
			if got := ann.in(t).status(http.MethodGet, path, ""); got != http.StatusForbidden {
				t.Errorf("%s by a user: status %d; want 403", path, got)
			}
		}
	})
	t.Run("rejects invalid logs", func(t *testing.T) {
		c := boss.in(t)
		for body, want := range map[string]int{
			`{"logType":"app"}`: 400, `{"logType":"app","logData":{}}`: 400, `{"logType":"app","logData":"x"}`: 400, `{"logType":"app","logData":null}`: 400,
			`{"logType":"app","logData":[1]}`: 400, `{"logType":"x","logData":[]}`: 400, `{"logData":[]}`: 400, `[]`: 400,
			`{"logType":"app","logData":[` + strings.Repeat("{},", 1_000) + `{}]}`:           413,
			`{"logType":"app","logData":["` + strings.Repeat("x", 10<<20) + `"]}`:            413,
			`{"logType":"app","logData":[{"message":"` + strings.Repeat("x", 9<<20) + `"}]}`: 200,
			`{"logType":"app","logData":[]}`:                                                 200,
		} {
			if got := c.status(http.MethodPost, "/api/logger", body); got != want {
				t.Errorf("%.60s: status %d; want %d", body, got, want)
			}
		}
		for _, query := range []string{"limit=x", "limit=-1", "limit=1001", "from=yesterday", "type=x", "before=x", "user=x"} {
			if got := c.status(http.MethodGet, "/api/logs?"+query, ""); got != http.StatusBadRequest {
				t.Errorf("%s: status %d; want 400", query, got)
			}
		}
	})
	t.Run("the check succeeds on a server with logs", func(t *testing.T) {
		if got := guest.in(t).status(http.MethodGet, "/api/check", ""); got != http.StatusOK {
			t.Errorf("status %d; want 200", got)
		}
	})
}

func TestLogRateIsLimited(t *testing.T) {
	s := serveWithTelemetry(t, memory.New())
	c := newCaller(t, s)
	body := `{"logType":"app","logData":[]` + strings.Repeat(" ", 9<<20) + `}`
	refused := 0
	for range 4 {
		if got := c.status(http.MethodPost, "/api/logger", body); got == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 1 {
		t.Error("36 MB were accepted at the same time")
	}
}

func TestServerWithoutLogsRefusesEntries(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	if got := c.status(http.MethodPost, "/api/logger", `{"logType":"app","logData":[]}`); got != http.StatusNotFound {
		t.Errorf("sending entries: status %d; want 404, after which clients stop", got)
	}
	if got := c.status(http.MethodGet, "/api/check", ""); got != http.StatusServiceUnavailable {
		t.Errorf("/api/check: status %d; want 503", got)
	}
}

func TestVisitsAreCounted(t *testing.T) {
	s := serveWithTelemetry(t, memory.New())
	c := newCaller(t, s)
	for _, page := range []string{"a", "b", "a"} {
		c.postJSON("/api/logger", object{"logType": "app", "logData": []object{
			{"level": "ROUTE", "message": "Route Change", "data": object{"url": "https://x.co/" + page, "requestFrom": "shop", "sessionId": 1_000_123}},
		}}, &struct{}{})
	}
	boss := c.withToken(servertest.Admin(t, s, "boss@example.org"))
	var got clientlog.Visits
	boss.get("/api/logs/visits?application=shop", &got)
	if got.Visits != 3 || got.Count != 1 || len(got.Pages) != 2 || got.Pages[0].Page != "https://x.co/a" || got.Pages[0].Visits != 2 || got.Latest[0].Session != "1000123" {
		t.Errorf("the visits of shop = %+v; want 3 in 1 session on 2 pages, 2 of them on https://x.co/a, the latest in session 1000123", got)
	}
	boss.get("/api/logs/visits?application=blog", &got)
	if got.Visits != 0 || len(got.Pages) != 0 {
		t.Errorf("the visits of another application = %+v; want none", got)
	}
}

func TestAnnouncedSessionsAreListedWithTheirVisits(t *testing.T) {
	s := serveWithTelemetry(t, inSQLite(t))
	c := newCaller(t, s)
	var session struct {
		ID      int64
		Address string `json:"address"`
		Remote  string `json:"remote_address"`
	}
	body := object{"id": "0", "server_port": "", "self": "/x", "userId": "", "email": "ann@example.org", "remote_address": "10.9.8.7"}
	c.postJSON("/api/create-session-id-remote", body, &session)
	if session.ID < 1_000_000 || session.Address != "127.0.0.1" || session.Remote != "10.9.8.7" {
		t.Errorf("the session = %+v; want an id from 1,000,000, the address of the connection, and the address in the body as the remote one", session)
	}
	var visit struct{ ID, SessionID int64 }
	form := url.Values{"sessionId": {fmt.Sprint(session.ID)}, "url": {"http://x/y?z=1"}}
	c.mustDo(http.MethodPost, "/api/create-remote-session-visit", asForm, strings.NewReader(form.Encode()), &visit)
	if visit.ID != 1 || visit.SessionID != session.ID {
		t.Errorf("the visit = %+v; want visit 1 of session %d", visit, session.ID)
	}
	if got := c.status(http.MethodPost, "/api/create-remote-session-visit", `{"sessionId":5,"url":"x"}`); got != http.StatusNotFound {
		t.Errorf("a visit without a session: status %d; want 404", got)
	}
	boss := c.withToken(servertest.Admin(t, s, "boss@example.org"))
	var sessions struct{ Data []clientlog.Session }
	boss.get("/api/logs/sessions", &sessions)
	if len(sessions.Data) != 1 || sessions.Data[0].ID != session.ID || sessions.Data[0].Pages != 1 || sessions.Data[0].Email != "ann@example.org" {
		t.Errorf("the sessions = %+v; want only session %d of ann@example.org with one page", sessions, session.ID)
	}
	var pages struct{ Data []clientlog.PageVisit }
	boss.get(fmt.Sprintf("/api/logs/pages?session=%d", session.ID), &pages)
	if len(pages.Data) != 1 || pages.Data[0].URL != "http://x/y?z=1" {
		t.Errorf("the pages = %+v; want only http://x/y?z=1", pages)
	}
	boss.get(fmt.Sprintf("/api/logs/sessions?before=%d", session.ID), &sessions)
	if len(sessions.Data) != 0 {
		t.Errorf("the sessions before the first = %+v; want none", sessions)
	}
}

// The routes of logs and usage also handle bad input.
func TestLogsAndUsageRejectBadInput(t *testing.T) {
	s := serveWithTelemetry(t, memory.New())
	headers := http.Header{"Authorization": {"Bearer " + servertest.Admin(t, s, "boss@example.org")}}
	for _, route := range server.Routes() {
		if !strings.HasPrefix(route.Path, "/api/log") && !strings.Contains(route.Path, "tracker") && !strings.Contains(route.Path, "remote") {
			continue
		}
		for what, request := range badRequestsFor(route) {
			if status, responseBody := send(t, route, s.URL, request, headers); status >= 500 {
				t.Errorf("%s %s, %s: %d %s", route.Method, route.Path, what, status, responseBody)
			}
		}
	}
}
