package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
)

// The folders of the npm packages, and of the client as modules for pages without a build step.
const (
	packagesPath = "/packages/"
	clientPath   = "/client/"
)

// A packageAPI serves the npm packages in the binary, and the client as modules. It is a registry for npm, which
// installs packages from it with `@weft:registry=http://HOST/packages/` in .npmrc. Its tarballs have fixed
// addresses.
//
//	/packages/                        a page with the packages and how to install them
//	/packages/index.json              the list of the packages, as the build wrote it
//	/packages/weft-client-0.1.0.tgz   a tarball; weft-client.tgz is the same file
//	/packages/@weft/client            the registry document of a package
//	/client/weft.js                   the client; weft.d.ts has its types
//	/client/graph.js, …               its other entries
//
// The files are read from the binary at the first request.
type packageAPI struct {
	files     fs.FS // the folders packages and client; nil or empty when they were not built
	publicURL string

	load func() (*packageFiles, error)
}

func newPackageAPI(files fs.FS, publicURL string) *packageAPI {
	a := &packageAPI{files: files, publicURL: publicURL}
	a.load = sync.OnceValues(a.read)
	return a
}

func (a *packageAPI) routes() []route {
	packages := rawEndpoint("application/octet-stream", a.servePackage)
	modules := rawEndpoint("text/javascript", a.serveModule)
	return []route{
		{"GET", packagesPath + "{path...}", noBody, packages, "The npm packages: a tarball such as weft-client.tgz, or the registry document of a package such as @weft/client. Without a path, a page that lists them", requestShape{}},
		{"GET", clientPath + "{path...}", noBody, modules, "The browser library as modules for pages without a build step, such as weft.js, and their types, such as weft.d.ts", requestShape{}},
	}
}

// A packedPackage is an entry of packages/index.json.
type packedPackage struct {
	File         string         `json:"file"`
	Integrity    string         `json:"integrity"`
	Shasum       string         `json:"shasum"`
	UnpackedSize int64          `json:"unpackedSize"`
	Manifest     map[string]any `json:"manifest"` // the package.json of the package
}

func (p packedPackage) name() string    { return p.member("name") }
func (p packedPackage) version() string { return p.member("version") }

func (p packedPackage) member(name string) string {
	text, _ := p.Manifest[name].(string)
	return text
}

// packageFiles holds the built files.
type packageFiles struct {
	served   map[string]representation // keyed by path
	packages []packedPackage
}

func (a *packageAPI) read() (*packageFiles, error) {
	if a.files == nil {
		return nil, errPackagesNotBuilt
	}
	index, err := fs.ReadFile(a.files, "packages/index.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errPackagesNotBuilt
	}
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the built packages cannot be read")
	}
	built := &packageFiles{}
	if err := json.Unmarshal(index, &built.packages); err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the list of built packages cannot be read")
	}
	if built.served, _, err = loadSiteFiles(a.files); err != nil {
		return nil, err
	}
	for _, p := range built.packages { // an address without the version
		latest := strings.TrimSuffix(p.File, "-"+p.version()+".tgz") + ".tgz"
		built.served[packagesPath+latest] = built.served[packagesPath+p.File]
	}
	return built, nil
}

var errPackagesNotBuilt = graph.Errorf(graph.NotFound,
	"this server was built without the packages; `make build` builds a server that has them")

// servePackage serves everything below packagesPath.
func (a *packageAPI) servePackage(w http.ResponseWriter, req *request) error {
	built, err := a.load()
	if err != nil {
		return err
	}
	site, name := siteURL(req.Request, a.publicURL), strings.TrimPrefix(req.URL.Path, packagesPath)
	if name == "" {
		return servePackageList(w, req, site, built.packages)
	}
	if built.serveFile(w, req) {
		return nil
	}
	named := func(p packedPackage) bool { return p.name() == name }
	if i := slices.IndexFunc(built.packages, named); i >= 0 {
		return serveRegistryDocument(w, req, site, built.packages[i])
	}
	return graph.Errorf(graph.NotFound, "no package %s; %s lists the packages of this server", graph.Clip(name), packagesPath)
}

// serveModule serves everything below clientPath.
func (a *packageAPI) serveModule(w http.ResponseWriter, req *request) error {
	built, err := a.load()
	if err != nil {
		return err
	}
	if module, ok := strings.CutSuffix(req.URL.Path, ".js"); ok {
		if _, typed := built.served[module+".d.ts"]; typed {
			w.Header().Set("X-TypeScript-Types", module+".d.ts") // for Deno
		}
	}
	if !built.serveFile(w, req) {
		return graph.Errorf(graph.NotFound, "no module %s; the client is %sweft.js", graph.Clip(req.URL.Path), clientPath)
	}
	return nil
}

// serveFile serves the file at the path of a request, if there is one.
func (f *packageFiles) serveFile(w http.ResponseWriter, req *request) bool {
	file, ok := f.served[req.URL.Path]
	if ok {
		w.Header().Set("Content-Security-Policy", filePolicy)
		file.serve(w, req.Request, http.StatusOK)
	}
	return ok
}

// serveRegistryDocument serves the document that npm reads before it installs a package: the versions of the package and
// the addresses of their tarballs. The server has one version.
func serveRegistryDocument(w http.ResponseWriter, req *request, site string, p packedPackage) error {
	version := maps.Clone(p.Manifest)
	version["dist"] = map[string]any{
		"tarball": site + packagesPath + p.File, "integrity": p.Integrity, "shasum": p.Shasum, "unpackedSize": p.UnpackedSize,
	}
	if scripts, ok := p.Manifest["scripts"].(map[string]any); ok && scripts["postinstall"] != nil {
		version["hasInstallScript"] = true
	}
	text, err := json.Marshal(map[string]any{
		"name": p.name(), "dist-tags": map[string]string{"latest": p.version()}, "versions": map[string]any{p.version(): version},
	})
	if err != nil {
		return err
	}
	newRepresentation("application/json; charset=utf-8", text).serve(w, req.Request, http.StatusOK)
	return nil
}

// servePackageList serves a page for people.
func servePackageList(w http.ResponseWriter, req *request, site string, packages []packedPackage) error {
	type listed struct{ Name, Version, Description, File string }
	var list []listed
	for _, p := range packages {
		list = append(list, listed{p.name(), p.version(), p.member("description"), p.File})
	}
	var page bytes.Buffer
	err := packageListTemplate.Execute(&page, map[string]any{"Site": site, "Packages": list})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", filePolicy)
	newRepresentation("text/html; charset=utf-8", page.Bytes()).serve(w, req.Request, http.StatusOK)
	return nil
}

var packageListTemplate = template.Must(template.New("packages").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Packages</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
</head>
<body>
<main>
<h1>Packages</h1>
<p>A new application, for which only Node is needed:</p>
<pre><code>npx {{.Site}}/packages/create-weft.tgz my-app --server {{.Site}}</code></pre>
<p>An existing application installs the packages from this server if its file <code>.npmrc</code> has the first line:</p>
<pre><code>@weft:registry={{.Site}}/packages/

npm install @weft/client @weft/react</code></pre>
<p>A page without a build step:</p>
<pre><code>&lt;script type="module"&gt;
  import { createClient } from '{{.Site}}/client/weft.js'
&lt;/script&gt;</code></pre>
<h2>Tarballs</h2>
<dl>
{{- range .Packages}}
<dt><a href="/packages/{{.File}}">{{.Name}} {{.Version}}</a></dt>
<dd>{{.Description}}</dd>
{{- end}}
</dl>
</main>
</body>
</html>
`))
