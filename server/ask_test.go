package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
)

// modelAt is a language model that says the same to everybody, and keeps what it was asked.
func modelAt(t *testing.T, status int, says string) (url string, heard *[]string) {
	t.Helper()
	heard = &[]string{}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*heard = append(*heard, r.Header.Get("X-Key")+" "+string(body))
		w.WriteHeader(status)
		io.WriteString(w, says) //nolint:errcheck // the server under test has gone
	}))
	t.Cleanup(model.Close)
	return model.URL, heard
}

// asking sends a question to a server with that model.
func asking(t *testing.T, url, question string) (status int, answer string) {
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
	return askAt(t, s.URL, string(body))
}

func askAt(t *testing.T, url, body string) (status int, answer string) {
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
	t.Run("a question becomes a query that nobody has run", func(t *testing.T) {
		model, heard := modelAt(t, http.StatusOK, `{"query":{"type":"the_word","inpage":3},"thoughts":"secret"}`)
		status, answer := asking(t, model, " which words are there? ")
		if status != http.StatusOK || answer != `{"query":{"type":"the_word","inpage":3}}` {
			t.Errorf("answered %d %s", status, answer)
		}
		if want := `secret words {"question":"which words are there?"}`; len(*heard) != 1 || (*heard)[0] != want {
			t.Errorf("the model heard %q; want %q", *heard, want)
		}
	})
	for name, says := range map[string]string{
		"words":                    `I think you should ask for words.`,
		"no query":                 `{}`,
		"a query of another shape": `{"query":[1]}`,
		"a query without roots":    `{"query":{"inpage":3}}`,
		"too much":                 `{"query":{"type":"` + strings.Repeat("x", 70_000) + `"}}`,
	} {
		t.Run("a model that answers "+name+" has not answered, and is not repeated", func(t *testing.T) {
			model, _ := modelAt(t, http.StatusOK, says)
			status, answer := asking(t, model, "which words?")
			if status != http.StatusServiceUnavailable || !strings.Contains(answer, "the language model") || strings.Contains(answer, "I think") {
				t.Errorf("answered %d %.200s", status, answer)
			}
		})
	}
	t.Run("a model that fails, or leads elsewhere, is not followed", func(t *testing.T) {
		elsewhere, heard := modelAt(t, http.StatusOK, `{"query":{"type":"the_word"}}`)
		redirect := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusTemporaryRedirect))
		t.Cleanup(redirect.Close)
		if status, answer := asking(t, redirect.URL, "which words?"); status != http.StatusServiceUnavailable || len(*heard) != 0 {
			t.Errorf("answered %d %s; elsewhere heard %q", status, answer, *heard)
		}
	})
	t.Run("an empty question and a long one are refused before the model hears of them", func(t *testing.T) {
		model, heard := modelAt(t, http.StatusOK, `{"query":{"type":"the_word"}}`)
		for _, question := range []string{"  ", strings.Repeat("x", 501)} {
			if status, answer := asking(t, model, question); status != http.StatusBadRequest {
				t.Errorf("answered %d %s", status, answer)
			}
		}
		if len(*heard) != 0 {
			t.Errorf("the model heard %q", *heard)
		}
	})
	t.Run("without a model there is nobody to ask", func(t *testing.T) {
		s := servertest.Start(t)
		if status, answer := askAt(t, s.URL, `{"question":"which words?"}`); status != http.StatusServiceUnavailable {
			t.Errorf("answered %d %s", status, answer)
		}
	})
}

func TestNewAsker(t *testing.T) {
	for _, wrong := range [][2]string{{"model.example", ""}, {"ftp://model.example", ""}, {"http://model.example", "secret"}, {"http://model.example", "A: b\r\nC: d"}} {
		_, err := server.NewAsker(wrong[0], wrong[1])
		if err == nil || wrong[1] != "" && strings.Contains(err.Error(), wrong[1]) {
			t.Errorf("%q gave %v", wrong, err)
		}
	}
}
