package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/wire"
)

// uploaded is the response as clients of the contract read it.
type uploaded struct {
	Data, URL, Small, Name, Kind, Message string
	Success                               bool
}

// serveWithUploads starts a server that accepts uploads.
func serveWithUploads(t *testing.T, store graph.Store, change ...func(*server.Options)) *servertest.Server {
	t.Helper()
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	return serveWithBlobs(t, store, disk, change...)
}

// serveWithBlobs starts a server that keeps uploads in the given blob store.
func serveWithBlobs(t *testing.T, store graph.Store, blobs blob.Store, change ...func(*server.Options)) *servertest.Server {
	t.Helper()
	limits := upload.Limits{Image: 1 << 20, File: 8 << 20, Quota: 32 << 20}
	uploads := upload.New(kv.In(store), blobs, upload.Options{Limits: limits, Spool: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	setUploads := func(o *server.Options) { o.Uploads = uploads }
	return servertest.Serve(t, store, append([]func(*server.Options){setUploads}, change...)...)
}

// inSQLite returns an empty SQLite store.
func inSQLite(t *testing.T) graph.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// form returns a multipart body with one file.
func form(t *testing.T, field, name, kind string, content []byte) (contentType string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	if err := w.WriteField("note", "other fields do no harm"); err != nil {
		t.Fatal(err)
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(field, name)}, "Content-Type": {kind},
	})
	if err == nil {
		_, err = part.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), body
}

func (c caller) upload(path, field, name, kind string, content []byte) uploaded {
	c.t.Helper()
	contentType, body := form(c.t, field, name, kind, content)
	var u uploaded
	c.mustDo(http.MethodPost, path, contentType, body, &u)
	return u
}

// uploadRejected uploads a file that the server must reject, and returns the status and the error.
func (c caller) uploadRejected(path, field, name, kind string, content []byte) (int, wire.Error) {
	c.t.Helper()
	contentType, body := form(c.t, field, name, kind, content)
	var e wire.Error
	return c.do(http.MethodPost, path, contentType, body, &e), e
}

func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	p := image.NewGray(image.Rect(0, 0, w, h))
	p.SetGray(0, 0, color.Gray{255})
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A head is a response without its body.
type head struct {
	Status        string
	StatusCode    int
	Header        http.Header
	ContentLength int64
}

func fetch(t *testing.T, method, url string, header http.Header) (head, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return head{response.Status, response.StatusCode, response.Header, response.ContentLength}, content
}

func TestUploads(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": memory.New(), "SQLite": inSQLite(t)} {
		t.Run(name, func(t *testing.T) {
			s := serveWithUploads(t, store)
			c := newCaller(t, s)
			t.Run("serves a picture", func(t *testing.T) { testPictureIsServed(t, c.in(t), s.URL) })
			t.Run("serves a document", func(t *testing.T) { testDocumentIsServed(t, c.in(t)) })
			t.Run("only the owner and admins list and remove uploads", func(t *testing.T) { testOwnership(t, c.in(t), s) })
		})
	}
}

