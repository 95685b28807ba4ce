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
	"github.com/weft-graph/weft/internal/files/upload"
)

// uploadAPI serves the files that users send.
type uploadAPI struct {
	uploads   *upload.Uploads // nil when the server accepts no uploads
	disk      *diskGuard
	writes    writePolicy
	publicURL string
	addresses clientAddresses
	errors    errorResponder
	audit     *auditAPI
}

const uploadsPath = "/uploads/"

func (a *uploadAPI) routes() []route {
	var limits upload.Limits
	if a.uploads != nil {
		limits = a.uploads.Limits()
	}
	return []route{
		{"POST", "/api/Image/UploadImage", limits.Image + multipartOverhead, uploadEndpoint(a.addImage), "Upload a picture: jpeg, png or webp", fields("image file")},
		{"POST", "/api/Image/UploadImageV2", limits.Image + multipartOverhead, uploadEndpoint(a.addAnyImage), "Upload a picture: jpeg, png or webp. It is the first file, whatever the name of its field", fields("image file")},
		{"POST", "/api/Image/UploadFile", limits.File + multipartOverhead, uploadEndpoint(a.addFile), "Upload a document: pdf, doc, docx, xls, xlsx, ppt, pptx, txt, md, csv or zip; /api/upload/limit lists the types", fields("file file")},
		{"GET", "/api/upload/limit", noBody, jsonEndpoint(a.limits), "The largest sizes and the types of uploads", requestShape{}},
		{"GET", "/api/uploads", noBody, jsonEndpoint(a.list), "The caller's uploads, oldest first", fields("after text?", "inpage int 100")},
		{"DELETE", "/api/uploads/{name}", noBody, jsonEndpoint(a.remove), "Remove an upload, as its owner or an admin", requestShape{}},
		{"GET", uploadsPath + "{name}", noBody, endpoint{run: a.serve, contentType: binaryType, streams: true}, "An upload, for every caller who has its name", requestShape{}},
	}
}

const (
	binaryType        = "application/octet-stream"
	multipartOverhead = 1 << 20          // bytes for the multipart headers and fields other than the file
	transferTimeout   = 10 * time.Minute // for one file in either direction
	maxFormParts      = 100              // of a multipart body, up to the file
)

// uploadEndpoint returns a JSON endpoint that reads the body as it arrives, within transferTimeout.
func uploadEndpoint[T any](f func(*request) (T, error)) endpoint {
	e := jsonEndpoint(f)
	run := e.run
	e.readsBody = true
	e.run = func(w http.ResponseWriter, req *request) error {
		if err := extendDeadlines(w); err != nil {
			return err
		}
		return run(w, req)
	}
	return e
}

func extendDeadlines(w http.ResponseWriter) error {
	c, deadline := http.NewResponseController(w), time.Now().Add(transferTimeout)
	return errors.Join(c.SetReadDeadline(deadline), c.SetWriteDeadline(deadline))
}

// get returns the uploads, or an Unavailable error.
func (a *uploadAPI) get() (*upload.Uploads, error) {
	if a.uploads == nil {
		return nil, graph.Errorf(graph.Unavailable, "this server accepts no uploads")
	}
	return a.uploads, nil
}

// uploaded describes a new upload. Data is the URL of the upload; clients of the contract read it under this name.
type uploaded struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
	Data    string `json:"data"`
	URL     string `json:"url"`
	Small   string `json:"small,omitempty"` // URL of a picture's small variant
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Size    int64  `json:"size"`
	Width   int    `json:"width,omitempty"`
	Height  int    `json:"height,omitempty"`
}

func (a *uploadAPI) addImage(req *request) (uploaded, error) {
	return a.add(req, upload.Image, "image")
}

func (a *uploadAPI) addAnyImage(req *request) (uploaded, error) { return a.add(req, upload.Image, "") }

func (a *uploadAPI) addFile(req *request) (uploaded, error) {
	return a.add(req, upload.Document, "file")
}

func (a *uploadAPI) add(req *request, class upload.Class, field string) (uploaded, error) {
	uploads, err := a.get()
	if err == nil {
		err = a.writes.require(req)
	}
	if err != nil {
		return uploaded{}, err
	}
	if err := a.disk.requireSpace(); err != nil {
		req.responseHeader.Set("Connection", "close")
		return uploaded{}, err
	}
	part, err := findFilePart(req, field)
	if err != nil {
		return uploaded{}, err
	}
	r, err := uploads.Add(req.Context(), upload.Offer{
		Owner: req.caller.User, Share: a.addresses.userOrNetwork(req), Class: class, Name: part.FileName(), Kind: part.Header.Get("Content-Type"), Bytes: part,
	})
	if err != nil {
		return uploaded{}, a.errors.warnUnavailable(req, tooLargeIfCut(err))
	}
	return a.describe(req, r), nil
}

func (a *uploadAPI) describe(req *request, r upload.Record) uploaded {
	u := uploaded{
		Success: true, Message: "Upload Success", Name: r.Name, Kind: r.Kind, Size: r.Size, Width: r.Width, Height: r.Height,
		URL: a.urlOf(req, r.Name),
	}
	u.Data = u.URL
	if r.Small != nil {
		u.Small = a.urlOf(req, r.Small.Name)
	}
	return u
}

