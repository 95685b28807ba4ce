package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/page"
)

// A representation is a body that is sent to everybody, with all that can be known of it beforehand.
type representation struct {
	kind     string // content type
	tag      string // ETag
	cache    string // Cache-Control
	plain    []byte
	small    []byte // the same, gzipped; nil when that does not help
	smallest []byte // the same with Brotli, which takes too long to be done here: nil where the build has not
}

// represent prepares a body. Caches may keep it, but have to ask whether it is still the same.
func represent(kind string, body []byte) representation {
	sum := sha256.Sum256(body)
	// Weak, because the compressed bodies have the same tag.
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return representation{kind: kind, tag: tag, cache: "no-cache", plain: body, small: compressed(body)}
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	if errors.Join(err, w.Close()) != nil || b.Len() > len(body)*9/10 {
		return nil
	}
	return b.Bytes()
}

func (v representation) serve(w http.ResponseWriter, r *http.Request, code int) {
	h := w.Header()
	h.Set("ETag", v.tag)
	h.Set("Cache-Control", v.cache)
	h.Set("Vary", "Accept-Encoding")
	if code == http.StatusOK && matchesTag(r.Header.Get("If-None-Match"), v.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := v.plain
	switch codings := r.Header.Get("Accept-Encoding"); {
	case v.smallest != nil && accepts(codings, "br"):
		h.Set("Content-Encoding", "br")
		body = v.smallest
	case v.small != nil && accepts(codings, "gzip"):
		h.Set("Content-Encoding", "gzip")
		body = v.small
	}
	h.Set("Content-Type", v.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	if r.Method != http.MethodHead {
		w.Write(body) //nolint:errcheck // the reader has gone; there is nobody to tell
	}
}

func matchesTag(header, tag string) bool {
	for known := range strings.SplitSeq(header, ",") {
		known = strings.TrimSpace(known)
		if known == "*" || strings.TrimPrefix(known, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

func accepts(header, coding string) bool {
	for one := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q, ok := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return !ok || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

// siteFiles reads the built site into memory: its files by their address, each with what ends in .br
// beside it, and its index.html.
func siteFiles(site fs.FS) (map[string]representation, []byte, error) {
	files, index := map[string]representation{}, []byte(page.Bare)
	err := fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(path.Base(name), ".") {
			return err
		}
		body, err := fs.ReadFile(site, name)
		if err != nil {
			return err
		}
		if name == "index.html" {
			index = body
			return nil
		}
		if whole, ok := strings.CutSuffix("/"+name, ".br"); ok {
			v := files[whole] // comes before it
			v.smallest = body
			files[whole] = v
			return nil
		}
		v := represent(contentType(name), body)
		if hashed.MatchString(name) {
			v.cache = "public, max-age=31536000, immutable"
		}
		files["/"+name] = v
		return nil
	})
	if err != nil {
		return nil, nil, graph.Wrap(graph.Internal, err, "the built site cannot be read")
	}
	return files, index, nil
}

// hashed is a file whose name says what is in it: another content has another name.
var hashed = regexp.MustCompile(`^assets/.*-[\w-]{8}\.\w+(\.map)?$`)

// contentType does not ask the machine, whose answers differ.
func contentType(name string) string {
	if kind, ok := contentTypes[strings.ToLower(path.Ext(name))]; ok {
		return kind
	}
	return "application/octet-stream"
}

var contentTypes = map[string]string{
	".avif":        "image/avif",
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".jpg":         "image/jpeg",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json; charset=utf-8",
	".map":         "application/json; charset=utf-8",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff2":       "font/woff2",
	".xml":         "application/xml",
}
