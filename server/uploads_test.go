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

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/store/sqlite"
	"github.com/weft-graph/weft/upload"
	"github.com/weft-graph/weft/wire"
)

// uploaded is the answer as clients of the contract see it.
type uploaded struct {
	Data, URL, Small, Name, Kind, Message string
	Success                               bool
}

// storing starts a server that takes uploads, on a kind of database.
func storing(t *testing.T, store graph.Store, change ...func(*server.Options)) *servertest.Server {
	t.Helper()
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	return storingIn(t, store, disk, change...)
}

func storingIn(t *testing.T, store graph.Store, blobs blob.Store, change ...func(*server.Options)) *servertest.Server {
	t.Helper()
	limits := upload.Limits{Image: 1 << 20, File: 8 << 20, Quota: 32 << 20}
	uploads := upload.New(kv.In(store), blobs, limits, t.TempDir(), slog.New(slog.DiscardHandler))
	with := func(o *server.Options) { o.Uploads = uploads }
	return servertest.Serve(t, store, append([]func(*server.Options){with}, change...)...)
}

func inSQLite(t *testing.T) graph.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// form is a multipart body with one file.
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
	c.ok(http.MethodPost, path, contentType, body, &u)
	return u
}

// cannot returns the status and the error of an upload that is not taken.
func (c caller) cannot(path, field, name, kind string, content []byte) (int, wire.Error) {
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

// A heading is what an answer says before its content.
type heading struct {
	Status        string
	StatusCode    int
	Header        http.Header
	ContentLength int64
}

func fetch(t *testing.T, method, url string, header http.Header) (heading, []byte) {
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
	return heading{response.Status, response.StatusCode, response.Header, response.ContentLength}, content
}

func TestUploads(t *testing.T) {
	for name, store := range map[string]graph.Store{"memory": memory.New(), "SQLite": inSQLite(t)} {
		t.Run(name, func(t *testing.T) {
			s := storing(t, store)
			c := call(t, s)
			t.Run("a picture is served as it should be", func(t *testing.T) { pictureIsServed(t, c.in(t), s.URL) })
			t.Run("a document is served as it should be", func(t *testing.T) { documentIsServed(t, c.in(t)) })
			t.Run("lists and removals are the owner's", func(t *testing.T) { ownersRule(t, c.in(t), s) })
		})
	}
}

func pictureIsServed(t *testing.T, c caller, base string) {
	u := c.upload("/api/Image/UploadImage", "image", "holiday.jpg", "image/jpeg", picture(t, 800, 600))
	if !u.Success || u.Data != u.URL || u.Message != "Upload Success" || u.Data != base+"/uploads/"+u.Name || !strings.HasSuffix(u.Name, ".jpg") {
		t.Errorf("answered %+v", u)
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
	if whole, _, err := image.Decode(bytes.NewReader(content)); err != nil || whole.Bounds().Dx() != 800 {
		t.Errorf("it cannot be seen: %v", err)
	}
	small := strings.Replace(u.Data, ".jpg", "_small.jpg", 1)
	if u.Small != small {
		t.Errorf("the small variant is at %q; want %q", u.Small, small)
	}
	if _, content := fetch(t, http.MethodGet, small, nil); len(content) > 0 {
		if little, _, err := image.Decode(bytes.NewReader(content)); err != nil || little.Bounds().Dx() != 400 {
			t.Errorf("the small variant cannot be seen: %v", err)
		}
	}
	part, some := fetch(t, http.MethodGet, u.Data, http.Header{"Range": {"bytes=2-5"}})
	if part.StatusCode != http.StatusPartialContent || !bytes.Equal(some, content[2:6]) {
		t.Errorf("a part: %s, %d bytes", part.Status, len(some))
	}
	if same, _ := fetch(t, http.MethodGet, u.Data, http.Header{"If-None-Match": {`"` + u.Name + `"`}}); same.StatusCode != http.StatusNotModified {
		t.Errorf("again: %s", same.Status)
	}
	if head, none := fetch(t, http.MethodHead, u.Data, nil); head.StatusCode != http.StatusOK || len(none) != 0 || head.ContentLength != int64(len(content)) {
		t.Errorf("its head: %s, %d", head.Status, head.ContentLength)
	}
	v2 := c.upload("/api/Image/UploadImageV2", "whatever", "b.png", "image/png", asPNG(t))
	if v2.Kind != "image/png" || v2.Small == "" || v2.URL == "" {
		t.Errorf("UploadImageV2 answered %+v", v2)
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

func documentIsServed(t *testing.T, c caller) {
	for _, row := range []struct{ name, kind, content, served, how string }{
		{"a.txt", "text/plain", "plain", "text/plain; charset=utf-8", "inline"},
		{"evil.txt", "text/plain", "<script>alert(1)</script>", "text/plain; charset=utf-8", "inline"},
		{"evil.html", "text/plain", "<!doctype html><script>alert(1)</script>", "text/plain; charset=utf-8", "inline"},
		{"README.md", "", "# Title <script>", "text/markdown; charset=utf-8", "attachment"},
		{"a.pdf", "application/pdf", "%PDF-1.4", "application/pdf", "inline"},
		{"Übung 1.pdf", "application/pdf", "%PDF-1.4", "application/pdf", "inline"},
	} {
		u := c.upload("/api/Image/UploadFile", "file", row.name, row.kind, []byte(row.content))
		response, content := fetch(t, http.MethodGet, u.Data, nil)
		how, _, _ := strings.Cut(response.Header.Get("Content-Disposition"), ";")
		if got := response.Header.Get("Content-Type"); got != row.served || how != row.how || string(content) != row.content {
			t.Errorf("%s is served as %q, %q: %q", row.name, got, response.Header.Get("Content-Disposition"), content)
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s may do %q", row.name, policy)
		}
		if strings.Contains(u.Name, ".html") {
			t.Errorf("%s is called %s", row.name, u.Name)
		}
	}
}

func ownersRule(t *testing.T, c caller, s *servertest.Server) {
	ann := c.signed(servertest.SignUp(t, s.URL, "ann@example.org"))
	ben := c.signed(servertest.SignUp(t, s.URL, "ben@example.org"))
	admin := c.signed(servertest.Admin(t, s, "admin@example.org"))
	hers := ann.upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("hers"))
	nobodys := c.upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("nobody's"))
	var list struct {
		Uploads []struct{ Name, URL, Original string }
		Next    string
	}
	ann.get("/api/uploads", &list)
	if len(list.Uploads) != 1 || list.Uploads[0].Name != hers.Name || list.Uploads[0].Original != "a.txt" || list.Uploads[0].URL != hers.URL || list.Next != "" {
		t.Errorf("she has %+v", list)
	}
	for _, row := range []struct {
		who  string
		c    caller
		name string
		want int
	}{
		{"a guest", c, hers.Name, http.StatusForbidden},
		{"a stranger", ben, hers.Name, http.StatusForbidden},
		{"a guest, what a guest sent", c, nobodys.Name, http.StatusForbidden},
		{"a user, what a guest sent", ben, nobodys.Name, http.StatusForbidden},
		{"the owner", ann, hers.Name, http.StatusOK},
		{"the owner, again", ann, hers.Name, http.StatusNotFound},
		{"an admin", admin, nobodys.Name, http.StatusOK},
		{"a guest, nothing", c, "..%2f..%2fetc%2fpasswd", http.StatusNotFound},
	} {
		var answer json.RawMessage
		if status := row.c.do(http.MethodDelete, "/api/uploads/"+row.name, "", nil, &answer); status != row.want {
			t.Errorf("%s removing: %d %s; want %d", row.who, status, answer, row.want)
		}
	}
	if gone, _ := fetch(t, http.MethodGet, hers.URL, nil); gone.StatusCode != http.StatusNotFound {
		t.Errorf("what was removed: %s", gone.Status)
	}
	var e wire.Error
	if status := c.do(http.MethodGet, "/api/uploads", "", nil, &e); status != http.StatusUnauthorized {
		t.Errorf("a guest's list: %d %+v", status, e)
	}
	var key struct {
		Text string `json:"key"`
	}
	ann.json("/api/auth/keys", map[string]any{"name": "reads", "write": false}, &key)
	reader := c.signed(key.Text)
	if status, e := reader.cannot("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x")); status != http.StatusForbidden {
		t.Errorf("a key for reading uploads: %d %+v", status, e)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	s := storing(t, memory.New())
	c := call(t, s)
	const toImage, toFile = "/api/Image/UploadImage", "/api/Image/UploadFile"
	for _, row := range []struct {
		path, field, name, kind string
		content                 []byte
		want                    int
		says                    string
	}{
		{toImage, "image", "a.svg", "image/svg+xml", []byte("<svg onload=alert(1)>"), 400, "invalid file format"},
		{toImage, "image", "a.jpg", "image/jpeg", []byte("<svg onload=alert(1)>"), 400, "invalid file format"},
		{toImage, "image", "a.gif", "image/gif", []byte("GIF89a"), 400, "invalid file format"},
		{toImage, "file", "a.jpg", "image/jpeg", picture(t, 9, 9), 400, `"image"`},
		{toImage, "image", "a.jpg", "image/jpeg", picture(t, 900, 900)[:2000], 400, "damaged"},
		{toImage, "image", "a.jpg", "image/jpeg", append(picture(t, 9, 9), make([]byte, 1<<20)...), 413, "1048576"},
		{toFile, "file", "a.html", "text/html", []byte("<!doctype html>"), 400, "invalid file format"},
		{toFile, "file", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", []byte("PK\x03\x04"), 400, "invalid file format"},
		{toFile, "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 8<<20+1), 413, "8388608"},
		{toFile, "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 10<<20), 413, "the most is"},
		{toFile, "file", "a.txt", "text/plain", nil, 400, "empty"},
	} {
		status, e := c.cannot(row.path, row.field, row.name, row.kind, row.content)
		if status != row.want || !strings.Contains(e.Message, row.says) {
			t.Errorf("%s as %s to %s: %d %q; want %d and %q", row.name, row.kind, row.path, status, e.Message, row.want, row.says)
		}
	}
	var e wire.Error
	if status := c.do(http.MethodPost, toFile, asJSON, strings.NewReader(`{"file":"x"}`), &e); status != http.StatusBadRequest || !strings.Contains(e.Message, "multipart") {
		t.Errorf("JSON: %d %+v", status, e)
	}
	left, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "blob/"})
	if err != nil || len(left) != 0 {
		t.Errorf("%d entries are left, %v", len(left), err)
	}
	var limit struct {
		MaxImageSize, MaxFileSize int64
		ImageTypes, FileTypes     []string
	}
	c.get("/api/upload/limit", &limit)
	if limit.MaxImageSize != 1<<20 || limit.MaxFileSize != 8<<20 || !slices.Contains(limit.ImageTypes, "image/webp") || len(limit.FileTypes) != 6 {
		t.Errorf("the limits are %+v", limit)
	}
}

func TestOnlyUsersUploadWhereNobodyWritesUnsigned(t *testing.T) {
	s := storing(t, memory.New(), func(o *server.Options) { o.AnonymousWrites = false })
	c := call(t, s)
	if status, e := c.cannot("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x")); status != http.StatusUnauthorized {
		t.Errorf("a guest: %d %+v", status, e)
	}
	c.signed(servertest.SignUp(t, s.URL, "ann@example.org")).upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x"))
}

// There is no memory for bodies at all; what is uploaded needs none.
func TestUploadsAreNotHeldInMemory(t *testing.T) {
	s := storing(t, memory.New(), func(o *server.Options) { o.Limits.Bodies = 1 })
	c := call(t, s)
	var e wire.Error
	if status := c.do(http.MethodPost, "/api/get_concept_bulk", asJSON, strings.NewReader("[1"+strings.Repeat(" ", 2<<20)+"]"), &e); status != http.StatusServiceUnavailable {
		t.Fatalf("a body that is kept: %d %+v; the test proves nothing", status, e)
	}
	c.upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 6<<20))
}

