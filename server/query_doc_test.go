package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
)

const (
	queryGuide = "../docs/query.md"
	shopBatch  = "../docs/examples/shop.json"
)

var queryExamples = regexp.MustCompile("```json\n(\\{(?s:.*?))```\n```json\n((?s:.*?))```\n")

// Every example of the guide is asked of one server.
func TestTheQueryGuideIsTrue(t *testing.T) {
	url := servertest.Serve(t, memory.New()).URL
	batch := readText(t, shopBatch)
	ask(t, url+"/api/v1/local-concepts", batch)
	guide := readText(t, queryGuide)
	examples := queryExamples.FindAllStringSubmatch(guide, -1)
	if all := strings.Count(guide, "```json\n"); all == 0 || 2*len(examples) != all {
		t.Fatalf("%d examples in %d blocks of JSON", len(examples), all)
	}
	for _, example := range examples {
		asked, want := example[1], fromJSON(t, example[2])
		got := ask(t, url+queryPath, strings.Replace(asked, "{", `{"outputFormat": 1, `, 1))
		var shown any
		if _, records := want.([]any); records {
			shown = withoutIDs(got["data"])
		} else {
			shown = part(want, withoutIDs(got))
		}
		if diff := cmp.Diff(want, shown); diff != "" {
			text, _ := json.Marshal(shown)
			t.Errorf("%s\nanswers\n%s\n%s", asked, text, diff)
		}
	}
}

func TestTheQueryGuideKnowsTheLimits(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(readText(t, queryGuide), ",", ""), "\n", " ")
	for _, want := range []string{
		fmt.Sprintf("at most %d", query.MaxPageSize),
		fmt.Sprintf("up to %d levels", query.MaxDepth),
		fmt.Sprintf("%d records on a page or ids to start from %d levels %d hops and selectors %d filters %d KiB of logic with %d parentheses in each other",
			min(query.MaxPageSize, query.MaxConceptIDs), query.MaxDepth, query.MaxNodes, query.MaxFilters, query.MaxLogic>>10, query.MaxLogicDepth),
		fmt.Sprintf("%d mentions of filters a depth of %d %d KiB for a filter to search for and %d connections in an answer",
			query.MaxTests, query.MaxRepeat, query.MaxSearch>>10, query.MaxLinks),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func fromJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func ask(t *testing.T, url, body string) map[string]any {
	t.Helper()
	response, err := http.Post(url, asJSON, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return fromJSON(t, text.String()).(map[string]any)
}

// withoutIDs leaves out what differs from one store to the next.
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

// part is what an answer says about the members that are wanted.
func part(want, got any) any {
	wanted, both := want.(map[string]any)
	said, ok := got.(map[string]any)
	if !both || !ok {
		return got
	}
	shown := map[string]any{}
	for key := range wanted {
		shown[key] = said[key]
	}
	return shown
}
