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

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/journal"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/wire"
)

// signed is the same caller with a token.
func (c caller) signed(token string) caller {
	headers := map[string]string{"Authorization": "Bearer " + token}
	maps.Copy(headers, c.headers)
	c.headers = headers
	return c
}

type object = map[string]any

// send sends JSON and returns the status and the answer.
func (c caller) send(method, path string, body any) (int, object) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	var answer object
	status := c.do(method, path, asJSON, bytes.NewReader(text), &answer)
	return status, answer
}

// posted wants JSON to be accepted.
func (c caller) posted(path string, body any) object {
	c.t.Helper()
	status, answer := c.send(http.MethodPost, path, body)
	if status != http.StatusOK {
		c.t.Errorf("%s answered %d %v", path, status, answer)
	}
	return answer
}

// refused wants JSON to be refused, with a sentence under the name that clients of the contract show.
func (c caller) refused(status int, path string, body any) wire.Error {
	c.t.Helper()
	return c.denied(status, http.MethodPost, path, body)
}

// denied is refused for any method.
func (c caller) denied(status int, method, path string, body any) wire.Error {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	var e wire.Error
	if got := c.do(method, path, asJSON, bytes.NewReader(text), &e); got != status || e.Message == "" || e.StatusText != e.Message {
		c.t.Errorf("%s %s answered %d %+v; want %d", method, path, got, e, status)
	}
	return e
}

// A postbox keeps what accounts send.
type postbox struct{ mails chan account.Mail }

