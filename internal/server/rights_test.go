package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/store/kv"
)

// Callers with limited rights, in addition to the callers of the access tests. The account of removedUser was removed less than
// a minute ago, so its token may still remove records.
const (
	noteReadKey = "a key that only reads notes"
	removedUser = "a user who was removed"
	disabled    = "a user who was disabled"
	endedKey    = "a key that was revoked"
)

// A limitedRequest is a request of one route. If the route can store data, the request does so for a caller with all
// rights.
type limitedRequest struct{ method, path, body string }

const file = "--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--part--\r\n"

// requestsBesideGraph lists requests of the routes without a read or write test.
var requestsBesideGraph = []limitedRequest{
	{"POST", "/api/v1/config", "application=x"},
	{"GET", "/api/v1/config?application=x", ""},
	{"GET", "/api/health", ""},
	{"GET", "/api/openapi.json", ""},
	{"GET", "/api/docs", ""},
	{"GET", "/v1/get-frontend-anomaly-parameters", ""},
	{"GET", "/api/v1/get-frontend-anomaly-parameters", ""},
	{"GET", "/sitemap.xml", ""},
	{"GET", "/robots.txt", ""},
	{"GET", "/og/index.png", ""},
	{"GET", "/packages/weft-client.tgz", ""},
	{"GET", "/client/weft.js", ""},
	{"GET", "/console", ""},
	{"GET", "/console/records", ""},
	{"GET", "/api/v1/types", ""},
	{"GET", "/docs", ""},
	{"GET", "/docs/install", ""},
	{"GET", "/docs/search?q=install", ""},
	{"GET", "/llms.txt", ""},
	{"POST", "/api/auth/refresh", `{"refreshtoken":"x"}`},
	{"POST", "/api/Auth/refresh", `{"refreshtoken":"x"}`},
	{"POST", "/api/auth/logout", ""},
	{"GET", "/api/auth/me", ""},
	{"GET", "/api/auth/sessions", ""},
	{"DELETE", "/api/auth/sessions?id=x", ""},
	{"POST", "/api/auth/password/reset", `{"token":"x","password":"correct horse"}`},
	{"POST", "/api/auth/password/change", `{"oldPassword":"correct horse","newPassword":"wrong horses"}`},
	{"POST", "/api/auth/email/confirm", `{"token":"x"}`},
	{"POST", "/api/auth/email/resend", ""},
	{"POST", "/api/auth/setup", `{"token":"x","email":"x@example.org","password":"correct horse"}`},
	{"GET", "/api/auth/keys", ""},
	{"POST", "/api/auth/keys", `{"name":"more","write":true}`},
	{"DELETE", "/api/auth/keys?id=x", ""},
	{"POST", "/api/deleteuser?conceptId={ann}", ""},
	{"DELETE", "/api/deleteuser?conceptId={ann}", ""},
	{"GET", "/api/admin/users", ""},
	{"POST", "/api/admin/users", `{"email":"x@example.org","password":"correct horse"}`},
	{"DELETE", "/api/admin/users?id={ann}", ""},
	{"POST", "/api/admin/users/disable", `{"id":{ann},"on":true}`},
	{"POST", "/api/admin/users/admin", `{"id":{ann},"on":true}`},
	{"GET", "/api/v1/widgets?id={widget}", ""},
	{"POST", "/api/v1/widgets/preview", `{"id":{widget},"html":"<p>x</p>","css":""}`},
	{"GET", "/api/v1/widgets/documentation?id={widget}", ""},
	{"GET", "/api/v1/widgets/code?id={widget}&part=js&hash=x", ""},
	{"GET", "/api/v1/widgets/frame", ""},
	{"GET", "/api/v1/content", ""},
	{"GET", "/api/v1/content/widget?name={widget}&version=0", ""},
	{"GET", "/api/v1/content/page?name=home", ""},
	{"POST", "/api/v1/content/widget", `{"name":"{widget}","files":{"widget.json":"{\"name\":\"x\"}","widget.html":"<p>x</p>"}}`},
	{"POST", "/api/v1/content/publish", "name={widget}&version=0"},
	{"POST", "/api/v1/content/page", `{"name":"home","page":{"slug":"/","title":"x","body":"home"}}`},
	{"GET", "/api/v1/schema", ""},
	{"POST", "/api/v1/schema", `{"schema":{"types":{}}}`},
	{"POST", "/api/v1/schema/preview", `{"schema":{"types":{}}}`},
	{"GET", "/api/v1/schema/source?language=ts", ""},
	{"GET", "/api/v1/schema/found?type=the_note", ""},
	{"POST", "/api/Image/UploadImage", strings.Replace(file, `"file"`, `"image"`, 1)},
	{"POST", "/api/Image/UploadImageV2", file},
	{"POST", "/api/Image/UploadFile", file},
	{"GET", "/api/upload/limit", ""},
	{"GET", "/api/uploads", ""},
	{"DELETE", "/api/uploads/x.txt", ""},
	{"GET", "/uploads/x.txt", ""},
	{"POST", "/api/sendmail", `{"toAddress":"ben@example.org","heading":"a","body":"b"}`},
	{"POST", "/api/sendmail/personal", `{"toAddress":"ben@example.org","heading":"a","body":"b"}`},
	{"POST", "/api/sendmail/bulk", `{"ccAddresses":["ben@example.org"],"heading":"a","body":"b"}`},
	{"POST", "/api/sendmail/bulk/personal", `{"ccAddresses":["ben@example.org"],"heading":"a","body":"b"}`},
	{"GET", "/api/mail/x", ""},
	{"GET", "/api/mail/failed", ""},
	{"GET", "/api/v1/ask", ""},
	{"POST", "/api/v1/ask", `{"question":"x"}`},
	{"POST", "/api/logger", `{"logType":"app","logData":[{"message":"hello"}]}`},
	{"GET", "/api/check", ""},
	{"GET", "/api/logs", ""},
	{"GET", "/api/logs/visits", ""},
	{"POST", "/api/create-session-id-remote", "self=x&port=1"},
	{"POST", "/api/create-remote-session-visit", "sessionId=1&url=/x"},
	{"GET", "/api/logs/sessions", ""},
	{"GET", "/api/logs/pages?session=1", ""},
	// The following routes store data for callers without any rights, too. The requests are invalid, so that they
	// store nothing.
	{"POST", "/api/auth/signup", `{"email":"","password":""}`},
	{"POST", "/api/v1/entity/signup", `{"email":"","password":""}`},
	{"POST", "/api/auth/login", `{"email":"x@example.org","password":"x"}`},
	{"POST", "/api/auth/password/forgot", `{"email":"x@example.org"}`},
}

