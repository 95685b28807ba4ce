package server_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/telemetry/clientlog"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

// No request may make the server fail: every route must respond to any body, query string, content type and token
// with a status other than 500. The fuzzed values of the path and the fields include cursors and ids.
func FuzzRoutes(f *testing.F) {
	routes := server.Routes()
	for i, route := range routes {
		f.Add(uint8(i), "id=1&after=x&page=1&inpage=10", asJSON, `{}`, "")
		f.Add(uint8(i), "", asForm, strings.Join(route.Fields, "=1&")+"=-9223372036854775808", "Bearer x")
		f.Add(uint8(i), "after=AAAA", asJSON, `[9223372036854775807,-1]`, "")
	}
	store := memory.New()
	s := servertest.Serve(f, store, func(o *server.Options) {
		o.ClientLog, o.Usage = clientlog.New(kv.In(store), clientlog.Options{}), usage.New(kv.In(store), nil)
	})
	client := http.Client{Timeout: time.Minute}
	f.Fuzz(func(t *testing.T, number uint8, query, contentType, body, token string) {
		route := routes[int(number)%len(routes)]
		if route.Streams {
			t.Skip("the response does not end")
		}
		path := strings.NewReplacer("{id}", url.PathEscape(query), "{name}", url.PathEscape(query)).Replace(route.Path)
		target := s.URL + path + "?" + strings.NewReplacer(" ", "+", "#", "%23").Replace(query)
		r, err := http.NewRequestWithContext(t.Context(), route.Method, target, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Skip("not a URL")
		}
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Authorization", token)
		response, err := client.Do(r)
		if err != nil {
			t.Skip("not a valid request: ", err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if response.StatusCode == http.StatusInternalServerError || err != nil {
			t.Errorf("%s %s with %q: %s %s %v", route.Method, target, body, response.Status, text, err)
		}
	})
}

// Any response of the language model results in a query or in status 503.
func FuzzModelResponse(f *testing.F) {
	f.Add(200, `{"query":{"type":"the_person"}}`)
	f.Add(200, `{"query":{"type":"the_person","inpage":9223372036854775807}}`)
	f.Add(200, `{"query":null}`)
	f.Add(302, ``)
	f.Add(500, `{}`)
	var status int
	var body string
	model := serveFunc(f, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body) //nolint:errcheck // the server under test may have closed the connection
	})
	asker, err := server.NewAsker(model, "")
	if err != nil {
		f.Fatal(err)
	}
	s := servertest.Start(f, func(o *server.Options) { o.Asker = asker })
	f.Fuzz(func(t *testing.T, st int, text string) {
		if st < 200 || st > 599 {
			t.Skip("not a final status")
		}
		status, body = st, text
		if got, response := postQuestion(t, s.URL, `{"question":"who?"}`); got != http.StatusOK && got != http.StatusServiceUnavailable {
			t.Errorf("the model responded %d %q, and the server %d %s", st, text, got, response)
		}
	})
}

// serveFunc serves a handler on a free port until the test ends.
func serveFunc(t testing.TB, handler http.HandlerFunc) (url string) {
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}
