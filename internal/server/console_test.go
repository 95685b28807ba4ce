package server_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

var builtConsole = fstest.MapFS{
	"index.html":                  {Data: []byte("<!doctype html><title>Weft console</title>")},
	"assets/index-DW82rxeF.js":    {Data: []byte("export {}")},
	"assets/index-DW82rxeF.js.br": {Data: []byte("compressed")},
	".keep":                       {},
}

// Every address below /console is a state of the console, except the addresses of its files.
func TestConsole(t *testing.T) {
	s := servertest.Serve(t, memory.New(), func(o *server.Options) { o.Console = builtConsole })
	const page = "<!doctype html><title>Weft console</title>"
	for path, want := range map[string]struct {
		status                          int
		body, contentType, cacheControl string
	}{
		"/console":                           {200, page, "text/html; charset=utf-8", "no-cache"},
		"/console/":                          {200, page, "text/html; charset=utf-8", "no-cache"},
		"/console/records/the_order/100231":  {200, page, "text/html; charset=utf-8", "no-cache"},
		"/console/records/a%2Fb?filter=%7B":  {200, page, "text/html; charset=utf-8", "no-cache"},
		"/console/assets/index-DW82rxeF.js":  {200, "export {}", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		"/console/assets/index-OldBuild1.js": {404, "", "application/json; charset=utf-8", "no-store"},
	} {
		response, body := get(t, "GET", s.URL+path)
		h := response.Header
		if response.StatusCode != want.status || want.body != "" && body != want.body {
			t.Errorf("%s: status %d, body %q; want %d, %q", path, response.StatusCode, body, want.status, want.body)
		}
		if h.Get("Content-Type") != want.contentType || h.Get("Cache-Control") != want.cacheControl {
			t.Errorf("%s: headers %v; want %v", path, h, want)
		}
		policy := h.Get("Content-Security-Policy")
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy = %q; want frame-ancestors 'none' and nothing unsafe", path, policy)
		}
	}
}

func TestConsoleFilesAreCompressed(t *testing.T) {
	s := servertest.Serve(t, memory.New(), func(o *server.Options) { o.Console = builtConsole })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/console/assets/index-DW82rxeF.js", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "br")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if coding := response.Header.Get("Content-Encoding"); coding != "br" {
		t.Errorf("the coding is %q; want br", coding)
	}
}

func TestServerWithoutConsoleSaysSo(t *testing.T) {
	for name, built := range map[string]fstest.MapFS{"nil": nil, "placeholder": {".keep": {}}} {
		s := servertest.Serve(t, memory.New(), func(o *server.Options) {
			if built != nil {
				o.Console = built
			}
		})
		for _, path := range []string{"/console", "/console/records/the_order"} {
			response, body := get(t, "GET", s.URL+path)
			if response.StatusCode != http.StatusOK || !strings.Contains(body, "This server has no console") {
				t.Errorf("%s, %s: status %d, body %q; want 200 and a page that says that the server has no console", name, path, response.StatusCode, body)
			}
		}
	}
}
