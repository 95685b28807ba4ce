package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/wire"
)

// withToken returns the same caller with a token.
func (c caller) withToken(token string) caller {
	headers := map[string]string{"Authorization": "Bearer " + token}
	maps.Copy(headers, c.headers)
	c.headers = headers
	return c
}

type object = map[string]any

// send sends JSON and returns the status and the body of the response.
func (c caller) send(method, path string, body any) (int, object) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	var responseBody object
	status := c.do(method, path, asJSON, bytes.NewReader(text), &responseBody)
	return status, responseBody
}

// mustPost posts JSON and fails unless the status is 200.
func (c caller) mustPost(path string, body any) object {
	c.t.Helper()
	status, responseBody := c.send(http.MethodPost, path, body)
	if status != http.StatusOK {
		c.t.Errorf("%s: status %d %v", path, status, responseBody)
	}
	return responseBody
}

// mustFailPost posts JSON. It fails the test unless the status is the given status and statusText, which
// clients of the contract show, repeats the message.
func (c caller) mustFailPost(status int, path string, body any) wire.Error {
	c.t.Helper()
	return c.mustFail(status, http.MethodPost, path, body)
}

// mustFail is mustFailPost for any method.
func (c caller) mustFail(status int, method, path string, body any) wire.Error {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	var e wire.Error
	if got := c.do(method, path, asJSON, bytes.NewReader(text), &e); got != status || e.Message == "" || e.StatusText != e.Message {
		c.t.Errorf("%s %s: status %d %+v; want %d", method, path, got, e, status)
	}
	return e
}

// A postbox records the e-mails that package account sends.
type postbox struct{ mails chan account.Mail }

