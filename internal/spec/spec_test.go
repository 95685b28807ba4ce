package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/spec"
)

var notWords = regexp.MustCompile(`[^a-z0-9]+`)

func TestCasesAreWellFormed(t *testing.T) {
	readme, err := os.ReadFile("../../spec/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../spec/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases, %v; want some", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c spec.Case
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		named := strings.Trim(notWords.ReplaceAllString(strings.ToLower(c.Name), "-"), "-") + ".json"
		if got := filepath.Base(file); got != named {
			t.Errorf("%s is not named like its case; want %s", file, named)
		}
		if area := filepath.Base(filepath.Dir(file)); !strings.Contains(string(readme), "| `"+area+"` |") {
			t.Errorf("the README does not describe area %s", area)
		}
	}
}

// recordingRow matches a row of a page of recordings: the recording, the cases and tests that cover it, and the
// reason, if any.
var (
	recordingRow = regexp.MustCompile("(?m)^\\| `([a-z][A-Za-z0-9_-]+)` \\|(?: (`[^\n|]+) \\|)?(?: ([^`\n|]{20,}) \\|)?$")
	// reference matches the path of a case, or the path and title of a test.
	reference = regexp.MustCompile("`([^`]+)`(?: \"([^\"]+)\")?")
)

// TestRecordingsAreCoveredOrExplained checks that RECORDED.md and RECORDED-CLIENT.md have one row per recording, and
// that the cases and tests in these rows exist.
func TestRecordingsAreCoveredOrExplained(t *testing.T) {
	recorded, err := os.ReadFile("../../spec/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, file := range []string{"RECORDED.md", "RECORDED-CLIENT.md"} {
		page, err := os.ReadFile("../../spec/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range recordingRow.FindAllStringSubmatch(string(page), -1) {
			name, reason := row[1], row[3]
			rows[name]++
			covered := reference.FindAllStringSubmatch(row[2], -1)
			if len(covered) == 0 && reason == "" {
				t.Errorf("%s has neither a case nor a test nor a reason", name)
			}
			for _, s := range covered {
				if err := checkReference(s[1], s[2]); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for name := range strings.FieldsSeq(string(recorded)) {
		if rows[name] != 1 {
			t.Errorf("%s has %d rows; want 1", name, rows[name])
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("%s is not in recorded.txt", name)
	}
}

// checkReference returns an error if a case (without a title) or a test of the browser library (with a title) does
// not exist.
func checkReference(path, title string) error {
	if title == "" {
		_, err := os.Stat("../../spec/" + path + ".json")
		return err
	}
	source, err := os.ReadFile("../../web/" + path)
	if err != nil {
		return err
	}
	// The title is the first argument of test, or of the function that test.each returns.
	test := regexp.MustCompile(`(?:\btest|\))\(\s*['"]` + regexp.QuoteMeta(title) + `['"],`)
	if !test.Match(source) {
		return fmt.Errorf("%s has no test %q", path, title)
	}
	return nil
}
