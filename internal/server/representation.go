package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// A representation is a response that is the same for all callers, with its ETag prepared.
type representation struct {
	contentType  string
	tag          string // ETag
	cacheControl string
	body         []byte
	gzip         func() []byte // compresses the body at the first call and returns it; nil if compression saves less than a tenth
	brotli       []byte        // the body as compressed by the build; nil for bodies that the build did not compress, because Brotli is slow
}

const cacheForever = "public, max-age=31536000, immutable"

// newRepresentation prepares a body. Caches may store it but must revalidate it.
func newRepresentation(contentType string, body []byte) representation {
	sum := sha256.Sum256(body)
	// The tag is weak because the compressed forms share it.
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	gzip := sync.OnceValue(func() []byte { return compressGzip(body) })
	return representation{contentType: contentType, tag: tag, cacheControl: "no-cache", body: body, gzip: gzip}
}

// compressGzip returns the compressed body, or nil if compression saves less than a tenth.
func compressGzip(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(body)
	if errors.Join(err, w.Close()) != nil || b.Len() > len(body)*9/10 {
		return nil
	}
	return b.Bytes()
}

// serve writes the smallest form that the client accepts, or status 304 if the client already has the body.
func (v representation) serve(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	h.Set("ETag", v.tag)
	h.Set("Cache-Control", v.cacheControl)
	h.Set("Vary", "Accept-Encoding")
	if status == http.StatusOK && matchesTag(r.Header.Get("If-None-Match"), v.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := v.body
	switch codings := r.Header.Get("Accept-Encoding"); {
	case v.brotli != nil && acceptsCoding(codings, "br"):
		h.Set("Content-Encoding", "br")
		body = v.brotli
	case acceptsCoding(codings, "gzip"):
		if compressed := v.gzip(); compressed != nil {
			h.Set("Content-Encoding", "gzip")
			body = compressed
		}
	}
	h.Set("Content-Type", v.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body) //nolint:errcheck // the connection is closed, so the error cannot be reported
	}
}

func matchesTag(ifNoneMatch, tag string) bool {
	for known := range strings.SplitSeq(ifNoneMatch, ",") {
		known = strings.TrimSpace(known)
		if known == "*" || strings.TrimPrefix(known, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

func acceptsCoding(acceptEncoding, coding string) bool {
	for entry := range strings.SplitSeq(acceptEncoding, ",") {
		name, parameters, _ := strings.Cut(entry, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			weight, ok := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
			return !ok || strings.Trim(weight, "0.") != ""
		}
	}
	return false
}
