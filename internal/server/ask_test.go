package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
)

// serveModel serves a language model with a fixed response, and records the header X-Key and the body of each request.
func serveModel(t *testing.T, status int, response string) (url string, requests *[]string) {
	t.Helper()
	requests = &[]string{}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*requests = append(*requests, r.Header.Get("X-Key")+" "+string(body))
		w.WriteHeader(status)
		io.WriteString(w, response) //nolint:errcheck // the server under test may have closed the connection
	}))
	t.Cleanup(model.Close)
	return model.URL, requests
}

// askModel sends a question to a server that uses the model at url.
func askModel(t *testing.T, url, question string) (status int, responseBody string) {
	t.Helper()
	asker, err := server.NewAsker(url, "X-Key: secret words")
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Start(t, func(o *server.Options) { o.Asker = asker })
	body, err := json.Marshal(map[string]string{"question": question})
	if err != nil {
		t.Fatal(err)
	}
	return postQuestion(t, s.URL, string(body))
}

func postQuestion(t *testing.T, url, body string) (status int, responseBody string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/v1/ask", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestAsk(t *testing.T) {
	t.Run("returns the proposed query without running it", func(t *testing.T) {
		model, requests := serveModel(t, http.StatusOK, `{"query":{"type":"the_word","inpage":3},"thoughts":"secret"}`)
		status, responseBody := askModel(t, model, " which words are there? ")
		if status != http.StatusOK || responseBody != `{"query":{"type":"the_word","inpage":3}}` {
			t.Errorf("status %d %s; want 200 and the query of the model", status, responseBody)
		}
		if want := `secret words {"question":"which words are there?"}`; len(*requests) != 1 || (*requests)[0] != want {
			t.Errorf("the model got %q; want %q", *requests, want)
		}
	})
	for name, response := range map[string]string{
		"prose":                    `I think you should ask for words.`,
		"no query":                 `{}`,
		"a query of another shape": `{"query":[1]}`,
		"a query without roots":    `{"query":{"inpage":3}}`,
		"too many bytes":           `{"query":{"type":"` + strings.Repeat("x", 70_000) + `"}}`,
	} {
		t.Run("does not pass on a response with "+name, func(t *testing.T) {
			model, _ := serveModel(t, http.StatusOK, response)
			status, responseBody := askModel(t, model, "which words?")
			if status != http.StatusServiceUnavailable || !strings.Contains(responseBody, "the language model") || strings.Contains(responseBody, "I think") {
				t.Errorf("status %d %.200s; want 503, which names the language model and does not pass on its response", status, responseBody)
			}
		})
	}
	t.Run("follows no redirect and reports a failing model", func(t *testing.T) {
		elsewhere, requests := serveModel(t, http.StatusOK, `{"query":{"type":"the_word"}}`)
		redirect := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusTemporaryRedirect))
		t.Cleanup(redirect.Close)
		if status, responseBody := askModel(t, redirect.URL, "which words?"); status != http.StatusServiceUnavailable || len(*requests) != 0 {
			t.Errorf("status %d %s; the other server got %q; want 503 and no requests", status, responseBody, *requests)
		}
	})
	t.Run("rejects empty and long questions without asking the model", func(t *testing.T) {
		model, requests := serveModel(t, http.StatusOK, `{"query":{"type":"the_word"}}`)
		for _, question := range []string{"  ", strings.Repeat("x", 501)} {
			if status, responseBody := askModel(t, model, question); status != http.StatusBadRequest {
				t.Errorf("status %d %s; want 400", status, responseBody)
			}
		}
		if len(*requests) != 0 {
			t.Errorf("the model got %q; want no requests", *requests)
		}
	})
	t.Run("is unavailable without a model", func(t *testing.T) {
		s := servertest.Start(t)
		if status, responseBody := postQuestion(t, s.URL, `{"question":"which words?"}`); status != http.StatusServiceUnavailable {
			t.Errorf("status %d %s; want 503", status, responseBody)
		}
	})
}

func TestAskerRefusesBadSettingsWithoutQuotingTheKey(t *testing.T) {
	for _, wrong := range [][2]string{{"model.example", ""}, {"ftp://model.example", ""}, {"http://model.example", "secret"}, {"http://model.example", "A: b\r\nC: d"}} {
		_, err := server.NewAsker(wrong[0], wrong[1])
		if err == nil || wrong[1] != "" && strings.Contains(err.Error(), wrong[1]) {
			t.Errorf("the URL and header %q: %v; want an error that does not contain the header", wrong, err)
		}
	}
}
