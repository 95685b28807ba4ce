package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
)

// Every answer tells the browser what it must not do with it, and each kind has the policy under which it works.
func TestEveryAnswerIsGuarded(t *testing.T) {
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
		if o.Pages, err = server.Pages(store, os.DirFS(dir), server.PageOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	for path, want := range map[string]string{
		"/api/health":     "default-src 'none'; frame-ancestors 'none'",
		"/api/nothing":    "default-src 'none'; frame-ancestors 'none'",
		"/api/getConcept": "default-src 'none'; frame-ancestors 'none'",
		"/sw.js":          "default-src 'self'; ", // it fetches
		"/":               "script-src 'self' 'sha256-",
		"/no-such-page":   "script-src 'self' 'sha256-",
		"/api/docs":       "script-src 'self' 'sha256-",
	} {
		answer, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		h := answer.Header
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
		kept := "no-cache" // the same for everybody
		if want == "default-src 'none'; frame-ancestors 'none'" {
			kept = "no-store"
		}
		if got := h.Get("Cache-Control"); got != kept {
			t.Errorf("%s: Cache-Control is %q; want %q", path, got, kept)
		}
		if h.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: without TLS it promises TLS", path)
		}
	}
}
