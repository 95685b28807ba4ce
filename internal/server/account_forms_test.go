package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestAccountForms(t *testing.T) {
	s, box := serveWithPostbox(t, memory.New())
	send := func(r *http.Request, err error) (int, string, http.Header) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body), response.Header
	}
	get := func(address string) (int, string, http.Header) {
		return send(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+address, nil))
	}
	postForm := func(path string, fields url.Values) (int, string, http.Header) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(fields.Encode()))
		if err == nil {
			r.Header.Set("Content-Type", asForm)
		}
		return send(r, err)
	}
	post := func(path string, fields url.Values) (int, string) {
		status, body, _ := postForm(path, fields)
		return status, body
	}
	link, err := s.Accounts.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(link, "https://weft.test")
	_, token, _ := strings.Cut(address, "token=")

	t.Run("showing a form changes nothing, is not cached and runs no script", func(t *testing.T) {
		status, body, header := get(address)
		if status != http.StatusOK || !strings.Contains(body, `name="token" value="`+token+`"`) {
			t.Errorf("status %d %s; want 200 and a form with the token", status, body)
		}
		policy := header.Get("Content-Security-Policy")
		if header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" ||
			!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") || strings.Contains(policy, "unsafe") {
			t.Errorf("the headers = %v; want no-store, no-referrer, and a policy with default-src 'none' that allows no script and nothing unsafe", header)
		}
	})
	t.Run("a form that cannot succeed is not shown", func(t *testing.T) {
		for _, path := range []string{"/setup", "/reset", "/confirm?token="} {
			if status, body, _ := get(path); status != http.StatusBadRequest || !strings.Contains(body, "the token is missing") || strings.Contains(body, "<form") {
				t.Errorf("%s: status %d %s; want 400 and no form, as the token is missing", path, status, body)
			}
		}
	})
	t.Run("escapes markup in fields", func(t *testing.T) {
		if _, body, _ := get("/setup?token=" + url.QueryEscape(`"><script>`)); strings.Contains(body, "<script>") {
			t.Errorf("the page contains a script: %s", body)
		}
		if _, body := post("/setup", url.Values{"token": {token}, "email": {`"><script>`}}); strings.Contains(body, "<script>") {
			t.Errorf("the page contains a script: %s", body)
		}
	})
	t.Run("a rejected form has the reason and all values but the password", func(t *testing.T) {
		status, body := post("/setup", url.Values{"token": {token}, "email": {"boss@example.org"}, "password": {"short"}})
		if status != http.StatusBadRequest || !strings.Contains(body, `value="boss@example.org"`) ||
			!strings.Contains(body, "has 5 characters; it needs at least 6") || strings.Contains(body, `value="short"`) {
			t.Errorf("status %d %s; want 400, the reason, and a form without the password", status, body)
		}
	})
	t.Run("each token works once", func(t *testing.T) {
		c := newCaller(t, s)
		checkWorksOnce := func(path string, fields url.Values) {
			t.Helper()
			if status, body := post(path, fields); status != http.StatusOK || !strings.Contains(body, `role="status"`) {
				t.Errorf("%s: status %d %s; want 200 and a confirmation", path, status, body)
			}
			if status, body := post(path, fields); status/100 != 4 || !strings.Contains(body, `role="alert"`) {
				t.Errorf("%s: status %d %s the second time; want a refusal that is shown", path, status, body)
			}
		}
		setup := url.Values{"token": {token}, "email": {"boss@example.org"}, "password": {"a+b&c %20=d"}}
		status, body, header := postForm("/setup", setup)
		checkStartsSession(t, s.URL, body)
		if policy := header.Get("Content-Security-Policy"); status != http.StatusOK || header.Get("Cache-Control") != "no-store" ||
			header.Get("Referrer-Policy") != "no-referrer" || strings.Contains(policy, "unsafe") {
			t.Errorf("/setup: status %d %v; want 200, no-store, no-referrer, and nothing unsafe in the policy", status, header)
		}
		for _, cookie := range header.Values("Set-Cookie") {
			if !strings.HasPrefix(cookie, "weft_device_") {
				t.Errorf("/setup sets the cookie %s", cookie)
			}
		}
		if status, body := post("/setup", setup); status != http.StatusConflict || !strings.Contains(body, `role="alert"`) {
			t.Errorf("/setup: status %d %s the second time; want 409 and a refusal that is shown", status, body)
		}
		if status, body, _ := get(address); status != http.StatusConflict || !strings.Contains(body, "there is already an admin") || strings.Contains(body, "<form") {
			t.Errorf("the used link: status %d %s; want 409 and no form, as there is an admin", status, body)
		}
		c.mustPost("/api/auth/login", credentials("boss@example.org", "a+b&c %20=d"))
		servertest.SignUp(t, s.URL, ann)
		checkWorksOnce("/confirm", url.Values{"token": {box.token(t, "Confirm")}})
		c.mustPost("/api/auth/password/forgot", object{"email": ann})
		checkWorksOnce("/reset", url.Values{"token": {box.token(t, "password")}, "password": {"battery staple"}})
		c.mustPost("/api/auth/login", credentials(ann, "battery staple"))
	})
}

// checkStartsSession checks that a page has the tokens of a session of an admin, and that its refresh token works once.
func checkStartsSession(t *testing.T, server, body string) {
	t.Helper()
	_, text, _ := strings.Cut(body, `<script type="application/json" id="session">`)
	text, _, _ = strings.Cut(text, "</script>")
	var session struct {
		Profile struct {
			Token string   `json:"token"`
			Roles []string `json:"roles"`
		} `json:"profile"`
		Refresh string `json:"refresh"`
		Next    string `json:"next"`
	}
	if err := json.Unmarshal([]byte(text), &session); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if session.Next != "/console" || !slices.Contains(session.Profile.Roles, "admin") {
		t.Errorf("the session = %+v; want the next page /console and the role admin", session)
	}
	statusOf := func(method, path, token, body string) int {
		r, err := http.NewRequestWithContext(t.Context(), method, server+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if status := statusOf(http.MethodGet, "/api/auth/sessions", session.Profile.Token, ""); status != http.StatusOK {
		t.Errorf("reading with the token: status %d; want 200", status)
	}
	for i, want := range []int{http.StatusOK, http.StatusUnauthorized} {
		if status := statusOf(http.MethodPost, "/api/auth/refresh", "", `{"refreshtoken":"`+session.Refresh+`"}`); status != want {
			t.Errorf("use %d of the refresh token: status %d, want %d", i+1, status, want)
		}
	}
}