func (p postbox) Send(ctx context.Context, m account.Mail) error {
	select {
	case p.mails <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// token is that of the next mail.
func (p postbox) token(t *testing.T, subject string) string {
	t.Helper()
	var m account.Mail
	select {
	case m = <-p.mails:
	case <-time.After(time.Minute):
		t.Fatalf("no mail about %q came", subject)
	}
	_, token, ok := strings.Cut(m.Text, "?token=")
	if !ok || !strings.Contains(m.Subject, subject) {
		t.Fatalf("the mail is %+v; want a link about %q", m, subject)
	}
	token, _, _ = strings.Cut(token, "\n")
	return token
}

// withMail serves a store with accounts that send mail.
func withMail(t *testing.T, store graph.Store, change ...func(*server.Options)) (*servertest.Server, postbox) {
	t.Helper()
	box := postbox{make(chan account.Mail, 100)}
	accounts, err := account.New(t.Context(), store, account.Options{Mailer: box, URL: "https://weft.test"})
	if err != nil {
		t.Fatal(err)
	}
	change = append([]func(*server.Options){func(o *server.Options) { o.Accounts = accounts }}, change...)
	return servertest.Serve(t, store, change...), box
}

const ann, password = "ann@example.org", "correct horse"

func credentials(email, password string) object { return object{"email": email, "password": password} }

func TestAccountsAsTheContractHasThem(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": memory.New(), "sqlite": openSQLite(t)} {
		t.Run(name, func(t *testing.T) {
			s, _ := withMail(t, store)
			c := call(t, s)
			up := c.posted("/api/auth/signup", credentials(ann, password))
			if up["success"] != true || up["data"].(float64) < 100_000 || up["relatedData"].(float64) < 100_000 {
				t.Errorf("signing up answered %v", up)
			}
			in := c.posted("/api/auth/login", object{"email": ann, "password": password, "application": "boomconsole.com"})
			data := in["data"].(object)
			want := object{
				"email": ann, "userConcept": up["relatedData"], "roles": []any{"user"}, "confirmed": nil,
				"entity": []any{object{"userId": up["data"]}}, "entityDetails": data["entityDetails"],
				"token": data["token"], "refreshtoken": data["refreshtoken"], "session": data["session"], "expires": data["expires"],
			}
			if diff := cmp.Diff(want, data); diff != "" || len(data["token"].(string)) < 100 || data["entityDetails"].(object)["id"].(float64) < 100_000 {
				t.Errorf("signing in differs (-want +got):\n%s", diff)
			}
			me := c.signed(data["token"].(string))
			var concepts []wire.Concept
			me.json("/api/get_concept_bulk", []any{data["userConcept"], data["entityDetails"].(object)["id"]}, &concepts)
			if len(concepts) != 2 || concepts[0].TypeCharacter != "the_user" || concepts[1].TypeCharacter != "the_entity" {
				t.Errorf("the records are %+v", concepts)
			}
			entity := c.posted("/api/v1/entity/signup", object{
				"type": "person", "username": "bo", "title": "mr", "email": "bo@example.org", "password": password,
				"timestamp": "2025-01-02T03:04:05.678Z", "fname": "Bo", "lname": "Lee",
			})
			if entity["error"] != false || entity["data"].(object)["email"] != "bo@example.org" {
				t.Errorf("signing up with a name answered %v", entity)
			}
		})
	}
}

func openSQLite(t *testing.T) graph.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func TestWhatSigningUpAndInRefuse(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	c.posted("/api/auth/signup", credentials(ann, password))
	for _, path := range []string{"/api/auth/signup", "/api/v1/entity/signup"} {
		for what, body := range map[string]any{
			"an e-mail that is taken": credentials("ANN@example.org", password),
			"no e-mail":               credentials("ann", password),
			"a short password":        credentials("bo@example.org", "12345"),
			"a very long password":    credentials("bo@example.org", strings.Repeat("x", 1001)),
			"nothing":                 object{},
			"a list":                  []int{1},
			"a number":                object{"email": 1, "password": password},
		} {
			t.Run(path+" "+what, func(t *testing.T) { c.in(t).refused(http.StatusNotAcceptable, path, body) })
		}
	}
	t.Run("a wrong password is refused like an unknown e-mail", func(t *testing.T) {
		c := c.in(t)
		wrong := c.refused(http.StatusUnauthorized, "/api/auth/login", credentials(ann, "wrong horse"))
		for _, body := range []any{credentials("bo@example.org", password), credentials("", ""), object{}} {
			if got := c.refused(http.StatusUnauthorized, "/api/auth/login", body).Message; got != wrong.Message {
				t.Errorf("%v is refused with %q; want %q", body, got, wrong.Message)
			}
		}
		c.refused(http.StatusNotAcceptable, "/api/auth/login", []int{1})
	})
	t.Run("nothing is accepted where only admins make accounts", func(t *testing.T) {
		store := memory.New()
		closed, err := account.New(t.Context(), store, account.Options{Closed: true})
		if err != nil {
			t.Fatal(err)
		}
		c := call(t, servertest.Serve(t, store, func(o *server.Options) { o.Accounts = closed }))
		c.refused(http.StatusNotAcceptable, "/api/auth/signup", credentials(ann, password))
	})
	t.Run("nothing works without accounts", func(t *testing.T) {
		c := call(t, servertest.Start(t, func(o *server.Options) { o.Accounts = nil }))
		for _, path := range []string{"/api/auth/signup", "/api/auth/login", "/api/auth/logout", "/api/auth/refresh", "/api/auth/setup"} {
			c.refused(http.StatusServiceUnavailable, path, credentials(ann, password))
		}
		c.signed("x").refused(http.StatusUnauthorized, "/api/getConcept", object{"id": 1})
	})
}

func TestTokensAreRenewedAndEnd(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	c.posted("/api/auth/signup", credentials(ann, password))
	first := c.posted("/api/auth/login", credentials(ann, password))["data"].(object)
	second := c.posted("/api/auth/refresh", object{"refreshtoken": first["refreshtoken"]})["data"].(object)
	c.refused(http.StatusUnauthorized, "/api/auth/refresh", object{"refreshtoken": first["refreshtoken"]})
	c.refused(http.StatusUnauthorized, "/api/auth/refresh", object{"refreshtoken": second["refreshtoken"]})
	c.signed(second["token"].(string)).denied(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)

	third := c.posted("/api/auth/login", credentials(ann, password))["data"].(object)
	me := c.signed(third["token"].(string))
	me.posted("/api/auth/logout", nil)
	me.refused(http.StatusUnauthorized, "/api/auth/logout", nil)
	c.refused(http.StatusUnauthorized, "/api/auth/refresh", object{"refreshtoken": third["refreshtoken"]})
}

func TestSessionsAreTheCallersOwn(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	here, there := c.signed(servertest.SignUp(t, s.URL, ann)), c.signed(servertest.SignUp(t, s.URL, "bo@example.org"))
	var sessions []struct {
		ID      string
		Current bool
	}
	there.get("/api/auth/sessions", &sessions)
	if len(sessions) != 1 || !sessions[0].Current {
		t.Fatalf("the sessions are %+v", sessions)
	}
	path := "/api/auth/sessions?id=" + url.QueryEscape(sessions[0].ID)
	here.send(http.MethodDelete, path, nil)
	there.get("/api/auth/sessions", &sessions) // that of somebody else goes on
	if status, answer := there.send(http.MethodDelete, path, nil); status != http.StatusOK {
		t.Errorf("ending a session answered %d %v", status, answer)
	}
	there.denied(http.StatusUnauthorized, http.MethodGet, "/api/auth/sessions", nil)
}

func TestPasswordsAndEMails(t *testing.T) {
	s, box := withMail(t, memory.New())
	c := call(t, s)
	token := servertest.SignUp(t, s.URL, ann)
	confirmation := box.token(t, "Confirm")
	c.signed(token).posted("/api/auth/email/resend", nil)
	box.token(t, "Confirm")
	c.posted("/api/auth/email/confirm", object{"token": confirmation})
	c.refused(http.StatusBadRequest, "/api/auth/email/confirm", object{"token": confirmation})
	c.signed(token).refused(http.StatusConflict, "/api/auth/email/resend", nil)

	change := object{"oldPassword": password, "newPassword": "battery staple"}
	c.refused(http.StatusUnauthorized, "/api/auth/password/change", change)
	c.signed(token).posted("/api/auth/password/change", change)
	c.signed(token).refused(http.StatusUnauthorized, "/api/auth/password/change", change)
	c.posted("/api/auth/login", credentials(ann, "battery staple"))

	if known, unknown := c.posted("/api/auth/password/forgot", object{"email": ann}), c.posted("/api/auth/password/forgot", object{"email": "bo@example.org"}); cmp.Diff(known, unknown) != "" {
		t.Errorf("forgetting answers %v and %v", known, unknown)
	}
	reset := object{"token": box.token(t, "password"), "password": "third time"}
	c.posted("/api/auth/password/reset", reset)
	c.refused(http.StatusBadRequest, "/api/auth/password/reset", reset)
	c.signed(token).denied(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	c.posted("/api/auth/login", credentials(ann, "third time"))

	t.Run("where no mail is sent, whoever asks for one hears so", func(t *testing.T) {
		call(t, servertest.Start(t)).refused(http.StatusServiceUnavailable, "/api/auth/password/forgot", object{"email": ann})
	})
}

func TestAPIKeys(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	me := c.signed(servertest.SignUp(t, s.URL, ann))
	made := me.posted("/api/auth/keys", object{"name": "ci", "write": true, "types": []string{"the_note"}, "expires": time.Now().Add(time.Hour)})
	secret := made["key"].(string)
	t.Run("it is shown once", func(t *testing.T) {
		var keys []object
		me.in(t).get("/api/auth/keys", &keys)
		text, err := json.Marshal(keys)
		if err != nil || len(keys) != 1 || keys[0]["name"] != "ci" || strings.Contains(string(text), secret) {
			t.Errorf("the keys are %s, %v", text, err)
		}
	})
	t.Run("it acts for its user, and may not manage accounts", func(t *testing.T) {
		key := c.in(t).signed(secret)
		var who object
		key.get("/api/auth/me", &who)
		if scope, ok := who["key"].(object); !ok || scope["write"] != true || !slices.Equal(scope["types"].([]any), []any{"the_note"}) {
			t.Errorf("the key is %v", who)
		}
		for _, line := range [][2]string{
			{http.MethodPost, "/api/auth/keys"},
			{http.MethodGet, "/api/auth/keys"},
			{http.MethodGet, "/api/auth/sessions"},
			{http.MethodPost, "/api/auth/password/change"},
			{http.MethodPost, "/api/auth/logout"},
			{http.MethodGet, "/api/admin/users"},
			{http.MethodPost, "/api/deleteuser?conceptId=1"},
		} {
			key.denied(http.StatusForbidden, line[0], line[1], object{"name": "x"})
		}
	})
	t.Run("it reads and writes within its scope", func(t *testing.T) {
		_, readOnly := keyOf(t, me, object{"name": "reader"})
		body := `{"concepts":[{"id":-1,"categoryId":4,"typeCharacter":"the_note","characterValue":"x"}]}`
		var answer object
		if status := c.in(t).signed(readOnly).do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), &answer); status != http.StatusForbidden {
			t.Errorf("a key that only reads wrote: %d %v", status, answer)
		}
		if status := c.in(t).signed(secret).do(http.MethodPost, "/api/v1/local-concepts", asJSON, strings.NewReader(body), &answer); status != http.StatusOK {
			t.Errorf("a key that writes did not: %d %v", status, answer)
		}
	})
	t.Run("one for some types reads nothing beside the graph", func(t *testing.T) {
		s, _ := posting(t, memory.New(), 10, func(o *server.Options) { o.Journal = journal.New(&kv.Memory{}, journal.Options{}) })
		me := call(t, s).signed(servertest.SignUp(t, s.URL, ann))
		_, whole := keyOf(t, me, object{"name": "whole"})
		_, some := keyOf(t, me, object{"name": "some", "types": []string{"the_note"}})
		for _, path := range []string{"/api/uploads", "/api/logs", "/api/mail/x"} {
			call(t, s).signed(some).denied(http.StatusForbidden, http.MethodGet, path, nil)
			if status, _ := call(t, s).signed(whole).send(http.MethodGet, path, nil); status == http.StatusForbidden {
				t.Errorf("a key for everything may not read %s", path)
			}
		}
	})
	t.Run("it ends", func(t *testing.T) {
		me := me.in(t)
		other := c.in(t).signed(servertest.SignUp(t, s.URL, "bo@example.org"))
		path := "/api/auth/keys?id=" + made["id"].(string)
		other.denied(http.StatusNotFound, http.MethodDelete, path, nil)
		if status, answer := me.send(http.MethodDelete, path, nil); status != http.StatusOK {
			t.Errorf("ending it answered %d %v", status, answer)
		}
		c.in(t).signed(secret).denied(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	})
	me.refused(http.StatusBadRequest, "/api/auth/keys", object{"name": ""})
}

func keyOf(t *testing.T, me caller, want object) (id, secret string) {
	t.Helper()
	made := me.in(t).posted("/api/auth/keys", want)
	return made["id"].(string), made["key"].(string)
}

func TestDeletingAUser(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false })
	c := call(t, s)
	for what, ends := range map[string]struct {
		method string
		id     string
	}{
		"by the concept":   {http.MethodPost, "relatedData"},
		"by the user's id": {http.MethodDelete, "data"},
	} {
		t.Run("oneself, "+what, func(t *testing.T) {
			c := c.in(t)
			up := c.posted("/api/auth/signup", credentials(ann, password))
			in := c.posted("/api/auth/login", credentials(ann, password))["data"].(object)
			me := c.signed(in["token"].(string))
			path := "/api/deleteuser?apiKey=freeschema&conceptId=" + number(up[ends.id])
			c.denied(http.StatusUnauthorized, ends.method, path, nil)
			c.signed(servertest.SignUp(t, s.URL, "bo"+ends.method+"@example.org")).denied(http.StatusForbidden, ends.method, path, nil)
			status, answer := me.send(ends.method, path, nil)
			email, ok := answer["data"].(float64)
			if status != http.StatusOK || !ok || email < 100_000 {
				t.Fatalf("answered %d %v", status, answer)
			}
			var removed struct{ Success bool }
			me.multipart("/api/delete_concept", map[string]string{"id": number(email)}, &removed)
			if !removed.Success {
				t.Error("the concept of the e-mail was not removed")
			}
			c.refused(http.StatusUnauthorized, "/api/auth/login", credentials(ann, password))
			me.refused(http.StatusForbidden, "/api/auth/logout", nil)
		})
	}
	t.Run("others, as an admin or with the operator's key", func(t *testing.T) {
		s := servertest.Start(t, func(o *server.Options) { o.DeleteUserKey = "a key of my own" })
		c := call(t, s)
		admin := c.signed(servertest.Admin(t, s, "boss@example.org"))
		for i, caller := range []caller{admin, c} {
			up := c.posted("/api/auth/signup", credentials(ann, password))
			path := "/api/deleteuser?conceptId=" + number(up["data"])
			c.refused(http.StatusUnauthorized, path+"&apiKey=freeschema", nil)
			if i == 1 {
				path += "&apiKey=" + url.QueryEscape("a key of my own")
			}
			caller.posted(path, nil)
			admin.refused(http.StatusNotFound, path, nil)
		}
	})
}

