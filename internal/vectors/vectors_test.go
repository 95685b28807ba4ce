package vectors_test

import (
	"bytes"
	"encoding/json"
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

var bookRow = regexp.MustCompile("(?m)^\\| `([a-z][A-Za-z0-9-]+)` \\|(?: `([a-z0-9/-]+)` \\|)?(?: ([^`\n]{20,}) \\|)?$")

// TestEveryRecordingIsHereOrHasItsReason keeps the book of what was recorded of answers as they are shown.
func TestEveryRecordingIsHereOrHasItsReason(t *testing.T) {
	book, err := os.ReadFile("../../vectors/RECORDED.md")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("../../vectors/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, row := range bookRow.FindAllStringSubmatch(string(book), -1) {
		name, file, reason := row[1], row[2], row[3]
		rows[name]++
		if file == "" && reason == "" {
			t.Errorf("%s has neither a case nor a reason", name)
		}
		if file == "" {
			continue
		}
		if _, err := os.Stat("../../vectors/" + file + ".json"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name := range strings.FieldsSeq(string(recorded)) {
		if rows[name] != 1 {
			t.Errorf("%s has %d rows in the book; want 1", name, rows[name])
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("nobody recorded %s", name)
	}
}
