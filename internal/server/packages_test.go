package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

// builtPackages is the result of a small build.
var builtPackages = fstest.MapFS{
	"packages/index.json": {Data: []byte(`[{"file":"weft-client-0.1.0.tgz","integrity":"sha512-abc","shasum":"def","unpackedSize":3,` +
		`"manifest":{"name":"@weft/client","version":"0.1.0","description":"a <b>client</b>","dependencies":{"dompurify":"3.4.18"},` +
		`"scripts":{"postinstall":"node install.mjs"}}}]`)},
	"packages/weft-client-0.1.0.tgz":  {Data: []byte("tar")},
	"client/weft.js":                  {Data: []byte("export {}")},
	"client/weft.d.ts":                {Data: []byte("export {}")},
	"client/assets/part-DW82rxeF.js":  {Data: []byte("export {}")},
	"client/types/wire/http-types.ts": {Data: []byte("export {}")},
	".keep":                           {},
}

// servePackages serves the packages of a build.
func servePackages(t *testing.T, files fstest.MapFS) *servertest.Server {
	t.Helper()
	return servertest.Serve(t, memory.New(), func(o *server.Options) { o.Packages = files })
}

func TestPackageFiles(t *testing.T) {
	s := servePackages(t, builtPackages)
	for path, want := range map[string]struct{ body, contentType, cacheControl, types string }{
		"/packages/weft-client-0.1.0.tgz": {"tar", "application/gzip", "no-cache", ""},
		"/packages/weft-client.tgz":       {"tar", "application/gzip", "no-cache", ""},
		"/client/weft.js":                 {"export {}", "text/javascript; charset=utf-8", "no-cache", "/client/weft.d.ts"},
		"/client/weft.d.ts":               {"export {}", "application/typescript; charset=utf-8", "no-cache", ""},
		"/client/assets/part-DW82rxeF.js": {"export {}", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", ""},
	} {
		response, body := get(t, "GET", s.URL+path)
		h := response.Header
		if response.StatusCode != http.StatusOK || body != want.body {
			t.Errorf("%s: status %d, body %q; want 200, %q", path, response.StatusCode, body, want.body)
		}
		if h.Get("Content-Type") != want.contentType || h.Get("Cache-Control") != want.cacheControl || h.Get("X-TypeScript-Types") != want.types {
			t.Errorf("%s: headers %v; want %v", path, h, want)
		}
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("ETag") == "" {
			t.Errorf("%s: pages of other origins cannot load it, or caches cannot revalidate it: %v", path, h)
		}
	}
}

// npm encodes the slash in the name of a package.
func TestRegistryDocument(t *testing.T) {
	s := servePackages(t, builtPackages)
	for _, path := range []string{"/packages/@weft%2fclient", "/packages/@weft/client"} {
		_, body := get(t, "GET", s.URL+path)
		var document struct {
			Name     string
			DistTags map[string]string `json:"dist-tags"`
			Versions map[string]struct {
				Name, Version    string
				Dependencies     map[string]string
				Dist             struct{ Tarball, Integrity, Shasum string }
				HasInstallScript bool
			}
		}
		if err := json.Unmarshal([]byte(body), &document); err != nil {
			t.Fatalf("%s: %v: %s", path, err, body)
		}
		version := document.Versions[document.DistTags["latest"]]
		if document.Name != "@weft/client" || version.Version != "0.1.0" || version.Dependencies["dompurify"] == "" || !version.HasInstallScript {
			t.Errorf("%s: the document = %s; want @weft/client 0.1.0 with its dependencies and an install script", path, body)
		}
		if d := version.Dist; d.Tarball != s.URL+"/packages/weft-client-0.1.0.tgz" || d.Integrity != "sha512-abc" || d.Shasum != "def" {
			t.Errorf("%s: the tarball = %+v; want the URL of this server and the given digests", path, d)
		}
	}
}

func TestPackageList(t *testing.T) {
	s := servePackages(t, builtPackages)
	_, body := get(t, "GET", s.URL+"/packages/")
	for _, want := range []string{"@weft:registry=" + s.URL + "/packages/", `href="/packages/weft-client-0.1.0.tgz"`, "@weft/client 0.1.0", "a &lt;b&gt;client&lt;/b&gt;"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s: %s", want, body)
		}
	}
	if response, _ := get(t, "GET", s.URL+"/packages"); response.Header.Get("Location") != "/packages/" {
		t.Errorf("the Location of /packages = %q; want /packages/", response.Header.Get("Location"))
	}
}

func TestMissingPackagesAreReported(t *testing.T) {
	for _, test := range []struct {
		files      fstest.MapFS
		path, want string
	}{
		{fstest.MapFS{".keep": {}}, "/packages/weft-client.tgz", "built without the packages"},
		{fstest.MapFS{".keep": {}}, "/client/weft.js", "built without the packages"},
		{nil, "/packages/", "built without the packages"},
		{builtPackages, "/packages/@weft/other", "no package @weft/other"},
		{builtPackages, "/client/other.js", "no module /client/other.js"},
	} {
		response, body := get(t, "GET", servePackages(t, test.files).URL+test.path)
		if response.StatusCode != http.StatusNotFound || !strings.Contains(body, test.want) {
			t.Errorf("%s: status %d: %s; want %q", test.path, response.StatusCode, body, test.want)
		}
	}
}
