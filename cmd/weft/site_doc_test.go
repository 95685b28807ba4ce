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

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/store/memory"
)

// The test runs every query on the pages of the site, on one server that holds the records that the pages show.
func TestQueriesOnSitePagesHaveTheResultsShown(t *testing.T) {
	site, err := content.Load()
	if err != nil {
		t.Fatal(err)
	}
	store := memory.New()
	url := servertest.Serve(t, store).URL
	importRecords(t, store, "the_person", readExample(t, "people.json"))
	post(t, url+"/api/v1/local-concepts", "shop", readExample(t, "shop.json"))
	compared := 0 // queries whose result is shown
	for _, w := range site.Widgets {
		samples := samplesOf(t, w.HTML)
		for i, s := range samples {
			// batch is the body of a curl command that sends concepts, without its start.
			switch _, batch, _ := strings.Cut(s.text, "-d '{\"concepts\": [\n"); {
			case records[s.label] != "":
				importRecords(t, store, records[s.label], s.text)
			case batch != "":
				post(t, url+"/api/v1/local-concepts", w.Folder, `{"concepts": [`+strings.TrimSuffix(batch, "'"))
			case strings.HasPrefix(s.text, `{"type"`):
				got := post(t, url+"/api/freeschema-query", "", strings.Replace(s.text, "{", `{"outputFormat": 1, `, 1))
				if i+1 == len(samples) || !strings.HasPrefix(samples[i+1].text, "[") {
					continue
				}
				compared++
				if diff := cmp.Diff(parseJSON(t, samples[i+1].text), withoutIDs(got["data"])); diff != "" {
					t.Errorf("%s: %s\n%s", w.Folder, s.text, diff)
				}
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d queries show a result; want 5 or more", compared)
	}
}

// records maps labels of samples to the type of the records that they show.
var records = map[string]string{
	"Three messages as JSON": "the_email", "crm.json": "the_customer", "orders.json": "the_order",
}

type sample struct{ label, text string }

// samplesOf returns the contents of the <pre> elements of a widget.
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

// importRecords imports a JSON list of records of a type.
func importRecords(t *testing.T, store graph.Store, typ, list string) {
	t.Helper()
	w := &recordWriter{store: store, typeName: typ, access: graph.Public, sender: senderOf(typ, typ)}
	if err := w.importAll(t.Context(), strings.NewReader(list), func(int) {}); err != nil {
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

// post sends a request in the given session and returns the JSON response. In different sessions, the same
// negative id has different meanings.
func post(t *testing.T, url, session, body string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Session-Id", session)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	got, _ := parseJSON(t, text.String()).(map[string]any)
	if response.StatusCode != http.StatusOK {
		t.Errorf("%s\nhas the status %d; want 200\n%v", body, response.StatusCode, got)
	}
	return got
}

func parseJSON(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// withoutIDs removes the members named id from all objects of a JSON value, and returns the value.
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
