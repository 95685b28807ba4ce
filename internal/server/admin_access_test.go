package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/server"
)

// adminRequests has a request of each route that only admins may use. Requests that change something come last. The status
// of a request by an admin must be below 400, or 404 for something that does not exist, or 503 for a part that the server
// does not have.
var adminRequests = []limitedRequest{
	{"GET", "/api/v1/samples", ""},
	{"GET", "/api/admin/sessions", ""},
	{"GET", "/api/admin/keys", ""},
	{"GET", "/api/admin/audit", ""},
	{"GET", "/api/admin/health", ""},
	{"GET", "/api/admin/traffic?minutes=5", ""},
	{"GET", "/api/admin/slow-queries", ""},
	{"GET", "/api/admin/log", ""},
	{"GET", "/api/admin/jobs", ""},
	{"GET", "/api/admin/settings", ""},
	{"GET", "/api/admin/version", ""},
	{"GET", "/api/admin/mail", ""},
	{"POST", "/api/admin/mail/x/retry", ""},
	{"DELETE", "/api/admin/mail/x", ""},
	{"GET", "/api/admin/uploads", ""},
	{"GET", "/api/admin/uploads/space", ""},
	{"GET", "/api/admin/usage", ""},
	{"GET", "/api/admin/backups", ""},
	{"GET", "/api/admin/backups/x", ""},
	{"GET", "/api/admin/backups/x?ticket=x", ""},
	{"DELETE", "/api/admin/backups/x", ""},
	{"POST", "/api/admin/backups/x/verify", ""},
	{"POST", "/api/admin/backups/x/link", ""},
	{"POST", "/api/admin/backups", ""},
	{"DELETE", "/api/v1/samples/shop", ""},
	{"POST", "/api/v1/samples", `{"name":"shop"}`},
	{"POST", "/api/admin/users/reset-link", `{"id":{ann}}`},
	{"POST", "/api/admin/users/token", `{"id":{ann}}`},
	{"POST", "/api/admin/keys", `{"user":{ann},"name":"of an admin"}`},
	{"DELETE", "/api/admin/keys?user={ann}&id=x", ""},
	{"DELETE", "/api/admin/sessions?user={ann}", ""},
	{"POST", "/api/admin/users/password", `{"id":{ann},"password":"another horse"}`},
}

// TestAdminRoutes checks the access matrix of the routes for admins.
func TestAdminRoutes(t *testing.T) {
	f := newAccessFixture(t, nil)
	want := map[string]int{guest: 401, owner: 403, otherUser: 403, readKey: 403, noteKey: 403}
	for _, r := range adminRequests {
		for name, status := range want {
			if got, body := f.send(name, r.method, r.path, r.body); got != status {
				t.Errorf("%s %s as %s: status %d; want %d: %.200s", r.method, r.path, name, got, status, body)
			}
		}
	}
	for _, r := range adminRequests {
		if got, body := f.send(admin, r.method, r.path, r.body); got >= 400 && got != 404 && got != 503 {
			t.Errorf("%s %s as an admin: status %d: %.200s; want success, 404 or 503", r.method, r.path, got, body)
		}
	}
}

func TestEveryAdminRouteHasARequest(t *testing.T) {
	requests := http.NewServeMux()
	for _, info := range server.Routes() {
		if info.Effect == "administers" {
			requests.HandleFunc(info.Method+" "+info.Path, func(http.ResponseWriter, *http.Request) {})
		}
	}
	tested := map[string]bool{}
	for _, r := range adminRequests {
		path, _, _ := strings.Cut(r.path, "?")
		_, pattern := requests.Handler(httptest.NewRequest(r.method, path, nil))
		tested[pattern] = true
	}
	for _, info := range server.Routes() {
		if route := info.Method + " " + info.Path; info.Effect == "administers" && !tested[route] {
			t.Errorf("%s has no request in adminRequests", route)
		}
	}
}
