package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/server/servertest"
)

// A caller sends requests as clients of the contract do.
type caller struct {
	t       *testing.T
	url     string
	headers map[string]string
}

// newCaller returns a guest who sends requests to s.
func newCaller(t *testing.T, s *servertest.Server) caller {
	return caller{t: t, url: s.URL, headers: map[string]string{"X-Session-Id": "998", "Randomizer": "424242"}}
}

// in returns the same caller for a subtest.
func (c caller) in(t *testing.T) caller {
	c.t = t
	return c
}

// do sends a request, decodes the JSON body of the response into a value, and returns the status.
func (c caller) do(method, path, contentType string, body io.Reader, into any) int {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	responseBody, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(responseBody, into); err != nil {
		c.t.Fatalf("%s %s: response %s: %v", method, path, responseBody, err)
	}
	return response.StatusCode
}

// mustDo sends a request, decodes the body of the response into a value, and fails unless the status is 200.
func (c caller) mustDo(method, path, contentType string, body io.Reader, into any) {
	c.t.Helper()
	var responseBody json.RawMessage
	if status := c.do(method, path, contentType, body, &responseBody); status != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s", method, path, status, responseBody)
	}
	if err := json.Unmarshal(responseBody, into); err != nil {
		c.t.Fatalf("%s %s: response %s: %v", method, path, responseBody, err)
	}
}

func (c caller) postJSON(path string, body, into any) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	c.mustDo(http.MethodPost, path, asJSON, bytes.NewReader(text), into)
}

// postForm posts fields as clients of the contract do, without encoding them.
func (c caller) postForm(path, body string, into any) {
	c.t.Helper()
	c.mustDo(http.MethodPost, path, asForm, strings.NewReader(body), into)
}

func (c caller) postMultipart(path string, fields map[string]string, into any) {
	c.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			c.t.Fatal(err)
		}
	}
	w.Close()
	c.mustDo(http.MethodPost, path, w.FormDataContentType(), &body, into)
}

func (c caller) get(path string, into any) {
	c.t.Helper()
	c.mustDo(http.MethodGet, path, "", nil, into)
}

// sendAny sends JSON and returns the status and the body of a response of any kind.
func (c caller) sendAny(method, path string, body any) (int, string) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	var response json.RawMessage
	status := c.do(method, path, asJSON, bytes.NewReader(text), &response)
	return status, string(response)
}
