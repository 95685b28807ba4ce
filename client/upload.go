package client

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/schema"
)

// Upload sends a file and returns the value for a field of the kind file. The server checks the media type, such as image/png or
// application/pdf, against the bytes. It refuses types that it does not accept (Invalid), and files that are too large (TooLarge). The file
// is read while it is sent, so it is not sent again after an error.
func (c *Client) Upload(ctx context.Context, name, mediaType string, file io.Reader) (schema.StoredFile, error) {
	path, field := "/api/Image/UploadFile", "file"
	if strings.HasPrefix(mediaType, "image/") {
		path, field = "/api/Image/UploadImage", "image"
	}
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	written := make(chan struct{})
	go func() {
		defer close(written)
		writer.CloseWithError(writeFile(form, field, name, mediaType, file))
	}()
	defer func() {
		_ = reader.Close()
		<-written
	}()
	message, err := c.newRequest(ctx, request{method: http.MethodPost, path: path}, c.token(ctx))
	if err != nil {
		return schema.StoredFile{}, err
	}
	message.Body = reader
	message.Header.Set("Content-Type", form.FormDataContentType())
	response, err := c.HTTP.Do(message)
	if err != nil {
		return schema.StoredFile{}, graph.Wrap(graph.Unavailable, err, "the upload to %s failed", c.url)
	}
	defer response.Body.Close()
	var stored struct {
		URL  string `json:"url"`
		Kind string `json:"kind"`
		Size int64  `json:"size"`
	}
	err = c.decode(path, response, &stored)
	return schema.StoredFile{URL: stored.URL, Name: name, Type: stored.Kind, Size: stored.Size}, err
}

// writeFile writes a form with one file.
func writeFile(form *multipart.Writer, field, name, mediaType string, file io.Reader) error {
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", multipart.FileContentDisposition(field, name))
	header.Set("Content-Type", mediaType)
	part, err := form.CreatePart(header)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, file); err != nil {
		return err
	}
	return form.Close()
}