func number(v any) string { return strconv.FormatFloat(v.(float64), 'f', -1, 64) }

func TestAdminsSteerAccounts(t *testing.T) {
	s := servertest.Start(t)
	c := call(t, s)
	admin, somebody := c.signed(servertest.Admin(t, s, "boss@example.org")), c.signed(servertest.SignUp(t, s.URL, ann))
	var users []struct {
		ID       int
		Email    string
		Admin    bool
		Disabled bool
	}
	admin.get("/api/admin/users", &users)
	if len(users) != 2 || users[0].Email != "boss@example.org" || !users[0].Admin || users[1].Email != ann {
		t.Fatalf("the users are %+v", users)
	}
	admin.get("/api/admin/users?inpage=1&after="+strconv.Itoa(users[0].ID), &users)
	if len(users) != 1 || users[0].Email != ann {
		t.Fatalf("the second page is %+v", users)
	}
	id := users[0].ID
	for _, line := range [][2]string{
		{http.MethodGet, "/api/admin/users"},
		{http.MethodPost, "/api/admin/users"},
		{http.MethodDelete, "/api/admin/users?id=" + strconv.Itoa(id)},
		{http.MethodPost, "/api/admin/users/disable"},
		{http.MethodPost, "/api/admin/users/admin"},
	} {
		somebody.denied(http.StatusForbidden, line[0], line[1], object{})
		c.denied(http.StatusUnauthorized, line[0], line[1], object{})
	}
	if made := admin.posted("/api/admin/users", credentials("bo@example.org", password)); made["email"] != "bo@example.org" || made["admin"] != false {
		t.Errorf("making one answered %v", made)
	}
	admin.refused(http.StatusConflict, "/api/admin/users", credentials("bo@example.org", password))
	if now := admin.posted("/api/admin/users/admin", object{"id": id, "on": true}); now["admin"] != true {
		t.Errorf("making an admin answered %v", now)
	}
	admin.posted("/api/admin/users/admin", object{"id": id, "on": false})
	admin.posted("/api/admin/users/disable", object{"id": id, "on": true})
	somebody.denied(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)
	c.refused(http.StatusUnauthorized, "/api/auth/login", credentials(ann, password))
	admin.posted("/api/admin/users/disable", object{"id": id, "on": false})
	if status, answer := admin.send(http.MethodDelete, "/api/admin/users?id="+strconv.Itoa(id), nil); status != http.StatusOK || answer["email"] != ann {
		t.Errorf("ending one answered %d %v", status, answer)
	}
	admin.refused(http.StatusNotFound, "/api/admin/users/disable", object{"id": id, "on": true})
	admin.denied(http.StatusBadRequest, http.MethodGet, "/api/admin/users?inpage=0", nil)
}

