package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Every command, flag and setting in the guide for operators must exist.
func TestOperatorsGuideNamesOnlyExistingCommandsAndFlags(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	guide, commandCount := string(text), 0
	for _, line := range weftLines.FindAllStringSubmatch(guide, -1) {
		commandCount++
		args := strings.Fields(strings.ReplaceAll(line[1], "'", ""))
		if i := strings.Index(line[1], "--config"); i >= 0 {
			args = []string{"serve"} // the settings in the file are checked below
		}
		if _, err := parser(&commands{}).Parse(args); err != nil {
			t.Errorf("weft %s: %v", line[1], err)
		}
	}
	if commandCount < 8 {
		t.Errorf("found only %d commands; want 8 or more", commandCount)
	}
	known := map[string]bool{}
	collectFlags(parser(&commands{}).Model.Node, known)
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
	var config configFile
	if _, err := parser(&commands{}, kong.Resolvers(&config)).Parse([]string{"serve", "--config", file}); err != nil || config.err != nil {
		t.Errorf("the settings in the guide are refused: %v, %v", err, config.err)
	}
}

// collectFlags adds the flags of a command and of its subcommands to names.
func collectFlags(command *kong.Node, names map[string]bool) {
	for _, flag := range command.Flags {
		names[flag.Name] = true
	}
	for _, child := range command.Children {
		collectFlags(child, names)
	}
}

var (
	weftLines   = regexp.MustCompile(`(?m)^(?:ExecStart=/usr/local/bin/|WEFT_\S+ |sudo -u weft )?weft (.*)$`)
	flagsInText = regexp.MustCompile("`--([a-z-]+)")
)
