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

	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
)

const (
	queryGuide = "../../docs/query.md"
	shopBatch  = "../../docs/examples/shop.json"
)

var queryExamples = regexp.MustCompile("```json\n(\\{(?s:.*?))```\n```json\n((?s:.*?))```\n")

// The test runs all examples of the guide on one server, which has the records of shopBatch.
func TestQueryGuideExamples(t *testing.T) {
	url := servertest.Serve(t, memory.New()).URL
	batch := readText(t, shopBatch)
	post(t, url+"/api/v1/local-concepts", batch)
	guide := readText(t, queryGuide)
	examples := queryExamples.FindAllStringSubmatch(guide, -1)
	if all := strings.Count(guide, "```json\n"); all == 0 || 2*len(examples) != all {
		t.Fatalf("%d examples in %d blocks of JSON", len(examples), all)
	}
	for _, example := range examples {
		query, want := example[1], fromJSON(t, example[2])
		got := post(t, url+queryPath, strings.Replace(query, "{", `{"outputFormat": 1, `, 1))
		var compared any
		if _, records := want.([]any); records {
			compared = withoutIDs(got["data"])
		} else {
			compared = membersOf(want, withoutIDs(got))
		}
		if diff := cmp.Diff(want, compared); diff != "" {
			text, _ := json.Marshal(compared)
			t.Errorf("the answer to\n%s\nis\n%s\n%s", query, text, diff)
		}
	}
}

func TestQueryGuideStatesTheLimits(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(readText(t, queryGuide), ",", ""), "\n", " ")
	for _, want := range []string{
		fmt.Sprintf("at most %d", query.MaxPageSize),
		fmt.Sprintf("up to %d levels", query.MaxLevels),
		fmt.Sprintf("%d records on a page or ids to start from %d levels %d hops and selectors %d filters %d KiB of logic with %d nested parentheses and %d mentions of filters",
			min(query.MaxPageSize, query.MaxConceptIDs), query.MaxLevels, query.MaxNodes, query.MaxFilters, query.MaxLogicBytes>>10, query.MaxLogicDepth,
			query.MaxFilterTests),
		fmt.Sprintf("a depth of %d %d KiB for the search text of a filter and %d connections in an answer", query.MaxHopDepth, query.MaxSearchBytes>>10, query.MaxLinks),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the guide does not contain %q", want)
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

// post posts JSON and returns the object in the response.
func post(t *testing.T, url, body string) map[string]any {
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

// withoutIDs removes the members named id, which differ between stores, from all objects of a value, and returns the value.
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

// membersOf returns the members of a response that the example also has.
func membersOf(want, got any) any {
	wantObject, wantOK := want.(map[string]any)
	gotObject, gotOK := got.(map[string]any)
	if !wantOK || !gotOK {
		return got
	}
	members := map[string]any{}
	for key := range wantObject {
		members[key] = gotObject[key]
	}
	return members
}
