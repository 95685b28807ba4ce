package weft_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestContributingNamesFiles checks that the files and folders in the table "Where to change what" exist.
func TestContributingNamesFiles(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Where to change what")
	rows := 0
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		rows++
		for _, match := range quotedPath.FindAllStringSubmatch(line, -1) {
			if _, err := os.Stat(match[1]); err != nil {
				t.Errorf("%.60s…: %v", line, err)
			}
		}
	}
	if rows < 25 {
		t.Errorf("the table has %d rows; want 25 or more", rows)
	}
}

// quotedPath matches a file or folder in backquotes. A path has a slash and does not begin with one, or is a document.
var quotedPath = regexp.MustCompile("`([a-z][\\w.-]*/[\\w./-]+|[A-Z]+\\.md)`")
