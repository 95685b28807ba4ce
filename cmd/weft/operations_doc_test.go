package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Every command, flag and setting in the guide for operators exists.
func TestTheGuideForOperatorsIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	guide, seen := string(text), 0
	for _, line := range weftLines.FindAllStringSubmatch(guide, -1) {
		seen++
		args := strings.Fields(strings.ReplaceAll(line[1], "'", ""))
		if i := strings.Index(line[1], "--config"); i >= 0 {
			args = []string{"serve"} // the file is looked at below
		}
		if _, err := parser(&commands{}).Parse(args); err != nil {
			t.Errorf("weft %s: %v", line[1], err)
		}
	}
	if seen < 8 {
		t.Errorf("%d commands were found; where are the others?", seen)
	}
	line, err := parser(&commands{}).Parse([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"force": true, "admin": true, "same-users": true}
	for _, flag := range line.Flags() {
		known[flag.Name] = true
	}
	for _, flag := range flagsInText.FindAllStringSubmatch(guide, -1) {
		if !known[flag[1]] {
			t.Errorf("there is no flag --%s", flag[1])
		}
	}
	_, settings, _ := strings.Cut(guide, "```yaml\n")
	settings, _, _ = strings.Cut(settings, "```")
	file := filepath.Join(t.TempDir(), "weft.yaml")
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	var read configured
	if _, err := parser(&commands{}, kong.Resolvers(&read)).Parse([]string{"serve", "--config", file}); err != nil || read.err != nil {
		t.Errorf("the settings: %v, %v", err, read.err)
	}
}

var (
	weftLines   = regexp.MustCompile(`(?m)^(?:ExecStart=/usr/local/bin/|WEFT_\S+ |sudo -u weft )?weft (.*)$`)
	flagsInText = regexp.MustCompile("`--([a-z-]+)")
)