func (p postbox) Send(ctx context.Context, m account.Mail) error {
	select {
	case p.mails <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// token returns the token in the next e-mail.
func (p postbox) token(t *testing.T, subject string) string {
	t.Helper()
	var m account.Mail
	select {
	case m = <-p.mails:
	case <-time.After(time.Minute):
		t.Fatalf("no e-mail about %q arrived", subject)
	}
	_, token, ok := strings.Cut(m.Text, "?token=")
	if !ok || !strings.Contains(m.Subject, subject) {
		t.Fatalf("the e-mail is %+v; want a link about %q", m, subject)
	}
	token, _, _ = strings.Cut(token, "\n")
	return token
}

// serveWithPostbox serves a store with accounts that send mail.
func serveWithPostbox(t *testing.T, store graph.Store, change ...func(*server.Options)) (*servertest.Server, postbox) {
	t.Helper()
	return serveWithAttempts(t, store, 0, change...)
}

// serveWithAttempts is serveWithPostbox with a limit on sign-in attempts.
func serveWithAttempts(t *testing.T, store graph.Store, attempts int, change ...func(*server.Options)) (*servertest.Server, postbox) {
	t.Helper()
	box := postbox{make(chan account.Mail, 100)}
	accounts, err := account.New(t.Context(), store, account.Options{Mailer: box, URL: "https://weft.test", Attempts: attempts})
	if err != nil {
		t.Fatal(err)
	}
	change = append([]func(*server.Options){func(o *server.Options) { o.Accounts = accounts }}, change...)
	return servertest.Serve(t, store, change...), box
}

const ann, password = "ann@example.org", "correct horse"

func credentials(email, password string) object { return object{"email": email, "password": password} }

func TestSignUpAndSignInFollowTheContract(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": memory.New(), "sqlite": inSQLite(t)} {
		t.Run(name, func(t *testing.T) {
			s, _ := serveWithPostbox(t, store)
			c := newCaller(t, s)
			signedUp := c.mustPost("/api/auth/signup", credentials(ann, password))
			if signedUp["success"] != true || signedUp["data"].(float64) < 100_000 || signedUp["relatedData"].(float64) < 100_000 {
				t.Errorf("signing up: response %v", signedUp)
			}
			signedIn := c.mustPost("/api/auth/login", object{"email": ann, "password": password, "application": "boomconsole.com"})
			data := signedIn["data"].(object)
			want := object{
				"email": ann, "userConcept": signedUp["relatedData"], "roles": []any{"user"}, "confirmed": nil,
				"entity": []any{object{"userId": signedUp["data"]}}, "entityDetails": data["entityDetails"],
				"token": data["token"], "refreshtoken": data["refreshtoken"], "session": data["session"], "expires": data["expires"],
			}
			if diff := cmp.Diff(want, data); diff != "" || len(data["token"].(string)) < 100 || data["entityDetails"].(object)["id"].(float64) < 100_000 {
				t.Errorf("signing in differs (-want +got):\n%s", diff)
			}
			me := c.withToken(data["token"].(string))
			var concepts []wire.Concept
			me.postJSON("/api/get_concept_bulk", []any{data["userConcept"], data["entityDetails"].(object)["id"]}, &concepts)
			if len(concepts) != 2 || concepts[0].TypeCharacter != "the_user" || concepts[1].TypeCharacter != "the_entity" {
				t.Errorf("the records = %+v; want a concept of the_user and one of the_entity", concepts)
			}
			entity := c.mustPost("/api/v1/entity/signup", object{
				"type": "person", "username": "bo", "title": "mr", "email": "bo@example.org", "password": password,
				"timestamp": "2025-01-02T03:04:05.678Z", "fname": "Bo", "lname": "Lee",
			})
			if entity["error"] != false || entity["data"].(object)["email"] != "bo@example.org" {
				t.Errorf("signing up with a name: response %v", entity)
			}
		})
	}
}

func TestSignUpAndSignInRejectInvalidInput(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	c.mustPost("/api/auth/signup", credentials(ann, password))
	for _, path := range []string{"/api/auth/signup", "/api/v1/entity/signup"} {
		for what, body := range map[string]any{
			"a taken e-mail address":    credentials("ANN@example.org", password),
			"an invalid e-mail address": credentials("ann", password),
			"a short password":          credentials("bo@example.org", "12345"),
			"a very long password":      credentials("bo@example.org", strings.Repeat("x", 1001)),
			"an empty object":           object{},
			"a list":                    []int{1},
			"a number":                  object{"email": 1, "password": password},
		} {
			t.Run(path+" "+what, func(t *testing.T) { c.in(t).mustFailPost(http.StatusNotAcceptable, path, body) })
		}
	}
	t.Run("a wrong password and an unknown e-mail cause the same error", func(t *testing.T) {
		c := c.in(t)
		wrong := c.mustFailPost(http.StatusUnauthorized, "/api/auth/login", credentials(ann, "wrong horse"))
		for _, body := range []any{credentials("bo@example.org", password), credentials("", ""), object{}} {
			if got := c.mustFailPost(http.StatusUnauthorized, "/api/auth/login", body).Message; got != wrong.Message {
				t.Errorf("%v is refused with %q; want %q", body, got, wrong.Message)
			}
		}
		c.mustFailPost(http.StatusNotAcceptable, "/api/auth/login", []int{1})
	})
	t.Run("signing up fails if only admins create accounts", func(t *testing.T) {
		store := memory.New()
		closed, err := account.New(t.Context(), store, account.Options{Closed: true})
		if err != nil {
			t.Fatal(err)
		}
		c := newCaller(t, servertest.Serve(t, store, func(o *server.Options) { o.Accounts = closed }))
		c.mustFailPost(http.StatusNotAcceptable, "/api/auth/signup", credentials(ann, password))
	})
	t.Run("a server without accounts is unavailable", func(t *testing.T) {
		c := newCaller(t, servertest.Start(t, func(o *server.Options) { o.Accounts = nil }))
		for _, path := range []string{"/api/auth/logout", "/api/auth/refresh", "/api/auth/setup"} {
			c.mustFailPost(http.StatusServiceUnavailable, path, credentials(ann, password))
		}
		for _, path := range signingPaths {
			if e := c.mustFailPost(http.StatusNotAcceptable, path, credentials(ann, password)); e.Kind != graph.Unavailable {
				t.Errorf("%s: kind %s; want unavailable", path, e.Kind)
			}
		}
		c.withToken("x").mustFailPost(http.StatusUnauthorized, "/api/getConcept", object{"id": 1})
	})
}

// signingPaths are the paths of signing up and in.
var signingPaths = []string{"/api/auth/signup", "/api/v1/entity/signup", "/api/auth/login"}

func TestEveryLimitOnSigningUpAndInIsVisible(t *testing.T) {
	t.Run("the rate of the network", func(t *testing.T) {
		for _, path := range signingPaths {
			c := newCaller(t, servertest.Start(t, func(o *server.Options) { o.Limits.PerSecond, o.Limits.Burst = 0.001, 1 }))
			c.send(http.MethodGet, "/api/health", nil)
			if e := c.mustFailPost(http.StatusNotAcceptable, "/"+path, credentials(ann, password)); e.Kind != graph.TooMany {
				t.Errorf("%s: kind %s; want tooMany", path, e.Kind)
			}
			c.mustFailPost(http.StatusTooManyRequests, "/api/auth/refresh", object{"refreshtoken": "x"})
		}
	})
	t.Run("the size of the body", func(t *testing.T) {
		c := newCaller(t, servertest.Start(t))
		for _, path := range signingPaths {
			if e := c.mustFailPost(http.StatusNotAcceptable, path, credentials(ann, strings.Repeat("x", 100<<10))); e.Kind != graph.TooLarge {
				t.Errorf("%s: kind %s; want tooLarge", path, e.Kind)
			}
		}
	})
	t.Run("attempts, with the time to wait", func(t *testing.T) {
		c := newCaller(t, servertest.Start(t, func(o *server.Options) { o.Attempts = 1 }))
		c.mustPost("/api/auth/signup", credentials(ann, password))
		for _, path := range signingPaths[:2] {
			if e := c.mustFailPost(http.StatusNotAcceptable, path, credentials("bo@example.org", password)); e.Kind != graph.TooMany {
				t.Errorf("%s: kind %s; want tooMany", path, e.Kind)
			}
		}
	})
}

func TestTokensAreRefreshedAndRevoked(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	c.mustPost("/api/auth/signup", credentials(ann, password))
	first := c.mustPost("/api/auth/login", credentials(ann, password))["data"].(object)
	second := c.mustPost("/api/auth/refresh", object{"refreshtoken": first["refreshtoken"]})["data"].(object)
	c.mustFailPost(http.StatusUnauthorized, "/api/auth/refresh", object{"refreshtoken": first["refreshtoken"]})
	c.mustFailPost(http.StatusUnauthorized, "/api/auth/refresh", object{"refreshtoken": second["refreshtoken"]})
	c.withToken(second["token"].(string)).mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)

	third := c.mustPost("/api/auth/login", credentials(ann, password))["data"].(object)
	me := c.withToken(third["token"].(string))
	me.mustPost("/api/auth/logout", nil)
	me.mustFailPost(http.StatusUnauthorized, "/api/auth/logout", nil)
	c.mustFailPost(http.StatusUnauthorized, "/api/auth/refresh", object{"refreshtoken": third["refreshtoken"]})
}