func testPictureIsServed(t *testing.T, c caller, base string) {
	u := c.upload("/api/Image/UploadImage", "image", "holiday.jpg", "image/jpeg", picture(t, 800, 600))
	if !u.Success || u.Data != u.URL || u.Message != "Upload Success" || u.Data != base+"/uploads/"+u.Name || !strings.HasSuffix(u.Name, ".jpg") {
		t.Errorf("the response is %+v; want Upload Success and equal URLs that end in .jpg", u)
	}
	response, content := fetch(t, http.MethodGet, u.Data, nil)
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff", "Content-Disposition": "inline; filename=holiday.jpg",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
		"Cache-Control":           "public, max-age=31536000, immutable", "Etag": `"` + u.Name + `"`, "Accept-Ranges": "bytes",
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q; want %q", name, got, want)
		}
	}
	if full, _, err := image.Decode(bytes.NewReader(content)); err != nil || full.Bounds().Dx() != 800 {
		t.Errorf("the picture cannot be read or is not 800 pixels wide: %v", err)
	}
	small := strings.Replace(u.Data, ".jpg", "_small.jpg", 1)
	if u.Small != small {
		t.Errorf("the small variant is at %q; want %q", u.Small, small)
	}
	if _, content := fetch(t, http.MethodGet, small, nil); len(content) > 0 {
		if variant, _, err := image.Decode(bytes.NewReader(content)); err != nil || variant.Bounds().Dx() != 400 {
			t.Errorf("the small variant cannot be read or is not 400 pixels wide: %v", err)
		}
	}
	part, partContent := fetch(t, http.MethodGet, u.Data, http.Header{"Range": {"bytes=2-5"}})
	if part.StatusCode != http.StatusPartialContent || !bytes.Equal(partContent, content[2:6]) {
		t.Errorf("the range 2-5: %s, %d bytes; want 206 and 4 bytes", part.Status, len(partContent))
	}
	if unchanged, _ := fetch(t, http.MethodGet, u.Data, http.Header{"If-None-Match": {`"` + u.Name + `"`}}); unchanged.StatusCode != http.StatusNotModified {
		t.Errorf("a request with the ETag: %s; want 304", unchanged.Status)
	}
	if head, body := fetch(t, http.MethodHead, u.Data, nil); head.StatusCode != http.StatusOK || len(body) != 0 || head.ContentLength != int64(len(content)) {
		t.Errorf("HEAD: %s, length %d; want 200 and %d", head.Status, head.ContentLength, len(content))
	}
	v2 := c.upload("/api/Image/UploadImageV2", "whatever", "b.png", "image/png", asPNG(t))
	if v2.Kind != "image/png" || v2.Small == "" || v2.URL == "" {
		t.Errorf("the response of UploadImageV2 is %+v; want kind image/png and both addresses", v2)
	}
}

func asPNG(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 9))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func testDocumentIsServed(t *testing.T, c caller) {
	for _, row := range []struct{ name, kind, content, servedType, disposition string }{
		{"a.txt", "text/plain", "plain", "text/plain; charset=utf-8", "inline"},
		{"evil.txt", "text/plain", "<script>alert(1)</script>", "text/plain; charset=utf-8", "inline"},
		{"evil.html", "text/plain", "<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8", "inline"},
		{"README.md", "", "# Title <script>", "text/markdown; charset=utf-8", "attachment"},
		{"a.pdf", "application/pdf", "%PDF-1.4", "application/pdf", "inline"},
		{"Übung 1.pdf", "application/pdf", "%PDF-1.4", "application/pdf", "inline"},
	} {
		u := c.upload("/api/Image/UploadFile", "file", row.name, row.kind, []byte(row.content))
		response, content := fetch(t, http.MethodGet, u.Data, nil)
		disposition, _, _ := strings.Cut(response.Header.Get("Content-Disposition"), ";")
		if got := response.Header.Get("Content-Type"); got != row.servedType || disposition != row.disposition || string(content) != row.content {
			t.Errorf("%s is served as %q, %q with content %q; want %q, %q, %q", row.name, got, disposition, content, row.servedType, row.disposition, row.content)
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("the policy of %s = %q; want default-src 'none' first", row.name, policy)
		}
		if strings.Contains(u.Name, ".html") {
			t.Errorf("%s has the name %s", row.name, u.Name)
		}
	}
}

