package server

import (
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
)

// consolePath is the address of the console. A path below it is a state of the console or one of its files.
const consolePath = "/console"

// consolePolicy is the Content-Security-Policy of the console. Frames show previews of pages, workers lay out graphs, and
// pictures may come from memory before they are uploaded.
const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; " +
	"img-src 'self' data: blob:; frame-src 'self'; worker-src 'self' blob:; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A consoleAPI serves the built console: its files below /console/, and index.html for every other path, because the
// console itself reads the path.
type consoleAPI struct{ load func() (*consoleFiles, error) }

// consoleFiles holds the built files. If the console was not built, files is empty and index is a page that says
// so.
type consoleFiles struct {
	files map[string]representation // keyed by path below consolePath, with a leading slash
	index representation
}

func newConsoleAPI(built fs.FS) *consoleAPI {
	return &consoleAPI{load: sync.OnceValues(func() (*consoleFiles, error) { return readConsole(built) })}
}

func (a *consoleAPI) routes() []route {
	page := rawEndpoint("text/html", a.serve)
	return []route{
		{"GET", consolePath, noBody, page, "The console, as a page: see and edit the data of the caller", requestShape{}},
		{"GET", consolePath + "/{path...}", noBody, page, "A state of the console, or one of its files", requestShape{}},
	}
}

func readConsole(built fs.FS) (*consoleFiles, error) {
	missing := newRepresentation(contentTypes[".html"], []byte(consoleNotBuilt))
	if built == nil {
		return &consoleFiles{index: missing}, nil
	}
	index, err := fs.ReadFile(built, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		return &consoleFiles{index: missing}, nil
	}
	if err != nil {
		return nil, graph.Wrap(graph.Internal, err, "the built console cannot be read")
	}
	files, _, err := loadSiteFiles(built)
	if err != nil {
		return nil, err
	}
	return &consoleFiles{files: files, index: newRepresentation(contentTypes[".html"], index)}, nil
}

// serve writes a file of the console, or its page. The error for a missing file is NotFound: a browser with the page of
// an older build must not receive the page in place of a script.
func (a *consoleAPI) serve(w http.ResponseWriter, req *request) error {
	built, err := a.load()
	if err != nil {
		return err
	}
	path := strings.TrimPrefix(req.URL.Path, consolePath)
	w.Header().Set("Content-Security-Policy", consolePolicy)
	if file, ok := built.files[path]; ok {
		file.serve(w, req.Request, http.StatusOK)
		return nil
	}
	if strings.HasPrefix(path, "/assets/") {
		return graph.Errorf(graph.NotFound, "the console has no file %s; reload the page to get the current version", graph.Clip(path))
	}
	built.index.serve(w, req.Request, http.StatusOK)
	return nil
}

const consoleNotBuilt = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
	`<meta name="color-scheme" content="light dark"><title>Console</title></head><body><h1>This server has no console</h1>` +
	"<p>The program was built without it. <code>make build</code> builds a program that has it.</p></body></html>\n"
