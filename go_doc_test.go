package weft_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every block of Go code in docs/go.md must be part of an example that runs, or of the types of the examples.
func TestGuideForGoConsistsOfExamples(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	unindent := regexp.MustCompile(`(?m)^[\t ]+`)
	source := unindent.ReplaceAllString(read("example_test.go"), "")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read("docs/go.md"), -1)
	if len(blocks) < 10 {
		t.Errorf("the guide has only %d blocks; want 10 or more", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(source, unindent.ReplaceAllString(block[1], "")) {
			t.Errorf("no example contains this block:\n%s", block[1])
		}
	}
}
