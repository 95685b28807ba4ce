package server

import (
	"bytes"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// A frame is the document in which the code of untrusted widgets runs. It is built at the first request.
type frame struct {
	site     fs.FS // the built site; nil when there is none
	policies *Policies

	once     sync.Once
	err      error
	document representation
	policy   string
	// connections is the header Connection-Allowlist.
	connections string
}

// frameScript is the file of the built site that runs in a frame.
const frameScript = "assets/frame.js"

// serve writes the document.
func (f *frame) serve(w http.ResponseWriter, req *request) error {
	f.once.Do(func() { f.err = f.build() })
	if f.err != nil {
		return f.err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", f.policy)
	h.Set("Connection-Allowlist", f.connections)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Del("Cross-Origin-Opener-Policy") // browsers that implement this header refuse to open a sandboxed document as a page
	f.document.serve(w, req.Request, http.StatusOK)
	return nil
}

func (f *frame) build() error {
	if f.site == nil {
		return graph.Errorf(graph.NotFound, "the site was not built, so it has no frame")
	}
	script, err := fs.ReadFile(f.site, frameScript)
	if err != nil {
		return graph.Wrap(graph.NotFound, err, "the site was not built, so it has no frame")
	}
	if bytes.Contains(bytes.ToLower(script), []byte("</script")) {
		return graph.Errorf(graph.Internal, "%s contains </script, which would end its own element", frameScript)
	}
	text := strings.ReplaceAll(string(script), "\r\n", "\n") // browsers compute the hash of a script with normalised line ends
	f.document = newRepresentation("text/html; charset=utf-8", []byte(`<!doctype html><html lang="en"><head><meta charset="utf-8">`+
		`<meta name="viewport" content="width=device-width, initial-scale=1"><title>Widget</title></head><body><script>`+
		text+`</script></body></html>`))
	f.policy = framePolicy(text, f.policies.libraries())
	f.connections = frameConnections(f.policies.libraries())
	return nil
}

// frameConnections returns the hosts to which a frame may connect, for the header Connection-Allowlist. A
// Content-Security-Policy is not enough: it refuses requests, but for frames inside the frame and for navigations of
// the frame itself, browsers may resolve a name and open a connection before they check the policy. The policy does not
// cover peer connections, either. Browsers that do not implement the header ignore it; docs/security.md describes the
// remaining risk.
func frameConnections(libraries page.Libraries) string {
	list := []string{"response-origin"}
	for _, origin := range libraries.Origins() {
		list = append(list, strconv.Quote(origin+"/*"))
	}
	return "(" + strings.Join(list, " ") + ")"
}

// framePolicy returns a Content-Security-Policy without network access: code in a frame can only draw and send messages
// to the page. The script is allowed by its hash, because the code that it compiles would inherit a nonce. The sandbox
// directive repeats the attribute of the iframe element, in case the document is opened as a page.
func framePolicy(script string, libraries page.Libraries) string {
	return "default-src 'none'; script-src " + page.HashSource(script) + " 'unsafe-eval'" + libraries.Scripts() +
		"; style-src 'unsafe-inline'" + libraries.Styles() + "; img-src 'self' data:; font-src data:" +
		"; connect-src 'none'; frame-src 'none'; child-src 'none'; object-src 'none'; worker-src 'none'; form-action 'none'; base-uri 'none'" +
		"; frame-ancestors 'self'; sandbox allow-scripts"
}
