package server_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/wire"
)

// signed is the same caller with a token.
func (c caller) signed(token string) caller {
	headers := map[string]string{"Authorization": "Bearer " + token}
	for name, value := range c.headers {
		headers[name] = value
	}
	c.headers = headers
	return c
}

// refused sends JSON and wants it refused, with a sentence under the name that clients show.
func (c caller) refused(status int, path string, body any) wire.Error {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	var e wire.Error
	if got := c.do(http.MethodPost, path, asJSON, bytes.NewReader(text), &e); got != status || e.Message == "" || e.StatusText != e.Message {
		c.t.Errorf("%s answered %d %+v; want %d", path, got, e, status)
	}
	return e
}

type object = map[string]any

func TestATokenIsItsUser(t *testing.T) {
	s := servertest.Start(t)
	token := servertest.SignUp(t, s.URL, "ann@example.org")
	var me struct {
		UserID  graph.ID `json:"userId"`
		Profile struct {
			Email string   `json:"email"`
			Roles []string `json:"roles"`
		} `json:"profile"`
	}
	call(t, s).signed(token).get("/api/auth/me", &me)
	if me.UserID < graph.FirstFree || me.Profile.Email != "ann@example.org" || strings.Join(me.Profile.Roles, " ") != "user" {
		t.Errorf("I am %+v", me)
	}
	call(t, s).signed(servertest.Admin(t, s, "boss@example.org")).get("/api/auth/me", &me)
	if strings.Join(me.Profile.Roles, " ") != "user admin" {
		t.Errorf("the admin is %+v", me)
	}
}
