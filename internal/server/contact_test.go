package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
)

const contactPath = "/api/v1/contact"

// postContact posts a body and returns the response.
func postContact(t *testing.T, url, contentType, body string) (status int, header http.Header, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+contactPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(all)
}

func TestContact(t *testing.T) {
	store := memory.New()
	s, mailServer := serveWithMail(t, store, 1000, func(o *server.Options) {
		o.AnonymousWrites = false
		o.ContactTo = []string{"office@example.org", "boss@example.org"}
	})
	t.Run("a message is stored, and sent to the operator by e-mail", func(t *testing.T) {
		status, _, text := postContact(t, s.URL, asJSON, `{"name":"Ann","email":"Ann <ann@example.org>","topic":"Threads","message":"Hello,\r\nhow <b>long</b>?","website":""}`)
		var sent struct {
			Success bool
			ID      graph.ID
		}
		if err := json.Unmarshal([]byte(text), &sent); err != nil || status != http.StatusOK || !sent.Success {
			t.Fatalf("status %d %s; want 200 and success", status, text)
		}
		records, err := composition.Read(t.Context(), store, []graph.ID{sent.ID}, composition.Plain)
		if err != nil || len(records) != 1 {
			t.Fatal(records, err)
		}
		record := string(records[0].AppendJSON(nil))
		for _, want := range []string{`"name":"Ann"`, `"email":"ann@example.org"`, `"topic":"Threads"`, `"message":"Hello,\nhow <b>long</b>?"`, `"time":"2`} {
			if !strings.Contains(record, want) {
				t.Errorf("the record is %s; want it to contain %s", record, want)
			}
		}
		for _, letter := range mailServer.Wait(t, 2) {
			if letter.Subject != "Message from Ann: Threads" || letter.Header.Get("Reply-To") != "<ann@example.org>" || len(letter.To) != 1 ||
				!strings.Contains(letter.Text, "how <b>long</b>?") || letter.HTML != "" {
				t.Errorf("the e-mail = %+v; want Ann's message as plain text to one recipient, with Ann as the address for replies", letter)
			}
		}
		canRead := func(token string) bool {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/get_concept_bulk", strings.NewReader(fmt.Sprintf("[%d]", sent.ID)))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", asJSON)
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			var found []struct{}
			if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
				t.Fatal(err)
			}
			return len(found) > 0
		}
		if canRead("") || canRead(servertest.SignUp(t, s.URL, "ann@example.org")) || !canRead(servertest.Admin(t, s, "boss@example.org")) {
			t.Error("want the message readable by admins only")
		}
	})
	t.Run("the response to a submitted form is a page", func(t *testing.T) {
		status, header, text := postContact(t, s.URL, asForm, url.Values{
			"name": {"Bob"}, "email": {"bob@example.org"}, "message": {"a & b + 100%\r\nrest"}, "website": {""}, "submit": {"Send"},
		}.Encode())
		if status != http.StatusOK || !strings.Contains(text, "<h1>Thank you</h1>") || !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			t.Errorf("status %d %s; want 200 and a page with thanks", status, text)
		}
		if letter := mailServer.Wait(t, 4)[3]; !strings.HasPrefix(letter.Text, "a & b + 100%") || strings.Contains(letter.Text, "Send") || letter.Subject != "Message from Bob" {
			t.Errorf("the e-mail has subject %q and text %q; want Bob's message without the field Send", letter.Subject, letter.Text)
		}
		status, header, text = postContact(t, s.URL, asForm, "name=Bob&email=bob%3Cb%3E&message=x")
		if status != http.StatusBadRequest || !strings.Contains(text, "The message was not sent: email: ") || strings.Contains(text, "bob<b>") ||
			!strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("status %d %s; want 400 and a page that names the field email and escapes its value", status, text)
		}
	})
	t.Run("an invalid message is refused and not stored", func(t *testing.T) {
		before := lastSeq(t, store)
		for want, body := range map[string]string{
			"website: must be empty": `{"name":"a","email":"a@b.example","message":"m","website":"https://spam.example"}`,
			"name: is missing":       `{"name":" ","email":"a@b.example","message":"m"}`,
			"message: is missing":    `{"name":"a","email":"a@b.example","message":"\n"}`,
			"email: ":                `{"name":"a","email":"a","message":"m"}`,
			"name: want one line":    `{"name":"a\nBcc: x@y.example","email":"a@b.example","message":"m"}`,
			"topic: want one line":   `{"name":"a","email":"a@b.example","message":"m","topic":"` + strings.Repeat("x", 201) + `"}`,
			"message: has 10001":     `{"name":"a","email":"a@b.example","message":"` + strings.Repeat("ü", 10_001) + `"}`,
		} {
			if status, _, text := postContact(t, s.URL, asJSON, body); status/100 != 4 || !strings.Contains(text, want) {
				t.Errorf("%.80s: status %d %s; want %q", body, status, text, want)
			}
		}
		if after := lastSeq(t, store); after != before {
			t.Errorf("the store changed %d times", after-before)
		}
	})
}

func TestContactMessageIsStoredByAServerWithoutMail(t *testing.T) {
	s := servertest.Start(t, func(o *server.Options) { o.Attempts = 2 })
	const body = `{"name":"Ann","email":"ann@example.org","message":"Hello"}`
	for range 2 {
		if status, _, text := postContact(t, s.URL, asJSON, body); status != http.StatusOK {
			t.Errorf("status %d %s; want 200", status, text)
		}
	}
	status, header, text := postContact(t, s.URL, asJSON, body)
	if status != http.StatusTooManyRequests || header.Get("Retry-After") == "" {
		t.Errorf("a message beyond the limit: status %d %s; want 429 with Retry-After", status, text)
	}
}