func TestSessionsAreListedForTheirUserOnly(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	annClient, boClient := c.withToken(servertest.SignUp(t, s.URL, ann)), c.withToken(servertest.SignUp(t, s.URL, "bo@example.org"))
	var sessions []struct {
		ID      string
		Current bool
	}
	boClient.get("/api/auth/sessions", &sessions)
	if len(sessions) != 1 || !sessions[0].Current {
		t.Fatalf("the sessions = %+v; want only the current one", sessions)
	}
	path := "/api/auth/sessions?id=" + url.QueryEscape(sessions[0].ID)
	annClient.send(http.MethodDelete, path, nil)
	boClient.get("/api/auth/sessions", &sessions) // the session of another user continues
	if status, responseBody := boClient.send(http.MethodDelete, path, nil); status != http.StatusOK {
		t.Errorf("ending a session: status %d %v; want 200", status, responseBody)
	}
	boClient.mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/sessions", nil)
}

func TestPasswordsAndEmailConfirmation(t *testing.T) {
	s, box := serveWithPostbox(t, memory.New())
	c := newCaller(t, s)
	token := servertest.SignUp(t, s.URL, ann)
	confirmation := box.token(t, "Confirm")
	c.withToken(token).mustPost("/api/auth/email/resend", nil)
	box.token(t, "Confirm")
	c.mustPost("/api/auth/email/confirm", object{"token": confirmation})
	c.mustFailPost(http.StatusBadRequest, "/api/auth/email/confirm", object{"token": confirmation})
	c.withToken(token).mustFailPost(http.StatusConflict, "/api/auth/email/resend", nil)

	change := object{"oldPassword": password, "newPassword": "battery staple"}
	c.mustFailPost(http.StatusUnauthorized, "/api/auth/password/change", change)
	c.withToken(token).mustPost("/api/auth/password/change", change)
	c.withToken(token).mustFailPost(http.StatusUnauthorized, "/api/auth/password/change", change)
	c.mustPost("/api/auth/login", credentials(ann, "battery staple"))

	if known, unknown := c.mustPost("/api/auth/password/forgot", object{"email": ann}), c.mustPost("/api/auth/password/forgot", object{"email": "bo@example.org"}); cmp.Diff(known, unknown) != "" {
		t.Errorf("the responses to forgot for a known and an unknown address = %v and %v; want equal ones", known, unknown)
	}
	reset := object{"token": box.token(t, "password"), "password": "third time"}
	c.mustPost("/api/auth/password/reset", reset)
	c.mustFailPost(http.StatusBadRequest, "/api/auth/password/reset", reset)
	c.withToken(token).mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	c.mustPost("/api/auth/login", credentials(ann, "third time"))

	t.Run("requests for an e-mail fail on a server that sends no mail", func(t *testing.T) {
		newCaller(t, servertest.Start(t)).mustFailPost(http.StatusServiceUnavailable, "/api/auth/password/forgot", object{"email": ann})
	})
}

