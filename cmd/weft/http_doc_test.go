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

	"github.com/weft-graph/weft/blob"
	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/mail"
	"github.com/weft-graph/weft/query"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/server/servertest"
	"github.com/weft-graph/weft/store/memory"
	"github.com/weft-graph/weft/upload"
	"github.com/weft-graph/weft/wire"
)

const (
	guide        = "../../docs/http.md"
	guideAddress = "http://127.0.0.1:8080"
)

// Every example of the guide is run, in order, on one server. The ids of the guide stand for those that
// the server gives.
func TestTheHTTPGuideIsTrue(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	store := memory.New()
	if err := content.Seed(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	url := servertest.Serve(t, store, withFilesAndMail(t, store)).URL
	r := reading{ids: map[string]string{}}
	examples := exampleBlocks.FindAllStringSubmatch(readGuide(t), -1)
	if all := strings.Count(readGuide(t), "```sh\n"); len(examples) != all || all == 0 {
		t.Fatalf("%d of %d examples show an answer", len(examples), all)
	}
	for _, example := range examples {
		command, kind, want := example[1], example[2], example[3]
		command = strings.ReplaceAll(r.real(command), guideAddress, url)
		out, err := exec.CommandContext(t.Context(), "sh", "-c", command).Output()
		if err != nil {
			t.Errorf("%s\nfails: %v", command, err)
		}
		if err := r.compare(kind, want, string(out)); err != nil {
			t.Fatalf("%s\nanswers\n%s\n%v", command, out, err)
		}
	}
}

func withFilesAndMail(t *testing.T, store graph.Store) func(*server.Options) {
	t.Helper()
	disk, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	log := slog.New(slog.DiscardHandler)
	return func(o *server.Options) {
		o.Uploads = upload.New(kv.In(store), disk, upload.Limits{Image: 1 << 20, File: 1 << 20, Quota: 1 << 20}, t.TempDir(), log)
		o.Mail = mail.NewQueue(kv.In(store), 100, log)
	}
}

func TestTheHTTPGuideKnowsTheLimits(t *testing.T) {
	text := strings.ReplaceAll(strings.ReplaceAll(readGuide(t), ",", ""), "\n", " ")
	for _, want := range []string{
		fmt.Sprintf("A batch: %d records and 32 MiB", graph.MaxBatch),
		fmt.Sprintf("A text: %d MiB", graph.MaxText>>20),
		fmt.Sprintf("A value of up to %d characters is shared", graph.MaxSharedValue),
		fmt.Sprintf("%d records on a page %d levels %d hops and selectors %d connections",
			query.MaxPageSize, query.MaxDepth, query.MaxNodes, query.MaxLinks),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
}

// Each status of the guide's table is provoked, but for those that only an accident brings about.
func TestTheHTTPGuideKnowsTheStatuses(t *testing.T) {
	open := servertest.Start(t).URL
	closed := servertest.Start(t, func(o *server.Options) { o.AnonymousWrites = false }).URL
	strict := servertest.Start(t, func(o *server.Options) { o.Attempts = 1 }).URL
	const batches = "/api/v1/local-concepts"
	seen := map[string]bool{"500 internal": true, "503 unavailable": true}
	for _, provoke := range []struct{ method, url, body string }{
		{"POST", open + "/api/getConcept", "id=seven"},
		{"DELETE", open + "/api/getConcept", ""},
		{"POST", closed + batches, `{"concepts": [{"id": -1, "categoryId": 4, "typeCharacter": "the_tag", "characterValue": "a"}]}`},
		{"POST", open + batches, `{"removeConcepts": [16]}`},
		{"GET", open + "/api/nothing", ""},
		{"POST", open + batches, `{"concepts": [], "store": "another"}`},
		{"POST", open + "/api/getConcept", "id=" + strings.Repeat("7", 1<<16)},
		{"POST", open + "/api/auth/signup", `{"email": "ann", "password": "correct horse"}`},
		{"POST", strict + "/api/auth/login", `{"email": "ann@example.org", "password": "correct horse"}`},
		{"POST", strict + "/api/auth/login", `{"email": "ann@example.org", "password": "correct horse"}`},
	} {
		request, err := http.NewRequestWithContext(t.Context(), provoke.method, provoke.url, strings.NewReader(provoke.body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var body wire.Error
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
			t.Errorf("%s %s: %v", provoke.method, provoke.url, err)
		}
		_ = answer.Body.Close()
		seen[fmt.Sprint(answer.StatusCode, " ", body.Kind)] = true
	}
	told := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| ([0-9, ]+) \\| `(\\w+)` \\|").FindAllStringSubmatch(readGuide(t), -1) {
		for status := range strings.SplitSeq(row[1], ", ") {
			told[status+" "+row[2]] = true
		}
	}
	if diff := cmp.Diff(seen, told); diff != "" {
		t.Errorf("the table differs (-seen +told):\n%s", diff)
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

// A reading of the guide knows what its ids stand for.
type reading struct{ ids map[string]string }

func (r reading) real(text string) string {
	return guideID.ReplaceAllStringFunc(text, func(id string) string {
		if real, known := r.ids[id]; known {
			return real
		}
		return id
	})
}

func (r reading) compare(kind, want, got string) error {
	if kind == "text" {
		return r.lines(want, got)
	}
	var wanted, found any
	if err := decode(want, &wanted); err != nil {
		return fmt.Errorf("the guide: %w", err)
	}
	if err := decode(got, &found); err != nil {
		return err
	}
	return r.same("the answer", wanted, found)
}

func decode(text string, v *any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// same compares what the guide shows with what was answered, which may hold more members.
func (r reading) same(where string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v; want an object", where, got)
		}
		for name, member := range want {
			if _, there := object[name]; !there {
				return fmt.Errorf("%s has no %q", where, name)
			}
			if err := r.same(where+"."+name, member, object[name]); err != nil {
				return err
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s is %v; want %d items", where, got, len(want))
		}
		for i := range want {
			if err := r.same(fmt.Sprintf("%s[%d]", where, i), want[i], list[i]); err != nil {
				return err
			}
		}
	case json.Number:
		return r.sameNumber(where, want, got)
	default:
		if want != "…" && want != got {
			return fmt.Errorf("%s is %v; want %v", where, got, want)
		}
	}
	return nil
}

// sameNumber learns what an id of the guide stands for where it meets it first.
func (r reading) sameNumber(where string, want json.Number, got any) error {
	number, ok := got.(json.Number)
	if _, known := r.ids[want.String()]; ok && !known && guideID.MatchString(want.String()) {
		r.ids[want.String()] = number.String()
	}
	if !ok || number.String() != r.real(want.String()) {
		return fmt.Errorf("%s is %v; want %v", where, got, want)
	}
	return nil
}

// lines looks for those of the guide, in order.
func (r reading) lines(want, got string) error {
	rest := strings.Split(got, "\n")
	for line := range strings.Lines(r.real(want)) {
		line = strings.TrimSuffix(line, "\n")
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "$")
		for len(rest) > 0 && !pattern.MatchString(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return fmt.Errorf("it lacks the line %s", line)
		}
		rest = rest[1:]
	}
	return nil
}
