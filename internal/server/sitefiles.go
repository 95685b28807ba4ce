package server

import (
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/site/page"
)

// loadSiteFiles reads the built site into memory. It returns the files by their path, each with its .br variant;
// index.html is returned separately. If index.html is missing, index is a bare document.
func loadSiteFiles(site fs.FS) (files map[string]representation, index []byte, err error) {
	files, index = map[string]representation{}, []byte(page.EmptyIndex)
	err = fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
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
		if original, ok := strings.CutSuffix("/"+name, ".br"); ok {
			v := files[original] // WalkDir has visited the original before
			v.brotli = body
			files[original] = v
			return nil
		}
		v := newRepresentation(contentTypeOf(name), body)
		if hashedName.MatchString(name) {
			v.cacheControl = cacheForever
		}
		files["/"+name] = v
		return nil
	})
	if err != nil {
		return nil, nil, graph.Wrap(graph.Internal, err, "the built site cannot be read")
	}
	return files, index, nil
}

// hashedName matches files whose name contains a hash of their content.
var hashedName = regexp.MustCompile(`^(client/)?assets/.*-[\w-]{8}\.\w+(\.map)?$`)

// contentTypeOf returns the content type for the extension of a file. Unlike mime.TypeByExtension it does not depend on the machine.
func contentTypeOf(name string) string {
	if contentType, ok := contentTypes[strings.ToLower(path.Ext(name))]; ok {
		return contentType
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
	".tgz":         "application/gzip",
	".ts":          "application/typescript; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff2":       "font/woff2",
	".xml":         "application/xml",
}
