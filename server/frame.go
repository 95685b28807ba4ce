package server

import (
	"bytes"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// A frame is the document in which the code of widgets runs that are not trusted with the page. It is made when
// somebody first asks.
type frame struct {
	once     sync.Once
	err      error
	document representation
	policy   string
}

// frameScript is the file of the built site that runs in a frame.
const frameScript = "assets/frame.js"

func (s *Server) widgetFrame(w http.ResponseWriter, q *request) error {
	f := &s.frame
	f.once.Do(func() { f.err = f.make(s.options) })
	if f.err != nil {
		return f.err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", f.policy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Del("Cross-Origin-Opener-Policy") // a browser that follows it shows no sandboxed document by itself
	f.document.serve(w, q.Request, http.StatusOK)
	return nil
}

func (f *frame) make(o Options) error {
	if o.Site == nil {
		return graph.Errorf(graph.NotFound, "there is no frame: the site was not built")
	}
	script, err := fs.ReadFile(o.Site, frameScript)
	if err != nil {
		return graph.Wrap(graph.NotFound, err, "there is no frame: the site was not built")
	}
	if bytes.Contains(bytes.ToLower(script), []byte("</script")) {
		return graph.Errorf(graph.Internal, "%s would end the element it stands in", frameScript)
	}
	text := strings.ReplaceAll(string(script), "\r\n", "\n") // as browsers read it before they hash it
	f.document = represent("text/html; charset=utf-8", []byte(`<!doctype html><html lang="en"><head><meta charset="utf-8">`+
		`<meta name="viewport" content="width=device-width, initial-scale=1"><title>Widget</title></head><body><script>`+
		text+`</script></body></html>`))
	f.policy = framePolicy(text, o.Policies.libraries())
	return nil
}

// framePolicy leaves a frame no network: what runs in it draws, and speaks to the page. The script is named by
// its hash, because what it compiles would inherit a nonce. The sandbox is that of the element; it holds for
// whoever opens the document by itself as well.
func framePolicy(script string, libraries page.Libraries) string {
	return "default-src 'none'; script-src " + page.HashSource(script) + " 'unsafe-eval'" + libraries.Scripts() +
		"; style-src 'unsafe-inline'" + libraries.Styles() + "; img-src 'self' data:; font-src data:" +
		"; connect-src 'none'; frame-src 'none'; worker-src 'none'; form-action 'none'; base-uri 'none'" +
		"; frame-ancestors 'self'; sandbox allow-scripts"
}