func TestAPIKeys(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	me := c.withToken(servertest.SignUp(t, s.URL, ann))
	created := me.mustPost("/api/auth/keys", object{"name": "ci", "write": true, "types": []string{"the_note"}, "expires": time.Now().Add(time.Hour)})
	secret := created["key"].(string)
	t.Run("the key is shown once", func(t *testing.T) {
		var keys []object
		me.in(t).get("/api/auth/keys", &keys)
		text, err := json.Marshal(keys)
		if err != nil || len(keys) != 1 || keys[0]["name"] != "ci" || strings.Contains(string(text), secret) {
			t.Errorf("the keys = %s, %v; want only ci, without the secret", text, err)
		}
	})
	t.Run("a key acts for its user but may not manage accounts", func(t *testing.T) {
		key := c.in(t).withToken(secret)
		var identity object
		key.get("/api/auth/me", &identity)
		if scope, ok := identity["key"].(object); !ok || scope["write"] != true || !slices.Equal(scope["types"].([]any), []any{"the_note"}) {
			t.Errorf("the identity of the key = %v; want a key that may write, limited to the_note", identity)
		}
		for _, route := range [][2]string{
			{http.MethodPost, "/api/auth/keys"},
			{http.MethodGet, "/api/auth/keys"},
			{http.MethodGet, "/api/auth/sessions"},
			{http.MethodPost, "/api/auth/password/change"},
			{http.MethodPost, "/api/auth/logout"},
			{http.MethodGet, "/api/admin/users"},
			{http.MethodPost, "/api/deleteuser?conceptId=1"},
		} {
			key.mustFail(http.StatusForbidden, route[0], route[1], object{"name": "x"})
		}
	})
	t.Run("a key reads and writes only within its scope", func(t *testing.T) {
		_, readOnly := createKey(t, me, object{"name": "reader"})
		body := `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","characterValue":"x"}]}`
		var responseBody object
		if status := c.in(t).withToken(readOnly).do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), &responseBody); status != http.StatusForbidden {
			t.Errorf("a key that only reads wrote: %d %v", status, responseBody)
		}
		if status := c.in(t).withToken(secret).do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), &responseBody); status != http.StatusOK {
			t.Errorf("a key that writes did not: %d %v", status, responseBody)
		}
	})
	t.Run("a key limited to some types reads nothing outside the graph", func(t *testing.T) {
		s, _ := serveWithMail(t, memory.New(), 10, func(o *server.Options) { o.ClientLog = clientlog.New(&kv.Memory{}, clientlog.Options{}) })
		me := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, ann))
		_, unlimited := createKey(t, me, object{"name": "unlimited"})
		_, limited := createKey(t, me, object{"name": "limited", "types": []string{"the_note"}})
		for _, path := range []string{"/api/uploads", "/api/logs", "/api/mail/x"} {
			newCaller(t, s).withToken(limited).mustFail(http.StatusForbidden, http.MethodGet, path, nil)
			if status, _ := newCaller(t, s).withToken(unlimited).send(http.MethodGet, path, nil); status == http.StatusForbidden {
				t.Errorf("a key without limits may not read %s", path)
			}
		}
	})
	t.Run("a revoked key stops working", func(t *testing.T) {
		me := me.in(t)
		other := c.in(t).withToken(servertest.SignUp(t, s.URL, "bo@example.org"))
		path := "/api/auth/keys?id=" + created["id"].(string)
		other.mustFail(http.StatusNotFound, http.MethodDelete, path, nil)
		if status, responseBody := me.send(http.MethodDelete, path, nil); status != http.StatusOK {
			t.Errorf("revoking the key: status %d %v; want 200", status, responseBody)
		}
		c.in(t).withToken(secret).mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	})
	me.mustFailPost(http.StatusBadRequest, "/api/auth/keys", object{"name": ""})
}