func TestAttemptsAreCounted(t *testing.T) {
	store := memory.New()
	s, _ := withMail(t, store, func(o *server.Options) {
		o.Attempts, o.DeleteUserKey, o.TrustedProxies = 3, "a key of my own", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	from := func(address string) caller {
		c := call(t, s)
		c.headers["X-Forwarded-For"] = address
		return c
	}
	for what, try := range map[string]struct {
		path string
		body func(email string) object
		kept bool // by e-mail too
	}{
		"signing in": {"/api/auth/login", func(email string) object { return credentials(email, "wrong horse") }, true},
		"signing up": {"/api/auth/signup", func(email string) object { return credentials(email, "short") }, true},
		"forgetting": {"/api/auth/password/forgot", func(email string) object { return object{"email": email} }, true},
		"resetting":  {"/api/auth/password/reset", func(string) object { return object{"token": "x", "password": password} }, false},
		"renewing":   {"/api/auth/refresh", func(string) object { return object{"refreshtoken": "x"} }, false},
		"confirming": {"/api/auth/email/confirm", func(string) object { return object{"token": "x"} }, false},
		"setting up": {"/api/auth/setup", func(string) object { return object{"token": "x"} }, false},
		"ending":     {"/api/deleteuser?conceptId=1&apiKey=x", func(string) object { return nil }, false},
	} {
		t.Run(what, func(t *testing.T) {
			attempt := func(address, email string) int {
				status, _ := from(address).in(t).send(http.MethodPost, try.path, try.body(email))
				return status
			}
			for i := range 3 {
				if got := attempt("192.0.2.1", "user"+strconv.Itoa(i)+"@example.org"); got == http.StatusTooManyRequests {
					t.Errorf("attempt %d was one too many", i)
				}
			}
			if got := attempt("192.0.2.1", "another@example.org"); got != http.StatusTooManyRequests {
				t.Errorf("the fourth from an address answered %d", got)
			}
			if got := attempt("192.0.2.2", "another@example.org"); got == http.StatusTooManyRequests {
				t.Error("another address was held back")
			}
			for i := range 3 {
				attempt("198.51.100."+strconv.Itoa(i), "victim@example.org")
			}
			if got := attempt("203.0.113.1", "VICTIM@example.org"); (got == http.StatusTooManyRequests) != try.kept {
				t.Errorf("the fourth for an e-mail answered %d", got)
			}
		})
	}
	t.Run("and the answer says how long to wait", func(t *testing.T) {
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
			t.Errorf("it says %+v, %v", e, err)
		}
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 20 {
			t.Errorf("wait %q, %v; want up to 20 seconds", response.Header.Get("Retry-After"), err)
		}
	})
}