func testOwnership(t *testing.T, c caller, s *servertest.Server) {
	ann := c.withToken(servertest.SignUp(t, s.URL, "ann@example.org"))
	ben := c.withToken(servertest.SignUp(t, s.URL, "ben@example.org"))
	admin := c.withToken(servertest.Admin(t, s, "admin@example.org"))
	anns := ann.upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("her file"))
	guests := c.upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("a guest's"))
	var list struct {
		Uploads []struct{ Name, URL, Original string }
		Next    string
	}
	ann.get("/api/uploads", &list)
	if len(list.Uploads) != 1 || list.Uploads[0].Name != anns.Name || list.Uploads[0].Original != "a.txt" || list.Uploads[0].URL != anns.URL || list.Next != "" {
		t.Errorf("the list = %+v; want only Ann's a.txt, and no cursor", list)
	}
	for _, row := range []struct {
		who  string
		c    caller
		name string
		want int
	}{
		{"a guest", c, anns.Name, http.StatusForbidden},
		{"another user", ben, anns.Name, http.StatusForbidden},
		{"a guest, an upload of a guest", c, guests.Name, http.StatusForbidden},
		{"a user, an upload of a guest", ben, guests.Name, http.StatusForbidden},
		{"the owner", ann, anns.Name, http.StatusOK},
		{"the owner, again", ann, anns.Name, http.StatusNotFound},
		{"an admin", admin, guests.Name, http.StatusOK},
		{"a guest, nothing", c, "..%2f..%2fetc%2fpasswd", http.StatusNotFound},
	} {
		var responseBody json.RawMessage
		if status := row.c.do(http.MethodDelete, "/api/uploads/"+row.name, "", nil, &responseBody); status != row.want {
			t.Errorf("removal by %s: status %d %s; want %d", row.who, status, responseBody, row.want)
		}
	}
	if removed, _ := fetch(t, http.MethodGet, anns.URL, nil); removed.StatusCode != http.StatusNotFound {
		t.Errorf("a removed upload: %s", removed.Status)
	}
	var e wire.Error
	if status := c.do(http.MethodGet, "/api/uploads", "", nil, &e); status != http.StatusUnauthorized {
		t.Errorf("the list of a guest: status %d %+v; want 401", status, e)
	}
	var key struct {
		Text string `json:"key"`
	}
	ann.postJSON("/api/auth/keys", map[string]any{"name": "reads", "write": false}, &key)
	reader := c.withToken(key.Text)
	if status, e := reader.uploadRejected("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x")); status != http.StatusForbidden {
		t.Errorf("upload with a read-only key: status %d %+v; want 403", status, e)
	}
}

func TestUploadIsRejected(t *testing.T) {
	s := serveWithUploads(t, memory.New())
	c := newCaller(t, s)
	const imagePath, filePath = "/api/Image/UploadImage", "/api/Image/UploadFile"
	for _, row := range []struct {
		path, field, name, kind string
		content                 []byte
		want                    int
		message                 string // part of the error message
	}{
		{imagePath, "image", "a.svg", "image/svg+xml", []byte("<svg onload=alert(1)>"), 400, "invalid file format"},
		{imagePath, "image", "a.jpg", "image/jpeg", []byte("<svg onload=alert(1)>"), 400, "invalid file format"},
		{imagePath, "image", "a.gif", "image/gif", []byte("GIF89a"), 400, "invalid file format"},
		{imagePath, "file", "a.jpg", "image/jpeg", picture(t, 9, 9), 400, `"image"`},
		{imagePath, "image", "a.jpg", "image/jpeg", picture(t, 900, 900)[:2000], 400, "damaged"},
		{imagePath, "image", "a.jpg", "image/jpeg", append(picture(t, 9, 9), make([]byte, 1<<20)...), 413, "1048576"},
		{filePath, "file", "a.html", "text/html", []byte("<!doctype html>"), 400, "invalid file format"},
		{filePath, "file", "a.docm", "application/vnd.ms-word.document.macroEnabled.12", []byte("PK\x03\x04[Content_Types].xml word/vbaProject.bin PK\x05\x06"), 400, "invalid file format"},
		{filePath, "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 8<<20+1), 413, "8388608"},
		{filePath, "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 10<<20), 413, "the limit is"},
		{filePath, "file", "a.txt", "text/plain", nil, 400, "empty"},
	} {
		status, e := c.uploadRejected(row.path, row.field, row.name, row.kind, row.content)
		if status != row.want || !strings.Contains(e.Message, row.message) {
			t.Errorf("%s as %s to %s: %d %q; want %d and %q", row.name, row.kind, row.path, status, e.Message, row.want, row.message)
		}
	}
	var e wire.Error
	if status := c.do(http.MethodPost, filePath, asJSON, strings.NewReader(`{"file":"x"}`), &e); status != http.StatusBadRequest || !strings.Contains(e.Message, "multipart") {
		t.Errorf("JSON: %d %+v", status, e)
	}
	remaining, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "blob/"})
	if err != nil || len(remaining) != 0 {
		t.Errorf("%d entries remain, %v", len(remaining), err)
	}
	var limit struct {
		MaxImageSize, MaxFileSize int64
		ImageTypes, FileTypes     []string
	}
	c.get("/api/upload/limit", &limit)
	if limit.MaxImageSize != 1<<20 || limit.MaxFileSize != 8<<20 || !slices.Contains(limit.ImageTypes, "image/webp") || !slices.Contains(limit.FileTypes, "text/csv") {
		t.Errorf("the limits = %+v; want 1 MiB for images and 8 MiB for files, with image/webp and text/csv", limit)
	}
}