// limitedRequests returns at least one request for each route.
func limitedRequests() []limitedRequest {
	all := append(slices.Clone(requestsBesideGraph), adminRequests...)
	for _, row := range readTests() {
		all = append(all, limitedRequest{row.method, row.path, row.body})
	}
	for _, row := range writeTests() {
		all = append(all, limitedRequest{row.method, row.path, row.body})
	}
	return all
}

// addLimitedCallers adds the callers of this file to a fixture.
func (f *accessFixture) addLimitedCallers() {
	f.t.Helper()
	key := func(name string, k account.Key) string {
		k.User, k.Name = f.users[owner], name
		created, secret, err := f.accounts.NewKey(f.t.Context(), k)
		if err != nil {
			f.t.Fatal(err)
		}
		f.users[name], f.tokens[name] = f.users[owner], secret
		return created.ID
	}
	key(noteReadKey, account.Key{Types: []string{"the_note"}})
	id := key(endedKey, account.Key{Write: true})
	if err := f.accounts.RevokeKey(f.t.Context(), f.users[owner], id); err != nil {
		f.t.Fatal(err)
	}
	for _, name := range []string{removedUser, disabled} {
		u, err := f.accounts.Add(f.t.Context(), account.Person{Email: strings.ReplaceAll(name, " ", "-") + "@example.org", Password: "correct horse"}, false)
		if err != nil {
			f.t.Fatal(err)
		}
		f.users[name] = u.ID
		if f.tokens[name], err = f.accounts.Token(f.t.Context(), u.ID); err != nil {
			f.t.Fatal(err)
		}
	}
	if _, err := f.accounts.Remove(f.t.Context(), f.users[removedUser]); err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.accounts.SetDisabled(f.t.Context(), f.users[disabled], true); err != nil {
		f.t.Fatal(err)
	}
}

// stored describes all stored data: the number of the newest change and the entries outside the graph. It leaves out
// the time of the last use of a key, and values that the server computes for all callers when they are first needed.
func (f *accessFixture) stored() map[string]string {
	f.t.Helper()
	all := map[string]string{"the newest change": fmt.Sprint(f.lastSeq())}
	for after := ""; ; {
		entries, err := kv.In(f.store).List(f.t.Context(), kv.Range{After: after, Limit: 1_000})
		if err != nil {
			f.t.Fatal(err)
		}
		if len(entries) == 0 {
			return all
		}
		for _, e := range entries {
			after = e.Key
			switch {
			case strings.HasPrefix(e.Key, "anomaly/") || e.Key == "server/place-key" || e.Key == "account/device-secret":
			case strings.HasPrefix(e.Key, "account/guess/"): // wrong passwords of every sender are counted
			case strings.HasPrefix(e.Key, "account/key/"):
				all[e.Key] = "a key"
			default:
				all[e.Key] = string(e.Value)
			}
		}
	}
}

