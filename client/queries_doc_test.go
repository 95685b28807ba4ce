package client_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/server/servertest"
)

const (
	queriesGuide = "../docs/client-queries.md"
	guideAddress = "http://127.0.0.1:8080"
)

var (
	goBlocks    = regexp.MustCompile("(?ms)^```go\n(.*?)^```")
	curlBlocks  = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	tsAnswers   = regexp.MustCompile(`(?m) // → (.+)$`)
	quotedTexts = regexp.MustCompile(`'([^']*)'`)
	jsonNames   = regexp.MustCompile(`"name":"(\w+)"`)
)

// A guideQuery is a section of the guide: its query in Go, its query as a request, and the values in the response that the
// TypeScript example states. web/e2e/client-guide.test.ts runs the TypeScript example.
type guideQuery struct {
	heading, code, curl string
	answer              []string
}

// readQueriesGuide returns the shared code of the guide and its queries.
func readQueriesGuide(t *testing.T) (shared string, queries []guideQuery) {
	t.Helper()
	text, err := os.ReadFile(queriesGuide)
	if err != nil {
		t.Fatal(err)
	}
	for i, section := range strings.Split(string(text), "\n## ")[1:] {
		heading, _, _ := strings.Cut(section, "\n")
		code := goBlocks.FindStringSubmatch(section)
		if code == nil {
			t.Fatalf("%s: no example in Go", heading)
		}
		if i == 0 {
			shared = code[1]
			continue
		}
		q := guideQuery{heading: heading, code: code[1]}
		if curl := curlBlocks.FindStringSubmatch(section); curl != nil {
			q.curl = curl[1]
		}
		for _, quoted := range quotedTexts.FindAllStringSubmatch(tsAnswers.FindStringSubmatch(section)[1], -1) {
			q.answer = append(q.answer, quoted[1])
		}
		queries = append(queries, q)
	}
	return shared, queries
}

// The examples in Go and with curl must have the results that the examples in TypeScript state.
func TestQueriesGuide(t *testing.T) {
	race.Skip(t, "another process does the work")
	s := servertest.Start(t)
	token := servertest.SignUp(t, s.URL, "ann@example.org")
	shared, queries := readQueriesGuide(t)
	if len(queries) != 8 {
		t.Fatalf("the guide has %d queries; want 8", len(queries))
	}
	output := runGuideProgram(t, s.URL, token, shared, queries)
	for _, q := range queries {
		_, printed, _ := strings.Cut(output, "## "+q.heading+"\n")
		printed, _, _ = strings.Cut(printed, "## ")
		printed = strings.NewReplacer("[", " ", "]", " ").Replace(printed)
		if got, want := strings.Fields(printed), strings.Fields(strings.Join(q.answer, " ")); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: the program in Go prints %q; want %q", q.heading, got, want)
		}
		if q.curl != "" {
			checkRequest(t, s.URL, token, q)
		}
	}
}

// runGuideProgram runs all examples in Go as one program and returns its output, with headings.
func runGuideProgram(t *testing.T, url, token, shared string, queries []guideQuery) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("package main\n\n" + strings.ReplaceAll(shared, guideAddress, url) + "\nfunc main() {\n")
	for _, q := range queries {
		b.WriteString("fmt.Println(`## " + q.heading + "`)\n{\n" + q.code + "}\n")
	}
	b.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "run", file)
	command.Env = append(os.Environ(), "WEFT_TOKEN="+token)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("the program of the guide fails: %v\n%s", err, output)
	}
	return string(output)
}

// checkRequest sends the request of an example. The response must have the names of the contacts in the stated order.
func checkRequest(t *testing.T, url, token string, q guideQuery) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(q.curl, guideAddress, url))
	command.Env = append(os.Environ(), "WEFT_TOKEN="+token)
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", q.heading, err)
	}
	var names []string
	for _, match := range jsonNames.FindAllStringSubmatch(string(output), -1) {
		names = append(names, match[1])
	}
	want := strings.Fields(strings.ReplaceAll(strings.Join(q.answer, " "), " -", ""))
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("%s: the response has the names %q; want %q\n%s", q.heading, names, want, output)
	}
}