func TestGuestsCannotUploadByDefault(t *testing.T) {
	s := serveWithUploads(t, memory.New(), func(o *server.Options) { o.AnonymousWrites = false })
	c := newCaller(t, s)
	if status, e := c.uploadRejected("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x")); status != http.StatusUnauthorized {
		t.Errorf("a guest: %d %+v", status, e)
	}
	c.withToken(servertest.SignUp(t, s.URL, "ann@example.org")).upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x"))
}

// Uploads must work on a server that has no memory left for request bodies.
func TestUploadsNeedNoBodyMemory(t *testing.T) {
	s := serveWithUploads(t, memory.New(), func(o *server.Options) { o.Limits.Bodies = 1 })
	c := newCaller(t, s)
	var e wire.Error
	if status := c.do(http.MethodPost, "/api/get_concept_bulk", asJSON, strings.NewReader("[1"+strings.Repeat(" ", 2<<20)+"]"), &e); status != http.StatusServiceUnavailable {
		t.Fatalf("a body that needs memory: %d %+v; the test proves nothing", status, e)
	}
	c.upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 6<<20))
}

func TestFailingBucketLeavesNoPartialUpload(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "very secret")
	bucket, err := blob.OpenS3("s3://uploads?region=us-east-1&endpoint=" + url.QueryEscape("http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := serveWithBlobs(t, memory.New(), bucket, func(o *server.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	status, e := newCaller(t, s).uploadRejected("/api/Image/UploadImage", "image", "a.jpg", "image/jpeg", picture(t, 9, 9))
	if status != http.StatusServiceUnavailable || e.Kind != graph.Unavailable || strings.Contains(e.Message, "127.0.0.1") {
		t.Errorf("status %d %+v; want 503, unavailable, without the address of the store", status, e)
	}
	if !strings.Contains(log.String(), "127.0.0.1:1") || strings.Contains(log.String(), "very secret") {
		t.Errorf("the log = %s; want the address of the store, 127.0.0.1:1, and not its secret", log.String())
	}
	if remaining, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "blob/"}); err != nil || len(remaining) != 0 {
		t.Errorf("%d entries remain, %v", len(remaining), err)
	}
}

func TestServerWithoutUploadsIsUnavailable(t *testing.T) {
	c := newCaller(t, servertest.Start(t))
	if status, e := c.uploadRejected("/api/Image/UploadImage", "image", "a.jpg", "image/jpeg", picture(t, 9, 9)); status != http.StatusServiceUnavailable || e.Kind != graph.Unavailable {
		t.Errorf("status %d %+v; want 503, unavailable", status, e)
	}
}

func TestTruncatedUploadLeavesNothing(t *testing.T) {
	s := serveWithUploads(t, memory.New())
	contentType, body := form(t, "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 1<<20))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/Image/UploadFile",
		io.MultiReader(io.LimitReader(body, 1<<19), failingReader{}))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	if response, err := http.DefaultClient.Do(r); err == nil {
		response.Body.Close()
		t.Errorf("status %d; want no response", response.StatusCode)
	}
	newCaller(t, s).upload("/api/Image/UploadFile", "file", "b.txt", "text/plain", []byte("the next one"))
	if remaining, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "blob/record/"}); err != nil || len(remaining) != 1 {
		t.Errorf("there are %d records, %v; want 1", len(remaining), err)
	}
}

func TestUploadURLsStartWithThePublicURL(t *testing.T) {
	s := serveWithUploads(t, memory.New(), func(o *server.Options) { o.PublicURL = "https://files.test" })
	u := newCaller(t, s).upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x"))
	if want := fmt.Sprintf("https://files.test/uploads/%s", u.Name); u.Data != want {
		t.Errorf("the URL is %s; want %s", u.Data, want)
	}
}
