package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/server/servertest"
)

func TestAdminsFindUsers(t *testing.T) {
	s := servertest.Start(t)
	admin := newCaller(t, s).withToken(servertest.Admin(t, s, "boss@example.org"))
	for _, email := range []string{"ann@example.org", "ben@example.com", "cid@example.org"} {
		servertest.SignUp(t, s.URL, email)
	}
	find := func(query string) string {
		var found []struct{ Email string }
		admin.get("/api/admin/users?"+query, &found)
		var emails []string
		for _, u := range found {
			name, _, _ := strings.Cut(u.Email, "@")
			emails = append(emails, name)
		}
		return strings.Join(emails, " ")
	}
	for query, want := range map[string]string{
		"": "boss ann ben cid", "text=EXAMPLE.com": "ben", "state=admin": "boss", "state=disabled": "", "text=.org&inpage=2": "boss ann", "text=nobody": "",
	} {
		if got := find(query); got != want {
			t.Errorf("%q finds %q; want %q", query, got, want)
		}
	}
	admin.mustFail(http.StatusBadRequest, http.MethodGet, "/api/admin/users?state=asleep", nil)
}

func TestAdminsManageSessionsAndKeysOfUsers(t *testing.T) {
	s := servertest.Start(t)
	admin := newCaller(t, s).withToken(servertest.Admin(t, s, "boss@example.org"))
	user := newCaller(t, s).withToken(servertest.SignUp(t, s.URL, ann))
	u, err := s.Accounts.ByEmail(t.Context(), ann)
	if err != nil {
		t.Fatal(err)
	}
	id := u.ID.String()

	key := admin.mustPost("/api/admin/keys", object{"user": u.ID, "name": "ci", "write": true, "types": []string{"the_note"}})
	program := newCaller(t, s).withToken(key["key"].(string))
	var me struct{ UserID int64 }
	if program.get("/api/auth/me", &me); me.UserID != int64(u.ID) {
		t.Errorf("the key acts for %d; want %s", me.UserID, id)
	}
	var keys struct {
		Keys []struct{ ID, Email, Name string }
		Next string
	}
	if admin.get("/api/admin/keys", &keys); len(keys.Keys) != 1 || keys.Keys[0].Email != ann || keys.Keys[0].Name != "ci" {
		t.Errorf("the keys = %+v; want only ci, of Ann", keys)
	}
	if status, body := admin.send(http.MethodDelete, "/api/admin/keys?user="+id+"&id="+url.QueryEscape(keys.Keys[0].ID), nil); status != http.StatusOK {
		t.Errorf("revoking a key is refused: %d %v", status, body)
	}
	program.mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/me", nil)

	var sessions struct{ Sessions []struct{ ID, Email string } }
	if admin.get("/api/admin/sessions?user="+id, &sessions); len(sessions.Sessions) != 1 || sessions.Sessions[0].Email != ann {
		t.Errorf("the sessions = %+v; want one, of Ann", sessions)
	}
	admin.mustFail(http.StatusNotFound, http.MethodDelete, "/api/admin/sessions?user="+id+"&id=x", nil)
	if status, body := admin.send(http.MethodDelete, "/api/admin/sessions?user="+id, nil); status != http.StatusOK {
		t.Errorf("ending the sessions is refused: %d %v", status, body)
	}
	user.mustFail(http.StatusUnauthorized, http.MethodGet, "/api/auth/sessions", nil)

	link := admin.mustPost("/api/admin/users/reset-link", object{"id": u.ID})["link"].(string)
	_, token, _ := strings.Cut(link, "/reset?token=")
	if _, err := s.Accounts.ResetPassword(t.Context(), token, "battery staple", account.Client{}); err != nil {
		t.Errorf("the link %q is refused: %v", link, err)
	}
	admin.mustPost("/api/admin/users/password", object{"id": u.ID, "password": "correct again"})
	if _, err := s.Accounts.SignIn(t.Context(), ann, "correct again", account.Client{}); err != nil {
		t.Error(err)
	}
	admin.mustFailPost(http.StatusNotFound, "/api/admin/users/reset-link", object{"id": 404})
}

func TestEveryActionOfAnAdminIsInTheAuditLog(t *testing.T) {
	s := servertest.Start(t)
	admin := newCaller(t, s).withToken(servertest.Admin(t, s, "boss@example.org"))
	id := admin.mustPost("/api/admin/users", object{"email": ann, "password": "correct horse"})["id"]
	for _, step := range []struct {
		path string
		body object
	}{
		{"/api/admin/users/admin", object{"id": id, "on": true}},
		{"/api/admin/users/admin", object{"id": id, "on": false}},
		{"/api/admin/users/disable", object{"id": id, "on": true}},
		{"/api/admin/users/disable", object{"id": id, "on": false}},
		{"/api/admin/users/reset-link", object{"id": id}},
		{"/api/admin/users/token", object{"id": id}},
		{"/api/admin/users/password", object{"id": id, "password": "a secret horse"}},
		{"/api/admin/keys", object{"user": id, "name": "ci"}},
	} {
		admin.mustPost(step.path, step.body)
	}
	admin.mustFailPost(http.StatusConflict, "/api/admin/users", object{"email": ann, "password": "correct horse"}) // nothing is done
	if status, body := admin.send(http.MethodDelete, fmt.Sprintf("/api/admin/users?id=%.0f", id), nil); status != http.StatusOK {
		t.Errorf("removing is refused: %d %v", status, body)
	}
	var page struct {
		Entries []struct{ Action, ByEmail, Target, Detail, Address string }
		Next    int64
	}
	admin.get("/api/admin/audit", &page)
	var actions []string
	for _, e := range page.Entries {
		actions = append(actions, e.Action)
		if e.ByEmail != "boss@example.org" || e.Target != ann || e.Address != "127.0.0.1" || strings.Contains(e.Detail, "secret horse") {
			t.Errorf("the entry = %+v; want an action of the admin on Ann from 127.0.0.1, without the password", e)
		}
	}
	want := "user.remove key.create user.password user.token user.resetLink user.enable user.disable user.role user.role user.create"
	if got := strings.Join(actions, " "); got != want || page.Next != 0 {
		t.Errorf("the log has %s; want %s", got, want)
	}
	if admin.get("/api/admin/audit?limit=3&action=user.", &page); len(page.Entries) != 3 || page.Next == 0 {
		t.Errorf("the page = %+v; want 3 entries and a cursor", page)
	}
	admin.mustFail(http.StatusBadRequest, http.MethodGet, "/api/admin/audit?limit=100000", nil)

	contact := object{"schema": object{"types": object{"contact": object{"fields": object{"name": object{"kind": "text"}}}}}}
	admin.mustPost("/api/v1/schema", contact)
	admin.mustPost("/api/v1/schema", contact) // changes nothing
	if admin.get("/api/admin/audit?action=schema.", &page); len(page.Entries) != 1 || page.Entries[0].Target != "contact" {
		t.Errorf("the entries of the schema = %+v; want one, for contact", page.Entries)
	}
}
