package weft_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that docs/security.md names for an attack must exist.
func TestAttacksHaveTheirTests(t *testing.T) {
	text, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == "node_modules":
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		code, err := os.ReadFile(path)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(code, -1) {
			tests[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Attacks and their tests\n")
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(section, -1)
	if len(named) < 30 {
		t.Errorf("the section of docs/security.md names only %d tests", len(named))
	}
	for _, name := range named {
		if !tests[name[1]] {
			t.Errorf("docs/security.md names %s, which does not exist", name[1])
		}
	}
	for _, file := range regexp.MustCompile("`([\\w/.-]+\\.test\\.ts)`").FindAllStringSubmatch(section, -1) {
		if _, err := os.Stat(file[1]); err != nil {
			t.Errorf("docs/security.md: %v", err)
		}
	}
}
