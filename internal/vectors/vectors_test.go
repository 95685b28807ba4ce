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
