package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/files/upload"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/wire"
)

const (
	guide        = "../../docs/http.md"
	guideAddress = "http://127.0.0.1:8080"
)

// The test runs all examples of the guide in order on one server. Ids in the guide are placeholders for the ids that the
// server assigns.
func TestHTTPGuideExamples(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	url := servertest.Serve(t, store, withFilesAndMail(t, store)).URL
	ids := placeholders{}
	examples := exampleBlocks.FindAllStringSubmatch(readGuide(t), -1)
	if all := strings.Count(readGuide(t), "```sh\n"); len(examples) != all || all == 0 {
		t.Fatalf("only %d of %d examples show a response", len(examples), all)
	}
	for _, example := range examples {
		command, kind, want := example[1], example[2], example[3]
		command = strings.ReplaceAll(ids.replaceIn(command), guideAddress, url)
		out, err := exec.CommandContext(t.Context(), "sh", "-c", command).Output()
		if err != nil {
			t.Errorf("%s\nfails: %v", command, err)
		}
		if err := ids.compare(kind, want, string(out)); err != nil {
			t.Fatalf("%s\nresponse\n%s\n%v", command, out, err)
		}
	}
}

// withFilesAndMail returns an option that enables uploads and mail.
func withFilesAndMail(t *testing.T, store graph.Store) func(*server.Options) {
	t.Helper()
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	log := slog.New(slog.DiscardHandler)
	return func(o *server.Options) {
		o.Uploads = upload.New(kv.In(store), disk, upload.Options{
			Limits: upload.Limits{Image: 1 << 20, File: 1 << 20, Quota: 1 << 20}, Spool: t.TempDir(), Log: log,
		})
		o.Mail = mail.NewQueue(kv.In(store), 100, log)
	}
}

func TestHTTPGuideStatesTheLimits(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(readGuide(t), ",", ""), "\n", " ")
	for _, want := range []string{
		fmt.Sprintf("A batch: %d records and 32 MiB", graph.MaxBatchRecords),
		fmt.Sprintf("A text: %d MiB", graph.MaxTextBytes>>20),
		fmt.Sprintf("A value of up to %d characters is shared", graph.MaxSharedValue),
		fmt.Sprintf("%d records on a page %d levels %d hops and selectors %d connections",
			query.MaxPageSize, query.MaxLevels, query.MaxNodes, query.MaxLinks),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the guide lacks %q", want)
		}
	}
}

// The requests must cause every status in the table of the guide, except the statuses that only an internal
// failure causes.
func TestHTTPGuideListsTheStatuses(t *testing.T) {
	open := servertest.Start(t).URL
	closed := servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false }).URL
	strict := servertest.Start(t, func(o *server.Options) { o.Attempts = 1 }).URL
	const batches = "/api/v1/local-concepts"
	seen := map[string]bool{"500 internal": true, "503 unavailable": true}
	for _, example := range []struct{ method, url, body string }{
		{"POST", open + "/api/getConcept", "id=seven"},
		{"DELETE", open + "/api/getConcept", ""},
		{"POST", closed + batches, `{"concepts": [{"id": -1, "categoryId": 4, "typeCharacter": "the_tag", "characterValue": "a"}]}`},
		{"POST", open + batches, `{"removeConcepts": [16]}`},
		{"GET", open + "/api/nothing", ""},
		{"POST", open + batches, `{"concepts": [], "store": "another"}`},
		{"POST", open + "/api/getConcept", "id=" + strings.Repeat("7", 1<<16)},
		{"POST", open + "/api/auth/signup", `{"email": "ann", "password": "correct horse"}`},
		{"POST", strict + "/api/auth/signup", `{"email": "ann", "password": "correct horse"}`},
		{"POST", strict + "/api/auth/signup", `{"email": "ann", "password": "correct horse"}`},
		{"POST", strict + "/api/auth/refresh", `{"refreshtoken": "x"}`},
		{"POST", strict + "/api/auth/refresh", `{"refreshtoken": "x"}`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), example.method, example.url, strings.NewReader(example.body))
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var body wire.Error
		if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
			t.Errorf("%s %s: %v", example.method, example.url, err)
		}
		_ = response.Body.Close()
		seen[fmt.Sprint(response.StatusCode, " ", body.Kind)] = true
	}
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| ([0-9, ]+) \\| `(\\w+)` \\|").FindAllStringSubmatch(readGuide(t), -1) {
		for status := range strings.SplitSeq(row[1], ", ") {
			documented[status+" "+row[2]] = true
		}
	}
	if diff := cmp.Diff(seen, documented); diff != "" {
		t.Errorf("the table differs (-seen +documented):\n%s", diff)
	}
}

func readGuide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	exampleBlocks = regexp.MustCompile("(?s)```sh\n(.*?)```\n```(json|text)\n(.*?)```")
	guideID       = regexp.MustCompile(`\b100\d{3}\b`)
)

// placeholders maps ids in the guide to the ids that the server assigned.
type placeholders map[string]string

// replaceIn replaces the known ids of the guide in text.
func (p placeholders) replaceIn(text string) string {
	return guideID.ReplaceAllStringFunc(text, func(id string) string {
		if real, known := p[id]; known {
			return real
		}
		return id
	})
}

// compare compares the output in the guide with the actual output. kind is the language of the code block.
func (p placeholders) compare(kind, want, got string) error {
	if kind == "text" {
		return p.compareLines(want, got)
	}
	var wantJSON, gotJSON any
	if err := decode(want, &wantJSON); err != nil {
		return fmt.Errorf("the guide: %w", err)
	}
	if err := decode(got, &gotJSON); err != nil {
		return err
	}
	return p.compareJSON("the response", wantJSON, gotJSON)
}

func decode(text string, v *any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// compareJSON compares JSON in the guide with a response, which may have more members. The text "…" matches any value.
func (p placeholders) compareJSON(where string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v; want an object", where, got)
		}
		for name, member := range want {
			if _, exists := object[name]; !exists {
				return fmt.Errorf("%s has no %q", where, name)
			}
			if err := p.compareJSON(where+"."+name, member, object[name]); err != nil {
				return err
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s is %v; want %d items", where, got, len(want))
		}
		for i := range want {
			if err := p.compareJSON(fmt.Sprintf("%s[%d]", where, i), want[i], list[i]); err != nil {
				return err
			}
		}
	case json.Number:
		return p.compareNumber(where, want, got)
	default:
		if want != "…" && want != got {
			return fmt.Errorf("%s is %v; want %v", where, got, want)
		}
	}
	return nil
}

// compareNumber compares numbers. The first occurrence of an id of the guide defines its real id.
func (p placeholders) compareNumber(where string, want json.Number, got any) error {
	number, ok := got.(json.Number)
	if _, known := p[want.String()]; ok && !known && guideID.MatchString(want.String()) {
		p[want.String()] = number.String()
	}
	if !ok || number.String() != p.replaceIn(want.String()) {
		return fmt.Errorf("%s is %v; want %v", where, got, want)
	}
	return nil
}

// compareLines checks that the lines of the guide occur in the output in order. In a line, "…" matches any text.
func (p placeholders) compareLines(want, got string) error {
	rest := strings.Split(got, "\n")
	for line := range strings.Lines(p.replaceIn(want)) {
		line = strings.TrimSuffix(line, "\n")
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "$")
		for len(rest) > 0 && !pattern.MatchString(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return fmt.Errorf("the output lacks the line %s", line)
		}
		rest = rest[1:]
	}
	return nil
}
