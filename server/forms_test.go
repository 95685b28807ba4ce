package server_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
)

func TestFormsBehindLinks(t *testing.T) {
	s, box := withMail(t, memory.New())
	ask := func(r *http.Request, err error) (int, string, http.Header) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
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
		return ask(http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+address, nil))
	}
	post := func(path string, fields url.Values) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(fields.Encode()))
		if err == nil {
			r.Header.Set("Content-Type", asForm)
		}
		status, body, _ := ask(r, err)
		return status, body
	}
	link, err := s.Accounts.SetupLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(link, "https://weft.test")
	_, token, _ := strings.Cut(address, "token=")

	t.Run("looking at one changes nothing, is kept nowhere and runs nothing", func(t *testing.T) {
		status, body, header := get(address)
		if status != http.StatusOK || !strings.Contains(body, `name="token" value="`+token+`"`) {
			t.Errorf("answered %d %s", status, body)
		}
		policy := header.Get("Content-Security-Policy")
		if header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" ||
			!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script") || strings.Contains(policy, "unsafe") {
			t.Errorf("the headers are %v", header)
		}
	})
	t.Run("one that would be in vain says so at once", func(t *testing.T) {
		for _, path := range []string{"/setup", "/reset", "/confirm?token="} {
			if status, body, _ := get(path); status != http.StatusBadRequest || !strings.Contains(body, "the token is missing") || strings.Contains(body, "<form") {
				t.Errorf("%s answered %d %s", path, status, body)
			}
		}
	})
	t.Run("markup is text", func(t *testing.T) {
		if _, body, _ := get("/setup?token=" + url.QueryEscape(`"><script>`)); strings.Contains(body, "<script>") {
			t.Errorf("it holds a script: %s", body)
		}
		if _, body := post("/setup", url.Values{"token": {token}, "email": {`"><script>`}}); strings.Contains(body, "<script>") {
			t.Errorf("it holds a script: %s", body)
		}
	})
	t.Run("a refusal says why and keeps what was typed but for the password", func(t *testing.T) {
		status, body := post("/setup", url.Values{"token": {token}, "email": {"boss@example.org"}, "password": {"short"}})
		if status != http.StatusBadRequest || !strings.Contains(body, `value="boss@example.org"`) ||
			!strings.Contains(body, "at least 6 characters, and this one has 5") || strings.Contains(body, `value="short"`) {
			t.Errorf("answered %d %s", status, body)
		}
	})
	t.Run("each does its work once", func(t *testing.T) {
		c := call(t, s)
		once := func(path string, fields url.Values) {
			t.Helper()
			if status, body := post(path, fields); status != http.StatusOK || !strings.Contains(body, `role="status"`) {
				t.Errorf("%s answered %d %s", path, status, body)
			}
			if status, body := post(path, fields); status/100 != 4 || !strings.Contains(body, `role="alert"`) {
				t.Errorf("%s answered %d %s the second time", path, status, body)
			}
		}
		once("/setup", url.Values{"token": {token}, "email": {"boss@example.org"}, "password": {"a+b&c %20=d"}})
		if status, body, _ := get(address); status != http.StatusConflict || !strings.Contains(body, "there is an admin already") || strings.Contains(body, "<form") {
			t.Errorf("the link that was used answered %d %s", status, body)
		}
		c.posted("/api/auth/login", credentials("boss@example.org", "a+b&c %20=d"))
		servertest.SignUp(t, s.URL, ann)
		once("/confirm", url.Values{"token": {box.token(t, "Confirm")}})
		c.posted("/api/auth/password/forgot", object{"email": ann})
		once("/reset", url.Values{"token": {box.token(t, "password")}, "password": {"battery staple"}})
		c.posted("/api/auth/login", credentials(ann, "battery staple"))
	})
}