func TestWithoutABucketNothingIsHalfDone(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "very secret")
	bucket, err := blob.OpenS3("s3://uploads?region=us-east-1&endpoint=" + url.QueryEscape("http://127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := storingIn(t, memory.New(), bucket, func(o *server.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	status, e := call(t, s).cannot("/api/Image/UploadImage", "image", "a.jpg", "image/jpeg", picture(t, 9, 9))
	if status != http.StatusServiceUnavailable || e.Kind != graph.Unavailable || strings.Contains(e.Message, "127.0.0.1") {
		t.Errorf("answered %d %+v", status, e)
	}
	if !strings.Contains(log.String(), "127.0.0.1:1") || strings.Contains(log.String(), "very secret") {
		t.Errorf("the log says %s", log.String())
	}
	if left, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "blob/"}); err != nil || len(left) != 0 {
		t.Errorf("%d entries are left, %v", len(left), err)
	}
}

func TestAServerWithoutUploadsSaysSo(t *testing.T) {
	c := call(t, servertest.Start(t))
	if status, e := c.cannot("/api/Image/UploadImage", "image", "a.jpg", "image/jpeg", picture(t, 9, 9)); status != http.StatusServiceUnavailable || e.Kind != graph.Unavailable {
		t.Errorf("answered %d %+v", status, e)
	}
}

func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
	s := storing(t, memory.New())
	contentType, body := form(t, "file", "a.txt", "text/plain", bytes.Repeat([]byte("a"), 1<<20))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/Image/UploadFile",
		io.MultiReader(io.LimitReader(body, 1<<19), broken{}))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	if response, err := http.DefaultClient.Do(r); err == nil {
		response.Body.Close()
		t.Errorf("answered %d", response.StatusCode)
	}
	call(t, s).upload("/api/Image/UploadFile", "file", "b.txt", "text/plain", []byte("the next one"))
	if left, err := kv.In(s.Store).List(t.Context(), kv.Range{Prefix: "blob/record/"}); err != nil || len(left) != 1 {
		t.Errorf("there are %d records, %v; want 1", len(left), err)
	}
}

func TestAddressesOfUploadsAreWhatTheOperatorSays(t *testing.T) {
	s := storing(t, memory.New(), func(o *server.Options) { o.PublicURL = "https://files.test" })
	u := call(t, s).upload("/api/Image/UploadFile", "file", "a.txt", "text/plain", []byte("x"))
	if want := fmt.Sprintf("https://files.test/uploads/%s", u.Name); u.Data != want {
		t.Errorf("it is at %s; want %s", u.Data, want)
	}
}
