package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/upload"
)

const uploadsPath = "/uploads/"

func (s *Server) uploadRoutes() []route {
	limits := s.uploadLimits()
	return []route{
		{"POST", "/api/Image/UploadImage", limits.Image + wrapping, receives(s.uploadImage), "Upload a picture: jpeg, png or webp", fields("image file")},
		{"POST", "/api/Image/UploadImageV2", limits.Image + wrapping, receives(s.uploadAnyImage), "Upload a picture: jpeg, png or webp; it is the first file, whatever its field is called", fields("image file")},
		{"POST", "/api/Image/UploadFile", limits.File + wrapping, receives(s.uploadFile), "Upload a document: pdf, text, markdown, doc, xls or ppt", fields("file file")},
		{"GET", "/api/upload/limit", none, answer(s.uploadLimit), "What may be uploaded", takes{}},
		{"GET", "/api/uploads", none, answer(s.ownUploads), "The caller's uploads, oldest first", fields("after text?", "inpage int 100")},
		{"DELETE", "/api/uploads/{name}", none, answer(s.removeUpload), "Remove an upload, as its owner or an admin", takes{}},
		{"GET", uploadsPath + "{name}", none, answerer{run: s.upload, kind: anyBytes, streams: true}, "An upload, for everybody who knows its name", takes{}},
	}
}

const (
	anyBytes = "application/octet-stream"
	wrapping = 1 << 20          // what multipart and other fields add to a file, in bytes
	slowest  = 10 * time.Minute // for a file to come or go
)

// receives makes an answerer of a function that reads the body as it arrives, however slowly.
func receives[T any](f func(*request) (T, error)) answerer {
	a := answer(f)
	run := a.run
	a.reads = true
	a.run = func(w http.ResponseWriter, q *request) error {
		if err := unhurried(w); err != nil {
			return err
		}
		return run(w, q)
	}
	return a
}

func unhurried(w http.ResponseWriter) error {
	c, end := http.NewResponseController(w), time.Now().Add(slowest)
	return errors.Join(c.SetReadDeadline(end), c.SetWriteDeadline(end))
}

func (s *Server) uploadLimits() upload.Limits {
	if s.options.Uploads == nil {
		return upload.Limits{}
	}
	return s.options.Uploads.Limits()
}

func (s *Server) uploads() (*upload.Uploads, error) {
	if s.options.Uploads == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server takes no uploads")
	}
	return s.options.Uploads, nil
}

// mayWrite says whether the caller may leave something here that is no part of the graph.
func (s *Server) mayWrite(q *request) error {
	switch scope := q.caller.Scope; {
	case q.caller.User == graph.Anonymous && !s.options.AnonymousWrites:
		return graph.Errorf(graph.Unauthorized, "nobody is signed in, and this server lets only users write")
	case scope != nil && !scope.Write:
		return graph.Errorf(graph.Forbidden, "this API key may only read")
	default:
		return q.mayRead()
	}
}

// mayRead refuses a key that is for some types: what is no part of the graph is an instance of none.
func (q *request) mayRead() error {
	if scope := q.caller.Scope; scope != nil && scope.Types != nil {
		return graph.Errorf(graph.Forbidden, "this API key is for instances of some types only")
	}
	return nil
}

// uploaded answers an upload: Data is the address, as clients of the contract read it.
type uploaded struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Data    string `json:"data"`
	URL     string `json:"url"`
	Small   string `json:"small,omitempty"` // address of a picture's small variant
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Size    int64  `json:"size"`
	Width   int    `json:"width,omitempty"`
	Height  int    `json:"height,omitempty"`
}

func (s *Server) uploadImage(q *request) (uploaded, error) {
	return s.take(q, upload.Image, "image")
}

func (s *Server) uploadAnyImage(q *request) (uploaded, error) { return s.take(q, upload.Image, "") }

func (s *Server) uploadFile(q *request) (uploaded, error) {
	return s.take(q, upload.Document, "file")
}

func (s *Server) take(q *request, class upload.Class, field string) (uploaded, error) {
	uploads, err := s.uploads()
	if err == nil {
		err = s.mayWrite(q)
	}
	if err != nil {
		return uploaded{}, err
	}
	part, err := filePart(q, field)
	if err != nil {
		return uploaded{}, err
	}
	r, err := uploads.Add(q.Context(), upload.Offer{
		Owner: q.caller.User, Class: class, Name: part.FileName(), Kind: part.Header.Get("Content-Type"), Bytes: part,
	})
	if err != nil {
		return uploaded{}, s.notices(q, tooLong(err))
	}
	return s.describeUpload(q, r), nil
}

func (s *Server) describeUpload(q *request, r upload.Record) uploaded {
	u := uploaded{
		Success: true, Message: "Upload Success", Name: r.Name, Kind: r.Kind, Size: r.Size, Width: r.Width, Height: r.Height,
		URL: s.uploadURL(q, r.Name),
	}
	u.Data = u.URL
	if r.Small != nil {
		u.Small = s.uploadURL(q, r.Small.Name)
	}
	return u
}

// filePart finds the file in a multipart body: in the named field, or in any when the name is "".
func filePart(q *request, field string) (*multipart.Part, error) {
	parts, err := q.MultipartReader()
	if err != nil {
		return nil, graph.Wrap(graph.Invalid, err, "the body is not multipart/form-data")
	}
	const most = 100
	for range most {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tooLong(graph.Wrap(graph.Invalid, err, "the multipart body cannot be read"))
		}
		if part.FileName() != "" && (field == "" || part.FormName() == field) {
			return part, nil
		}
	}
	if field == "" {
		return nil, graph.Errorf(graph.Invalid, "there is no file in the body")
	}
	return nil, graph.Errorf(graph.Invalid, "there is no file in the field %q", field)
}

