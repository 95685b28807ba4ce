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
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/track"
	"github.com/weft-graph/weft/validate"
	"github.com/weft-graph/weft/wire"
)

// watching serves a store and keeps logs and counts in it.
func watching(t *testing.T, store graph.Store) *servertest.Server {
	t.Helper()
	return servertest.Serve(t, store, func(o *server.Options) {
		o.Journal = journal.New(kv.In(store), journal.Options{})
		o.Tracker = track.New(kv.In(store), eagerClock())
	})
}

// eagerClock is two minutes further each time it is read, so that what is a minute behind elsewhere is not here.
func eagerClock() func() time.Time {
	now := make(chan time.Time, 1)
	now <- time.Now()
	return func() time.Time {
		t := (<-now).Add(2 * time.Minute)
		now <- t
		return t
	}
}

// status is how a request is answered.
func (c caller) status(method, path, body string) int {
	c.t.Helper()
	kind := ""
	if body != "" {
		kind = asJSON
	}
	var answer json.RawMessage
	return c.do(method, path, kind, strings.NewReader(body), &answer)
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
	s := watching(t, inSQLite(t))
	guest := call(t, s)
	ann := guest.signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	boss := guest.signed(servertest.Admin(t, s, "boss@example.org"))
	var said struct{ Message string }
	guest.json("/api/logger", object{"logType": "app", "logData": []object{
		{"timestamp": "2026-01-02T03:04:05.678Z", "level": "INFO", "message": "a guest's", "data": object{"password": "hunter2", "free": "member"}},
	}}, &said)
	if said.Message != "Log entry added successfully" {
		t.Errorf("answered %q", said.Message)
	}
	ann.json("/api/logger", object{"logType": "mftsccs", "logData": []object{
		{"level": "ERROR", "message": "Ann's first", "functionName": "LoginToBackend", "functionParameters": []any{"a@b.co", "hunter2"}},
		{"level": "INFO", "message": "Ann's second"},
	}}, &said)
	t.Run("an admin sees everybody's", func(t *testing.T) {
		var page logPage
		boss.in(t).get("/api/logs", &page)
		if diff := cmp.Diff([]string{"Ann's second", "Ann's first", "a guest's"}, page.messages()); diff != "" {
			t.Fatal(diff)
		}
		if text := fmt.Sprint(page); strings.Contains(text, "hunter2") || !strings.Contains(text, "free:member") {
			t.Errorf("kept is %s", text)
		}
		if last := page.Data[2]; last.User != 998 || last.Session != "998" || last.Type != "app" {
			t.Errorf("the guest's entry is %+v", last)
		}
	})
	t.Run("a user sees their own, a page at a time", func(t *testing.T) {
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
	t.Run("the fields choose", func(t *testing.T) {
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
	t.Run("others see nothing", func(t *testing.T) {
		for path, who := range map[string]caller{"/api/logs": guest, "/api/logs/visits": guest, "/api/logs/sessions": guest, "/api/logs/pages?session=1": guest} {
			if got := who.in(t).status(http.MethodGet, path, ""); got != http.StatusUnauthorized {
				t.Errorf("%s answers a guest %d", path, got)
			}
		}
		for _, path := range []string{"/api/logs?user=998", "/api/logs/visits", "/api/logs/sessions", "/api/logs/pages?session=1"} {
			if got := ann.in(t).status(http.MethodGet, path, ""); got != http.StatusForbidden {
				t.Errorf("%s answers a user %d", path, got)
			}
		}
	})
	t.Run("what makes no sense is refused", func(t *testing.T) {
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
				t.Errorf("%.60s is answered with %d; want %d", body, got, want)
			}
		}
		for _, query := range []string{"limit=x", "limit=-1", "limit=1001", "from=yesterday", "type=x", "before=x", "user=x"} {
			if got := c.status(http.MethodGet, "/api/logs?"+query, ""); got != http.StatusBadRequest {
				t.Errorf("%s is answered with %d", query, got)
			}
		}
	})
	t.Run("the check says that logs are kept", func(t *testing.T) {
		if got := guest.in(t).status(http.MethodGet, "/api/check", ""); got != http.StatusOK {
			t.Errorf("answered %d", got)
		}
	})
}

func TestALoggerThatSendsTooMuchHasToWait(t *testing.T) {
	s := watching(t, memory.New())
	c := call(t, s)
	body := `{"logType":"app","logData":[]` + strings.Repeat(" ", 9<<20) + `}`
	refused := 0
	for range 4 {
		if got := c.status(http.MethodPost, "/api/logger", body); got == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 1 {
		t.Error("36 MB in a moment are all taken")
	}
}

func TestLogsThatAreNotKept(t *testing.T) {
	c := call(t, servertest.Start(t))
	if got := c.status(http.MethodPost, "/api/logger", `{"logType":"app","logData":[]}`); got != http.StatusNotFound {
		t.Errorf("the logger answers %d; clients want 404", got)
	}
	if got := c.status(http.MethodGet, "/api/check", ""); got != http.StatusServiceUnavailable {
		t.Errorf("the check answers %d", got)
	}
}

func TestVisitsAreCounted(t *testing.T) {
	s := watching(t, memory.New())
	c := call(t, s)
	for _, page := range []string{"a", "b", "a"} {
		c.json("/api/logger", object{"logType": "app", "logData": []object{
			{"level": "ROUTE", "message": "Route Change", "data": object{"url": "https://x.co/" + page, "requestFrom": "shop", "sessionId": 1_000_123}},
		}}, &struct{}{})
	}
	boss := c.signed(servertest.Admin(t, s, "boss@example.org"))
	var got journal.Visits
	boss.get("/api/logs/visits?application=shop", &got)
	if got.Visits != 3 || got.Count != 1 || len(got.Pages) != 2 || got.Pages[0].Page != "https://x.co/a" || got.Pages[0].Visits != 2 || got.Latest[0].Session != "1000123" {
		t.Errorf("visits are %+v", got)
	}
	boss.get("/api/logs/visits?application=blog", &got)
	if got.Visits != 0 || len(got.Pages) != 0 {
		t.Errorf("visits of another application are %+v", got)
	}
}

func TestAnnouncedSessions(t *testing.T) {
	s := watching(t, inSQLite(t))
	c := call(t, s)
	var session struct {
		ID      int64
		Address string `json:"address"`
		Remote  string `json:"remote_address"`
	}
	body := object{"id": "0", "server_port": "", "self": "/x", "userId": "", "email": "ann@example.org", "remote_address": "10.9.8.7"}
	c.json("/api/create-session-id-remote", body, &session)
	if session.ID < 1_000_000 || session.Address != "127.0.0.1" || session.Remote != "10.9.8.7" {
		t.Errorf("the session is %+v", session)
	}
	var visit struct{ ID, SessionID int64 }
	form := url.Values{"sessionId": {fmt.Sprint(session.ID)}, "url": {"http://x/y?z=1"}}
	c.ok(http.MethodPost, "/api/create-remote-session-visit", asForm, strings.NewReader(form.Encode()), &visit)
	if visit.ID != 1 || visit.SessionID != session.ID {
		t.Errorf("the visit is %+v", visit)
	}
	if got := c.status(http.MethodPost, "/api/create-remote-session-visit", `{"sessionId":5,"url":"x"}`); got != http.StatusNotFound {
		t.Errorf("a visit in no session is answered with %d", got)
	}
	boss := c.signed(servertest.Admin(t, s, "boss@example.org"))
	var sessions struct{ Data []journal.Session }
	boss.get("/api/logs/sessions", &sessions)
	if len(sessions.Data) != 1 || sessions.Data[0].ID != session.ID || sessions.Data[0].Pages != 1 || sessions.Data[0].Email != "ann@example.org" {
		t.Errorf("sessions are %+v", sessions)
	}
	var pages struct{ Data []journal.PageVisit }
	boss.get(fmt.Sprintf("/api/logs/pages?session=%d", session.ID), &pages)
	if len(pages.Data) != 1 || pages.Data[0].URL != "http://x/y?z=1" {
		t.Errorf("pages are %+v", pages)
	}
	boss.get(fmt.Sprintf("/api/logs/sessions?before=%d", session.ID), &sessions)
	if len(sessions.Data) != 0 {
		t.Errorf("before the first are %+v", sessions)
	}
}

func TestTheConfigurationTellsWhatTheOperatorSaid(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) {
		o.CacheServers, o.DocumentationWidget = []string{"https://cache.example.org"}, 4242
	})
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		var got struct {
			Success     bool
			Servers     []string
			Application string
			Config      struct{ DocumentationWidget int }
			Session     int64
		}
		call(t, s).ok(method, "/api/v1/config?application=my%20shop", "", nil, &got)
		if !got.Success || len(got.Servers) != 1 || got.Application != "my shop" || got.Config.DocumentationWidget != 4242 || got.Session < 1_000_000 {
			t.Errorf("%s answered %+v", method, got)
		}
	}
}

