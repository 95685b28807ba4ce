package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
)

// Every query on the pages of the site is asked of one server, which holds the records that the pages show.
func TestThePagesOfTheSiteAreTrue(t *testing.T) {
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	url := servertest.Serve(t, store).URL
	fill(t, store, "the_person", readExample(t, "people.json"))
	post(t, url+"/api/v1/local-concepts", "shop", readExample(t, "shop.json"))
	answered := 0
	for _, w := range site.Widgets {
		samples := samplesOf(t, w.HTML)
		for i, s := range samples {
			switch _, batch, _ := strings.Cut(s.text, "-d '{\"concepts\": [\n"); {
			case records[s.label] != "":
				fill(t, store, records[s.label], s.text)
			case batch != "":
				post(t, url+"/api/v1/local-concepts", w.Folder, `{"concepts": [`+strings.TrimSuffix(batch, "'"))
			case strings.HasPrefix(s.text, `{"type"`):
				got := post(t, url+"/api/freeschema-query", "", strings.Replace(s.text, "{", `{"outputFormat": 1, `, 1))
				if i+1 == len(samples) || !strings.HasPrefix(samples[i+1].text, "[") {
					continue
				}
				answered++
				if diff := cmp.Diff(parsed(t, samples[i+1].text), withoutIDs(got["data"])); diff != "" {
					t.Errorf("%s: %s\n%s", w.Folder, s.text, diff)
				}
			}
		}
	}
	if answered < 5 {
		t.Errorf("%d queries show an answer", answered)
	}
}

// records are the types of the records that samples show, by their labels.
var records = map[string]string{
	"Three letters as JSON": "the_email", "crm.json": "the_customer", "orders.json": "the_order",
}

type sample struct{ label, text string }

// samplesOf lists what stands in <pre> in a widget.
func samplesOf(t *testing.T, stored string) (found []sample) {
	doc, err := html.Parse(strings.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	for node := range doc.Descendants() {
		if node.Data != "pre" {
			continue
		}
		s := sample{}
		for _, a := range node.Attr {
			if a.Key == "aria-label" {
				s.label = a.Val
			}
		}
		for inner := range node.Descendants() {
			if inner.Type == html.TextNode {
				s.text += inner.Data
			}
		}
		found = append(found, s)
	}
	return found
}

func fill(t *testing.T, store graph.Store, typ, list string) {
	t.Helper()
	w := &recordWriter{store: store, typeName: typ, sender: senderOf(typ, typ)}
	if err := w.all(t.Context(), strings.NewReader(list), func(int) {}); err != nil {
		t.Fatal(err)
	}
}

func readExample(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// post sends as a session of its own: negative ids are the sender's.
func post(t *testing.T, url, session, body string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Session-Id", session)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(answer.Body); err != nil {
		t.Fatal(err)
	}
	got, _ := parsed(t, text.String()).(map[string]any)
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s\nanswers %d\n%v", body, answer.StatusCode, got)
	}
	return got
}

func parsed(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func withoutIDs(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = withoutIDs(v[i])
		}
	case map[string]any:
		delete(v, "id")
		for key := range v {
			v[key] = withoutIDs(v[key])
		}
	}
	return v
}
