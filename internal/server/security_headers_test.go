package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-graph/weft/docs"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/manual"
	"github.com/weft-graph/weft/internal/store/memory"
)

// Every response must have the security headers, with the Content-Security-Policy for its content.
func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	store, dir := memory.New(), t.TempDir()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"index.html": "<script>let a = 1</script><body></body>", "sw.js": "// a worker"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := servertest.Serve(t, store, func(o *server.Options) {
		var err error
		o.Packages = builtPackages
		o.Manual = manual.New(docs.Files, manual.Options{})
		if o.Pages, err = server.Pages(store, os.DirFS(dir), server.PageOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	for path, want := range map[string]string{
		"/api/health":     "default-src 'none'; frame-ancestors 'none'",
		"/api/nothing":    "default-src 'none'; frame-ancestors 'none'",
		"/api/getConcept": "default-src 'none'; frame-ancestors 'none'",
		"/sw.js":          "default-src 'self'; ", // the service worker fetches pages
		"/":               "script-src 'self' 'sha256-",
		"/no-such-page":   "script-src 'self' 'sha256-",
		"/api/docs":       "script-src 'self' 'sha256-",
		"/docs":           "script-src 'self' 'sha256-",
		"/docs/nothing":   "script-src 'self' 'sha256-",
		"/packages/":      "default-src 'self'; ",
		"/console":        "script-src 'self'; ",
		"/client/weft.js": "default-src 'self'; ", // a service worker may import it
	} {
		response, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		h := response.Header
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, want) || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %q; want %q in it", path, policy, want)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
			"Referrer-Policy": "strict-origin-when-cross-origin", "Permissions-Policy": "accelerometer=(), camera=(),",
		} {
			if got := h.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q; want %q", path, name, got, want)
			}
		}
		cacheControl := "no-cache" // these responses are the same for all callers
		if want == "default-src 'none'; frame-ancestors 'none'" {
			cacheControl = "no-store"
		}
		if got := h.Get("Cache-Control"); got != cacheControl {
			t.Errorf("%s: Cache-Control is %q; want %q", path, got, cacheControl)
		}
		if h.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: Strict-Transport-Security is set without TLS", path)
		}
	}
}