func TestUsage(t *testing.T) {
	store := inSQLite(t)
	s := watching(t, store)
	guest := call(t, s)
	ann := guest.signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	bob := guest.signed(servertest.SignUp(t, s.URL, "bob@example.org"))
	var me struct{ UserID graph.ID }
	ann.get("/api/auth/me", &me)
	made, err := store.Write(t.Context(), graph.Batch{
		Sender: graph.Sender{User: me.UserID},
		Concepts: []graph.ConceptDraft{
			{Ghost: -1, TypeName: "the_name", Value: "public", Access: graph.Public},
			{Ghost: -2, TypeName: "the_name", Value: "also public", Access: graph.Public},
			{Ghost: -3, TypeName: "the_name", Value: "private"},
		},
		Connections: []graph.ConnectionDraft{{From: -1, To: -2, TypeName: "the_name_s_name", Access: graph.Public}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := func(i int) string { return made.Concepts[i].ID.String() }
	link := made.Connections[0].ID
	const path = "/api/v1/access-tracker/"
	sync := func(c caller, concepts object) {
		t.Helper()
		var said struct{ Success bool }
		c.json(path+"sync-access-tracker", object{"concepts": concepts, "connections": object{link.String(): 1}}, &said)
		if !said.Success {
			t.Error("the uses are not counted")
		}
	}
	sync(ann, object{id(0): 1, id(1): 3, id(2): 9, "404404": 50, "undefined": 3, "-7": 5})
	sync(bob, object{id(0): 1, id(2): 1_000}) // he does not see the last

	names := func(c caller, path string) (values []string) {
		t.Helper()
		var got struct{ Data []wire.Concept }
		c.get(path, &got)
		for _, one := range got.Data {
			if one.Type == nil || one.Type.CharacterValue != "the_name" {
				t.Errorf("%+v has no type", one)
			}
			values = append(values, string(one.CharacterValue))
		}
		return values
	}
	for who, row := range map[string]struct {
		caller caller
		want   []string
	}{
		"Ann":   {ann, []string{"private", "also public", "public"}},
		"Bob":   {bob, []string{"public", "also public"}},
		"guest": {guest, []string{"also public", "public"}},
	} {
		if diff := cmp.Diff(row.want, names(row.caller, path+"list-concepts-file")); diff != "" {
			t.Errorf("%s:\n%s", who, diff)
		}
		if diff := cmp.Diff(row.want[:1], names(row.caller, path+"list-concepts-file?top=1")); diff != "" {
			t.Errorf("the first of %s:\n%s", who, diff)
		}
	}
	bob.get("/api/auth/me", &me)
	for _, key := range []string{"track/all/concepts", fmt.Sprintf("track/own/%d/concepts", me.UserID)} {
		table, err := kv.In(store).Get(t.Context(), key)
		if err != nil || len(table) != 1 || !strings.Contains(string(table[0].Value), id(0)) || strings.Contains(string(table[0].Value), id(2)) {
			t.Errorf("%s is %v, %v; it must not know what is private to Ann", key, table, err)
		}
	}
	var links struct{ Data []wire.Connection }
	guest.get(path+"list-connections-file", &links)
	if len(links.Data) != 1 || graph.ID(links.Data[0].ID) != link {
		t.Errorf("connections are %+v", links)
	}
	var preloaded []wire.Concept
	bob.get("/api/get-preloaded-concepts", &preloaded)
	last := preloaded[len(preloaded)-2:]
	if len(preloaded) != len(graph.Fixed())+2 || last[0].CharacterValue != "public" || last[1].CharacterValue != "also public" {
		t.Errorf("%d are preloaded, at last %+v", len(preloaded), last)
	}
	for body, want := range map[string]int{`{"concepts":{"1":1}}`: 401, "[]": 401} {
		if got := guest.status(http.MethodPost, path+"sync-access-tracker", body); got != want {
			t.Errorf("%s of a guest is answered with %d", body, got)
		}
	}
	var many strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&many, `,"%d":1`, i)
	}
	for body, want := range map[string]int{`{"concepts":[]}`: 400, `{"concepts":{"1":{}}}`: 400, `{"concepts":{` + many.String()[1:] + "}}": 413, "{}": 200} {
		if got := ann.status(http.MethodPost, path+"sync-access-tracker", body); got != want {
			t.Errorf("%.40s is answered with %d; want %d", body, got, want)
		}
	}
	if got := ann.status(http.MethodGet, path+"list-concepts-file?top=x", ""); got != http.StatusBadRequest {
		t.Errorf("a top of x is answered with %d", got)
	}
}

func TestWhatIsNormalIsToldToEverybody(t *testing.T) {
	s := servertest.Start(t)
	_, err := s.Store.Write(t.Context(), graph.Batch{Sender: graph.Sender{User: 7}, Concepts: []graph.ConceptDraft{
		{TypeName: "the_name", Value: "Ann", Access: graph.Public}, {TypeName: "the_name", Value: "a very long secret"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]validate.Normal{"the_name": {MinLength: 2, MaxLength: 4, DataTypes: []validate.DataType{validate.TextOnly}}}
	for _, path := range []string{"/v1/get-frontend-anomaly-parameters", "/api/v1/get-frontend-anomaly-parameters"} {
		var got struct{ Data map[string]validate.Normal }
		call(t, s).get(path, &got)
		if diff := cmp.Diff(want, got.Data); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}

// Bad input is no trouble for those who keep what comes in either.
func TestBadInputIsNotKept(t *testing.T) {
	s := watching(t, memory.New())
	headers := http.Header{"Authorization": {"Bearer " + servertest.Admin(t, s, "boss@example.org")}}
	for _, line := range server.Lines() {
		if !strings.HasPrefix(line.Path, "/api/log") && !strings.Contains(line.Path, "tracker") && !strings.Contains(line.Path, "remote") {
			continue
		}
		for what, request := range bad(line) {
			if status, answer := send(t, line, s.URL, request, headers); status >= 500 {
				t.Errorf("%s %s, %s: %d %s", line.Method, line.Path, what, status, answer)
			}
		}
	}
}