// tooLong recognises a body that was cut because it is too long.
func tooLong(err error) error {
	if cut, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return graph.Errorf(graph.TooLarge, "the body is more than %d bytes", cut.Limit)
	}
	return err
}

// notices logs why what we rely on did not answer; the caller only hears that.
func (s *Server) notices(q *request, err error) error {
	if cause := errors.Unwrap(err); cause != nil && graph.KindOf(err) == graph.Unavailable {
		s.options.Log.WarnContext(q.Context(), "unavailable", "route", q.Pattern, "error", err)
	}
	return err
}

// uploadURL is where an upload is read.
func (s *Server) uploadURL(q *request, name string) string {
	return siteOf(q.Request, s.options.PublicURL) + uploadsPath + name
}

// uploadName is the name in the address of an upload. Whose address it is does not matter: a name is looked up here and
// nowhere else.
func uploadName(address string) string {
	if i := strings.LastIndex(address, uploadsPath); i >= 0 {
		address = address[i+len(uploadsPath):]
	}
	name, _, _ := strings.Cut(address, "?")
	return name
}

type uploadLimit struct {
	MaxImageSize int64    `json:"maxImageSize"` // bytes
	MaxFileSize  int64    `json:"maxFileSize"`
	ImageTypes   []string `json:"imageTypes"`
	FileTypes    []string `json:"fileTypes"`
}

func (s *Server) uploadLimit(*request) (uploadLimit, error) {
	uploads, err := s.uploads()
	if err != nil {
		return uploadLimit{}, err
	}
	l := uploads.Limits()
	return uploadLimit{l.Image, l.File, upload.Kinds(upload.Image), upload.Kinds(upload.Document)}, nil
}

type uploadList struct {
	Uploads []ownUpload `json:"uploads"`
	Next    string      `json:"next"` // where the next page begins; "" after the last
}

type ownUpload struct {
	upload.Record
	URL string `json:"url"`
}

func (s *Server) ownUploads(q *request) (uploadList, error) {
	uploads, err := s.uploads()
	if err != nil {
		return uploadList{}, err
	}
	if q.caller.User == graph.Anonymous {
		return uploadList{}, graph.Errorf(graph.Unauthorized, "nobody is signed in")
	}
	if err := q.mayRead(); err != nil {
		return uploadList{}, err
	}
	fields, err := q.fields("after", "inpage")
	if err != nil {
		return uploadList{}, err
	}
	limit, err := fields.Int("inpage", 100)
	if err == nil {
		err = graph.CheckText("after", fields["after"])
	}
	if err != nil {
		return uploadList{}, err
	}
	found, next, err := uploads.List(q.Context(), q.caller.User, fields["after"], min(max(limit, 1), 1000))
	list := uploadList{Uploads: make([]ownUpload, 0, len(found)), Next: next}
	for _, r := range found {
		list.Uploads = append(list.Uploads, ownUpload{r, s.uploadURL(q, r.Name)})
	}
	return list, err
}

func (s *Server) removeUpload(q *request) (done, error) {
	uploads, err := s.uploads()
	if err == nil {
		err = s.mayWrite(q)
	}
	if err != nil {
		return done{}, err
	}
	r, err := uploads.Find(q.Context(), q.PathValue("name"))
	if err == nil && !s.owns(q, r.Owner) {
		err = graph.Errorf(graph.Forbidden, "only its owner and admins remove an upload")
	}
	if err == nil {
		err = uploads.Remove(q.Context(), r.Name)
	}
	return done{err == nil, "the upload is removed"}, err
}

// owns says whether the caller may do as they like with what an owner has. What Anonymous has belongs to nobody.
func (s *Server) owns(q *request, owner graph.ID) bool {
	return q.caller.Admin || owner == q.caller.User && owner != graph.Anonymous
}

// upload serves a file in a way that nothing in it ever runs, and that no other site's page is affected by.
func (s *Server) upload(w http.ResponseWriter, q *request) error {
	uploads, err := s.uploads()
	if err != nil {
		return err
	}
	file, content, err := uploads.Open(q.Context(), q.PathValue("name"))
	if err != nil {
		return s.notices(q, err)
	}
	defer content.Close()
	if err := unhurried(w); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", file.Kind)
	if strings.HasPrefix(file.Kind, "text/") {
		h.Set("Content-Type", file.Kind+"; charset=utf-8")
	}
	h.Set("Content-Disposition", disposition(file))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	if file.Kind == "application/pdf" { // browsers' viewers, which are sandboxes of their own, do not start in one
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	}
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("ETag", `"`+file.Name+`"`)
	http.ServeContent(w, q.Request, "", time.Time{}, content)
	return nil
}

// disposition lets browsers show what can only be looked at, and save the rest.
func disposition(file upload.Variant) string {
	how := "attachment"
	switch file.Kind {
	case "image/jpeg", "image/png", "image/webp", "application/pdf", "text/plain":
		how = "inline"
	}
	name := file.Original
	if name == "" {
		name = file.Name
	}
	if said := mime.FormatMediaType(how, map[string]string{"filename": name}); said != "" {
		return said
	}
	return fmt.Sprintf("%s; filename=%q", how, file.Name)
}
