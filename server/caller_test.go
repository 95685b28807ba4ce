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

	"github.com/weft-graph/weft/server/servertest"
)

// A caller speaks to a server as the contract's client does.
type caller struct {
	t       *testing.T
	url     string
	headers map[string]string
}

func call(t *testing.T, s *servertest.Server) caller {
	return caller{t: t, url: s.URL, headers: map[string]string{"X-Session-Id": "998", "Randomizer": "424242"}}
}

// in is the same caller for a subtest.
func (c caller) in(t *testing.T) caller {
	c.t = t
	return c
}

// do returns the status and the decoded body.
func (c caller) do(method, path, kind string, body io.Reader, into any) int {
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
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		c.t.Fatalf("%s %s answered %s: %v", method, path, answer, err)
	}
	return response.StatusCode
}

func (c caller) ok(method, path, kind string, body io.Reader, into any) {
	c.t.Helper()
	var answer json.RawMessage
	if status := c.do(method, path, kind, body, &answer); status != http.StatusOK {
		c.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		c.t.Fatalf("%s %s answered %s: %v", method, path, answer, err)
	}
}

func (c caller) json(path string, body, into any) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	c.ok(http.MethodPost, path, asJSON, bytes.NewReader(text), into)
}

// raw joins fields the way clients do, without encoding them.
func (c caller) raw(path, body string, into any) {
	c.t.Helper()
	c.ok(http.MethodPost, path, asForm, strings.NewReader(body), into)
}

func (c caller) multipart(path string, fields map[string]string, into any) {
	c.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			c.t.Fatal(err)
		}
	}
	w.Close()
	c.ok(http.MethodPost, path, w.FormDataContentType(), &body, into)
}

func (c caller) get(path string, into any) {
	c.t.Helper()
	c.ok(http.MethodGet, path, "", nil, into)
}
