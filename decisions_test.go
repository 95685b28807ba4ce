package weft_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	decisionStatus   = regexp.MustCompile(`(?m)^- Status: (accepted|superseded by \[?\d{4}\b.*)$`)
	decisionDate     = regexp.MustCompile(`(?m)^- Date: \d{4}-\d\d-\d\d$`)
	decisionSections = []string{"## Context", "## Options", "## Decision", "## Consequences"}
)

// TestDecisions checks that every page of docs/decisions has the same form, and that the identifiers, files and flags it
// quotes exist. A change that renames or removes code must therefore update the pages that describe it.
func TestDecisions(t *testing.T) {
	pages, err := filepath.Glob("docs/decisions/[0-9]*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("found %d decisions: %v; want 10 or more", len(pages), err)
	}
	known := sourceWords(t)
	for _, page := range pages {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		if !decisionDate.MatchString(text) || !decisionStatus.MatchString(text) {
			t.Errorf("%s: lacks a line `- Date: YYYY-MM-DD` or `- Status: accepted`", page)
		}
		for _, section := range decisionSections {
			if !strings.Contains(text, "\n"+section+"\n") {
				t.Errorf("%s: no section %q", page, section)
			}
		}
		for _, quoted := range codeSpan.FindAllString(fencedCode.ReplaceAllString(text, ""), -1) {
			for _, word := range identifiers(strings.Trim(quoted, "`")) {
				if !known[word] {
					t.Errorf("%s: %s quotes %q, which the code does not contain", page, quoted, word)
				}
			}
		}
	}
}

// TestDecisionLinks checks that code and docs only refer to decisions that exist.
func TestDecisionLinks(t *testing.T) {
	links := 0
	for file := range sourceFiles(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range decisionLink.FindAllString(string(content), -1) {
			links++
			if found, _ := filepath.Glob(link + "*.md"); len(found) != 1 {
				t.Errorf("%s: %s is not a decision", file, link)
			}
		}
	}
	if links < 10 {
		t.Errorf("found %d links to decisions in the code; want 10 or more", links)
	}
}

var (
	decisionLink = regexp.MustCompile(`docs/decisions/\d{4}`)
	identifier   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{3,}`)
	codeSpan     = regexp.MustCompile("`[^`]*`")
	fencedCode   = regexp.MustCompile("(?s)```.*?```")
)

// identifiers returns the words of a code span that may be identifiers: words of four or more letters, digits and
// underscores. It cannot distinguish identifiers from example values, so example values must also occur in the code.
func identifiers(span string) []string { return identifier.FindAllString(span, -1) }

// sourceWords returns every identifier that occurs in the code.
func sourceWords(t *testing.T) map[string]bool {
	words := map[string]bool{}
	for file := range sourceFiles(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range identifier.FindAllString(string(content), -1) {
			words[word] = true
		}
		for _, word := range identifier.FindAllString(file, -1) {
			words[word] = true
		}
	}
	return words
}

// sourceFiles yields the code of the repository: files of every language, without docs and shared cases.
func sourceFiles(t *testing.T) func(yield func(string) bool) {
	skipped := []string{"node_modules", "dist", "testdata", "bin", ".git", "weft-data", "docs", "spec"}
	kinds := []string{".go", ".ts", ".tsx", ".mjs", ".js", ".sql", ".html", ".css", ".json"}
	return func(yield func(string) bool) {
		err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains(skipped, entry.Name()) && file != "internal/spec":
				return filepath.SkipDir
			case (entry.Name() == "Makefile" || slices.Contains(kinds, filepath.Ext(file))) && file != "decisions_test.go" && !yield(file):
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
