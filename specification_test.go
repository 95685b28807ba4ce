package weft_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSpecificationTable checks docs/specification.md: the files and tests that it names must exist. An item that is the same
// as in the specification must name a test, and every other item must give a reason.
func TestSpecificationTable(t *testing.T) {
	text, err := os.ReadFile("docs/specification.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| item |") {
			if strings.HasPrefix(line, "|") && len(cells) > 4 {
				t.Errorf("a row has %d cells; want 4: %s", len(cells), line)
			}
			continue
		}
		rows++
		checkSpecificationRow(t, strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), cells[2], cells[3])
	}
	if rows < 130 {
		t.Errorf("found %d items; want 130 or more", rows)
	}
}

var (
	specifiedPath = regexp.MustCompile("`([^` ]+/[^` ]+)`")
	// citedTest matches the file of a test and its name.
	citedTest = regexp.MustCompile("`([^` ]+)` \"([^\"]+)\"")
)

func checkSpecificationRow(t *testing.T, item, state, places, evidence string) {
	t.Helper()
	paths := specifiedPath.FindAllStringSubmatch(places, -1)
	if len(paths) == 0 {
		t.Errorf("item %q does not name its place", item)
	}
	for _, path := range paths {
		if _, err := os.Stat(path[1]); err != nil {
			t.Errorf("%q names %s: %v", item, path[1], err)
		}
	}
	tests := citedTest.FindAllStringSubmatch(evidence, -1)
	for _, test := range tests {
		if file, err := os.ReadFile(test[1]); err != nil {
			t.Errorf("%q: %v", item, err)
		} else if !strings.Contains(string(file), test[2]) {
			t.Errorf("%q names the test %q, which %s does not have", item, test[2], test[1])
		}
	}
	switch state {
	case "same":
		if len(tests) == 0 {
			t.Errorf("item %q must name a test", item)
		}
	case "different", "partly", "missing":
		if len(strings.Fields(evidence)) < 6 {
			t.Errorf("item %q is %s, so it must give a reason", item, state)
		}
	default:
		t.Errorf("item %q has the unknown state %q", item, state)
	}
}