// createKey creates an API key and returns its id and the key itself.
func createKey(t *testing.T, me caller, key object) (id, secret string) {
	t.Helper()
	created := me.in(t).mustPost("/api/auth/keys", key)
	return created["id"].(string), created["key"].(string)
}

func TestDeletingAUser(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false })
	c := newCaller(t, s)
	for what, test := range map[string]struct {
		method string
		id     string
	}{
		"by the concept":   {http.MethodPost, "relatedData"},
		"by the user's id": {http.MethodDelete, "data"},
	} {
		t.Run("a user deletes their own account "+what, func(t *testing.T) {
			c := c.in(t)
			signedUp := c.mustPost("/api/auth/signup", credentials(ann, password))
			signedIn := c.mustPost("/api/auth/login", credentials(ann, password))["data"].(object)
			me := c.withToken(signedIn["token"].(string))
			path := "/api/deleteuser?apiKey=freeschema&conceptId=" + number(signedUp[test.id])
			c.mustFail(http.StatusUnauthorized, test.method, path, nil)
			c.withToken(servertest.SignUp(t, s.URL, "bo"+test.method+"@example.org")).mustFail(http.StatusForbidden, test.method, path, nil)
			status, responseBody := me.send(test.method, path, nil)
			email, ok := responseBody["data"].(float64)
			if status != http.StatusOK || !ok || email < 100_000 {
				t.Fatalf("status %d %v; want 200 and the id of the e-mail", status, responseBody)
			}
			var removed struct{ Success bool }
			me.postMultipart("/api/delete_concept", map[string]string{"id": number(email)}, &removed)
			if !removed.Success {
				t.Error("the concept of the e-mail was not removed")
			}
			c.mustFailPost(http.StatusUnauthorized, "/api/auth/login", credentials(ann, password))
			me.mustFailPost(http.StatusForbidden, "/api/auth/logout", nil)
		})
	}
	t.Run("admins and holders of the operator's key delete the account of another user", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) { o.DeleteUserKey = "a key of my own" })
		c := newCaller(t, s)
		admin := c.withToken(servertest.Admin(t, s, "boss@example.org"))
		for i, caller := range []caller{admin, c} {
			signedUp := c.mustPost("/api/auth/signup", credentials(ann, password))
			path := "/api/deleteuser?conceptId=" + number(signedUp["data"])
			c.mustFailPost(http.StatusUnauthorized, path+"&apiKey=freeschema", nil)
			if i == 1 {
				path += "&apiKey=" + url.QueryEscape("a key of my own")
			}
			caller.mustPost(path, nil)
			admin.mustFailPost(http.StatusNotFound, path, nil)
		}
	})
}

func number(v any) string { return strconv.FormatFloat(v.(float64), 'f', -1, 64) }

