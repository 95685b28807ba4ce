package vectors_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-graph/weft/internal/vectors"
)

var notWords = regexp.MustCompile(`[^a-z0-9]+`)

func TestEveryCase(t *testing.T) {
	readme, err := os.ReadFile("../../vectors/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../vectors/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c vectors.Case
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		named := strings.Trim(notWords.ReplaceAllString(strings.ToLower(c.Name), "-"), "-") + ".json"
		if got := filepath.Base(file); got != named {
			t.Errorf("%s is not named for what is true; want %s", file, named)
		}
		if area := filepath.Base(filepath.Dir(file)); !strings.Contains(string(readme), "| `"+area+"` |") {
			t.Errorf("the README does not say what area %s is", area)
		}
	}
}

// A row of a book: what was recorded, what shows the same, and the reason where there is one.
var (
	bookRow = regexp.MustCompile("(?m)^\\| `([a-z][A-Za-z0-9_-]+)` \\|(?: (`[^\n|]+) \\|)?(?: ([^`\n|]{20,}) \\|)?$")
	// A case by its path, or a test by its path and its title.
	bookShown = regexp.MustCompile("`([^`]+)`(?: \"([^\"]+)\")?")
)

// TestEveryRecordingIsHereOrHasItsReason keeps the books of what was recorded: of answers as they are shown, and of
// what a client does. Where a row names a case or a test it is there.
func TestEveryRecordingIsHereOrHasItsReason(t *testing.T) {
	recorded, err := os.ReadFile("../../vectors/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, page := range []string{"RECORDED.md", "RECORDED-CLIENT.md"} {
		book, err := os.ReadFile("../../vectors/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range bookRow.FindAllStringSubmatch(string(book), -1) {
			name, reason := row[1], row[3]
			rows[name]++
			shown := bookShown.FindAllStringSubmatch(row[2], -1)
			if len(shown) == 0 && reason == "" {
				t.Errorf("%s has neither a case nor a test nor a reason", name)
			}
			for _, s := range shown {
				if err := isShown(s[1], s[2]); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for name := range strings.FieldsSeq(string(recorded)) {
		if rows[name] != 1 {
			t.Errorf("%s has %d rows in the books; want 1", name, rows[name])
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("nobody recorded %s", name)
	}
}

// isShown says what is wrong with a case that has no title, or with a test of the browser library that has one.
func isShown(path, title string) error {
	if title == "" {
		_, err := os.Stat("../../vectors/" + path + ".json")
		return err
	}
	source, err := os.ReadFile("../../web/" + path)
	if err != nil {
		return err
	}
	// A title stands first in the call of a test, or of what test.each answers.
	test := regexp.MustCompile(`(?:\btest|\))\(\s*['"]` + regexp.QuoteMeta(title) + `['"],`)
	if !test.Match(source) {
		return fmt.Errorf("%s has no test %q", path, title)
	}
	return nil
}