// findFilePart returns the file in a multipart body: in the named field, or in any field when the name is "".
func findFilePart(req *request, field string) (*multipart.Part, error) {
	parts, err := req.MultipartReader()
	if err != nil {
		return nil, graph.Wrap(graph.Invalid, err, "the body is not multipart/form-data")
	}
	for range maxFormParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, tooLargeIfCut(graph.Wrap(graph.Invalid, err, "the multipart body cannot be read"))
		}
		if part.FileName() != "" && (field == "" || part.FormName() == field) {
			return part, nil
		}
	}
	if field == "" {
		return nil, graph.Errorf(graph.Invalid, "no file in the body")
	}
	return nil, graph.Errorf(graph.Invalid, "no file in the field %q", field)
}

// tooLargeIfCut returns a TooLarge error if err was caused by a body that was cut at its limit, and otherwise err.
func tooLargeIfCut(err error) error {
	if cut, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return graph.Errorf(graph.TooLarge, "the body is more than %d bytes", cut.Limit)
	}
	return err
}

func (a *uploadAPI) urlOf(req *request, name string) string {
	return siteURL(req.Request, a.publicURL) + uploadsPath + name
}

// uploadName returns the name in the URL of an upload. It ignores the host, because names are only looked up on this
// server.
func uploadName(address string) string {
	if i := strings.LastIndex(address, uploadsPath); i >= 0 {
		address = address[i+len(uploadsPath):]
	}
	name, _, _ := strings.Cut(address, "?")
	return name
}

type uploadLimits struct {
	MaxImageSize int64    `json:"maxImageSize"` // bytes
	MaxFileSize  int64    `json:"maxFileSize"`  // bytes
	ImageTypes   []string `json:"imageTypes"`
	FileTypes    []string `json:"fileTypes"`
}

func (a *uploadAPI) limits(*request) (uploadLimits, error) {
	uploads, err := a.get()
	if err != nil {
		return uploadLimits{}, err
	}
	l := uploads.Limits()
	return uploadLimits{l.Image, l.File, upload.Kinds(upload.Image), upload.Kinds(upload.Document)}, nil
}

type uploadList struct {
	Uploads []listedUpload `json:"uploads"`
	Next    string         `json:"next"` // the cursor of the next page; "" after the last
}

// A listedUpload is an upload in a list. Its JSON members are the members of upload.Record (name, owner, kind, size,
// created, original, width, height, small) and url:
//
//	{"name": "….png", "owner": 100234, "kind": "image/png", "size": 7, "created": "2026-01-31T10:00:00Z",
//	 "original": "cat.png", "width": 800, "height": 600, "small": {"name": "…_small.png", "kind": "image/png", "size": 3},
//	 "url": "https://…"}
type listedUpload struct {
	upload.Record
	URL string `json:"url"`
}

func (a *uploadAPI) list(req *request) (uploadList, error) {
	uploads, err := a.get()
	if err != nil {
		return uploadList{}, err
	}
	if req.isGuest() {
		return uploadList{}, errSignedOut()
	}
	if err := req.requireKeyForAllTypes(); err != nil {
		return uploadList{}, err
	}
	page, err := req.textPage()
	if err != nil {
		return uploadList{}, err
	}
	found, next, err := uploads.List(req.Context(), req.caller.User, page.after, page.limit)
	list := uploadList{Uploads: make([]listedUpload, 0, len(found)), Next: next}
	for _, r := range found {
		list.Uploads = append(list.Uploads, listedUpload{r, a.urlOf(req, r.Name)})
	}
	return list, err
}

func (a *uploadAPI) remove(req *request) (outcome, error) {
	uploads, err := a.get()
	if err == nil {
		err = a.writes.require(req)
	}
	if err != nil {
		return outcome{}, err
	}
	r, err := uploads.Find(req.Context(), req.PathValue("name"))
	if err == nil && !req.owns(r.Owner) {
		err = graph.Errorf(graph.Forbidden, "only admins and the owner of an upload may remove it")
	}
	if err == nil {
		err = uploads.Remove(req.Context(), r.Name)
	}
	if err == nil && r.Owner != req.caller.User {
		a.audit.add(req, action{"upload.delete", r.Name, r.Original})
	}
	return outcome{err == nil, "the upload is removed"}, err
}

// serve writes a file with headers that prevent browsers from running code in it.
func (a *uploadAPI) serve(w http.ResponseWriter, req *request) error {
	uploads, err := a.get()
	if err != nil {
		return err
	}
	file, content, err := uploads.Open(req.Context(), req.PathValue("name"))
	if err != nil {
		return a.errors.warnUnavailable(req, err)
	}
	defer content.Close()
	if err := extendDeadlines(w); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", file.Kind)
	if strings.HasPrefix(file.Kind, "text/") {
		h.Set("Content-Type", file.Kind+"; charset=utf-8")
	}
	h.Set("Content-Disposition", dispositionOf(file))
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	if file.Kind == "application/pdf" { // the PDF viewers of browsers do not start in a sandbox of the page; they have a sandbox of their own
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	}
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", cacheForever)
	h.Set("ETag", `"`+file.Name+`"`)
	http.ServeContent(w, req.Request, "", time.Time{}, content)
	return nil
}

// dispositionOf returns a Content-Disposition that lets browsers show passive types and save all others.
func dispositionOf(file upload.Variant) string {
	disposition := "attachment"
	switch file.Kind {
	case "image/jpeg", "image/png", "image/webp", "application/pdf", "text/plain":
		disposition = "inline"
	}
	name := file.Original
	if name == "" {
		name = file.Name
	}
	if header := mime.FormatMediaType(disposition, map[string]string{"filename": name}); header != "" {
		return header
	}
	return fmt.Sprintf("%s; filename=%q", disposition, file.Name)
}