func TestAdminsManageAccounts(t *testing.T) {
	s := servertest.Start(t)
	c := newCaller(t, s)
	admin, user := c.withToken(servertest.Admin(t, s, "boss@example.org")), c.withToken(servertest.SignUp(t, s.URL, ann))
	var users []struct {
		ID       int
		Email    string
		Admin    bool
		Disabled bool
	}
	admin.get("/api/admin/users", &users)
	if len(users) != 2 || users[0].Email != "boss@example.org" || !users[0].Admin || users[1].Email != ann {
		t.Fatalf("the users = %+v; want the admin boss@example.org and then Ann", users)
	}
	admin.get("/api/admin/users?inpage=1&after="+strconv.Itoa(users[0].ID), &users)
	if len(users) != 1 || users[0].Email != ann {
		t.Fatalf("the second page of users = %+v; want only Ann", users)
	}
	id := users[0].ID
	for _, route := range [][2]string{
		{http.MethodGet, "/api/admin/users"},
		{http.MethodPost, "/api/admin/users"},
		{http.MethodDelete, "/api/admin/users?id=" + strconv.Itoa(id)},
		{http.MethodPost, "/api/admin/users/disable"},
		{http.MethodPost, "/api/admin/users/admin"},
	} {
		user.mustFail(http.StatusForbidden, route[0], route[1], object{})
		c.mustFail(http.StatusUnauthorized, route[0], route[1], object{})
	}
	if created := admin.mustPost("/api/admin/users", credentials("bo@example.org", password)); created["email"] != "bo@example.org" || created["admin"] != false {
		t.Errorf("creating an account: response %v", created)
	}
	admin.mustFailPost(http.StatusConflict, "/api/admin/users", credentials("bo@example.org", password))
	if changed := admin.mustPost("/api/admin/users/admin", object{"id": id, "on": true}); changed["admin"] != true {
		t.Errorf("making a user an admin: response %v", changed)
	}
	admin.mustPost("/api/admin/users/admin", object{"id": id, "on": false})
	admin.mustPost("/api/admin/users/disable", object{"id": id, "on": true})
	user.mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	c.mustFailPost(http.StatusUnauthorized, "/api/auth/login", credentials(ann, password))
	admin.mustPost("/api/admin/users/disable", object{"id": id, "on": false})
	if status, responseBody := admin.send(http.MethodDelete, "/api/admin/users?id="+strconv.Itoa(id), nil); status != http.StatusOK || responseBody["email"] != ann {
		t.Errorf("deleting an account: status %d %v; want 200 and the address of the account", status, responseBody)
	}
	admin.mustFailPost(http.StatusNotFound, "/api/admin/users/disable", object{"id": id, "on": true})
	admin.mustFail(http.StatusBadRequest, http.MethodGet, "/api/admin/users?inpage=0", nil)
}

func TestAttemptsAreLimited(t *testing.T) {
	store := memory.New()
	s, _ := serveWithAttempts(t, store, 3, func(o *server.Options) {
		o.Attempts, o.DeleteUserKey, o.TrustedProxies = 3, "a key of my own", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	from := func(address string) caller {
		c := newCaller(t, s)
		c.headers["X-Forwarded-For"] = address
		return c
	}
	for what, test := range map[string]struct {
		path    string
		body    func(email string) object
		refusal int
	}{
		"signing in":                   {"/api/auth/login", func(email string) object { return credentials(email, "wrong horse") }, http.StatusNotAcceptable},
		"signing up":                   {"/api/auth/signup", func(email string) object { return credentials(email, password) }, http.StatusNotAcceptable},
		"requesting a reset link":      {"/api/auth/password/forgot", func(email string) object { return object{"email": email} }, http.StatusTooManyRequests},
		"resetting the password":       {"/api/auth/password/reset", func(string) object { return object{"token": "x", "password": password} }, http.StatusTooManyRequests},
		"refreshing a token":           {"/api/auth/refresh", func(string) object { return object{"refreshtoken": "x"} }, http.StatusTooManyRequests},
		"confirming an e-mail address": {"/api/auth/email/confirm", func(string) object { return object{"token": "x"} }, http.StatusTooManyRequests},
		"setting up":                   {"/api/auth/setup", func(string) object { return object{"token": "x"} }, http.StatusTooManyRequests},
		"deleting a user":              {"/api/deleteuser?conceptId=1&apiKey=x", func(string) object { return nil }, http.StatusTooManyRequests},
	} {
		t.Run(what, func(t *testing.T) {
			attempt := func(address, email string) int {
				status, _ := from(address).in(t).send(http.MethodPost, test.path, test.body(email))
				return status
			}
			for i := range 3 {
				if got := attempt("192.0.2.1", "user"+strconv.Itoa(i)+"@example.org"); got == test.refusal {
					t.Errorf("attempt %d was refused", i)
				}
			}
			if got := attempt("192.0.2.1", "another@example.org"); got != test.refusal {
				t.Errorf("the fourth attempt from an address: status %d; want %d", got, test.refusal)
			}
			if got := attempt("192.0.2.2", "another@example.org"); got == test.refusal {
				t.Error("another address is also limited")
			}
		})
	}
	t.Run("the response states how long to wait", func(t *testing.T) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/auth/login", strings.NewReader(`{"email":"`+ann+`"}`))
		r.RequestURI = ""
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var e wire.Error
		if err := json.NewDecoder(response.Body).Decode(&e); err != nil || e.Kind != graph.TooMany || !strings.HasPrefix(e.Message, "too many attempts; try again in ") {
			t.Errorf("the response = %+v, %v; want the kind tooMany and the message \"too many attempts; try again in …\"", e, err)
		}
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 20 {
			t.Errorf("wait %q, %v; want up to 20 seconds", response.Header.Get("Retry-After"), err)
		}
	})
}