// changedEntries returns the names of the entries that differ.
func changedEntries(before, after map[string]string) (changed []string) {
	for name, value := range after {
		if before[name] != value {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// TestCallersWithLimitedRightsStoreNothing sends a request of every route as every caller who may only read, and as
// every caller whose rights have ended. The stored data must be the same before and after.
func TestCallersWithLimitedRightsStoreNothing(t *testing.T) {
	f := newAccessFixture(t, nil)
	f.addLimitedCallers()
	f.ids["it"] = f.ids["open"]
	byPath := map[string]string{}
	for _, info := range server.Routes() {
		byPath[info.Method+" "+info.Path] = info.Effect
	}
	for _, callerName := range []string{readKey, noteReadKey, removedUser, disabled, endedKey} {
		for i, r := range limitedRequests() {
			if callerName != removedUser && strings.HasPrefix(r.path, "/api/v1/events") {
				continue // the helper that reads a stream writes a record; TestReadAccessOfEveryRoute covers this route
			}
			before := f.stored()
			body := strings.ReplaceAll(r.body, "{text}", fmt.Sprintf("limited%d", i))
			status, response := f.send(callerName, r.method, r.path, body)
			if changed := changedEntries(before, f.stored()); len(changed) > 0 {
				t.Errorf("%s %s as %s: status %d, and changes %v: %.200s; want no change", r.method, r.path, callerName, status, changed, response)
			}
			path, _, _ := strings.Cut(r.path, "?")
			isPublic := strings.HasPrefix(path, "/api/v1/pages") || path == "/api/health"
			isRefused := status == 403 || status == 406 && slices.Contains(signingPaths, path)
			switch {
			case status >= 500 && status != 503:
				t.Errorf("%s %s as %s: status %d %.200s; want no error of the server, except 503", r.method, r.path, callerName, status, response)
			case (callerName == disabled || callerName == endedKey) && status != 401 && !isPublic:
				t.Errorf("%s %s as %s: status %d; want 401", r.method, r.path, callerName, status)
			case callerName == removedUser && byPath[r.method+" "+path] != "removes records" && !isRefused && !isPublic:
				t.Errorf("%s %s as %s: status %d; want 403: %.200s", r.method, r.path, callerName, status, response)
			}
		}
	}
}

// The control of TestCallersWithLimitedRightsStoreNothing: for a caller with all rights, the same requests must
// store something.
func TestRequestsOfTheRightsTestStoreSomething(t *testing.T) {
	f := newAccessFixture(t, nil)
	for _, r := range []limitedRequest{
		{"POST", "/api/logger", `{"logType":"app","logData":[{"message":"hello"}]}`},
		{"POST", "/api/create-session-id-remote", "self=x&port=1"},
		{"POST", "/api/v1/access-tracker/sync-access-tracker", `{"concepts":{"{open}":1},"connections":{}}`},
		{"POST", "/api/Image/UploadFile", file},
		{"POST", "/api/sendmail", `{"toAddress":"ben@example.org","heading":"a","body":"b"}`},
		{"POST", "/api/create_text_data", `{"data":"a long text"}`},
	} {
		before := f.stored()
		status, response := f.send(owner, r.method, r.path, r.body)
		if len(changedEntries(before, f.stored())) == 0 {
			t.Errorf("%s %s: status %d, and stores nothing: %.200s; want a change", r.method, r.path, status, response)
		}
	}
}

func TestEveryRouteHasAnEffectAndARightsTest(t *testing.T) {
	tested := map[string]bool{}
	for _, r := range limitedRequests() {
		path, _, _ := strings.Cut(r.path, "?")
		tested[r.method+" "+path] = true
	}
	aliases := map[string]string{"GET /docs/{page...}": "GET /docs/install", "GET /og/{name...}": "GET /og/index.png", "GET /packages/{path...}": "GET /packages/weft-client.tgz", "GET /client/{path...}": "GET /client/weft.js", "GET /console/{path...}": "GET /console/records", "DELETE /api/uploads/{name}": "DELETE /api/uploads/x.txt", "GET /uploads/{name}": "GET /uploads/x.txt", "GET /api/mail/{id}": "GET /api/mail/x"}
	for _, info := range server.Routes() {
		route := info.Method + " " + info.Path
		if info.Effect == "" {
			t.Errorf("%s is not in routesByEffect", route)
		}
		if !tested[route] && !tested[aliases[route]] && info.Effect != "administers" { // TestAdminRoutes covers these
			t.Errorf("%s has no request in the test of limited rights", route)
		}
	}
}
