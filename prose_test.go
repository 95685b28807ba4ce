package weft_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The largest share of sentences with an idiom, in one folder and in all of them together.
const (
	maxIdiomsPerFolder = 0.02
	maxIdiomsOverall   = 0.01
)

// idioms match sentences that readers must translate: headless clauses, actors without a role, and metaphors for what
// code does. They are a proxy: STYLE.md says what good prose is. web/prose.test.ts holds the same list.
var idioms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(What|Whatever|Who|Whoever|Whose)\b[^?]*$`),
	regexp.MustCompile(`(?i)\b(of|for|to|by|than|with|as|from|but|and|or|only) (what|whatever|who|whoever|whom|whose)\b`),
	regexp.MustCompile(`(?i)\b(some|no|any|every)body\b`),
	regexp.MustCompile(`(?i)\b(told|tells)\b`),
	regexp.MustCompile(`(?i)\b(stands?|stood)\b`),
	regexp.MustCompile(`(?i)\b(is|are) no [a-z]+`),
	regexp.MustCompile(`(?i)\blets? go\b`),
	regexp.MustCompile(`(?i)\bhangs?\b`),
	regexp.MustCompile(`(?i)\bupon\b`),
}

type sentence struct {
	file string
	line int
	text string
}

func (s sentence) String() string { return fmt.Sprintf("%s:%d: %s", s.file, s.line, s.text) }

func (s sentence) hasIdiom() bool { return hasIdiom(s.text) }

// TestProse counts idioms in the comments, test names and error texts of Go files, in the comments of SQL and make files,
// and in Markdown. Its TypeScript twin is web/prose.test.ts.
func TestProse(t *testing.T) {
	folders := map[string][]sentence{}
	var all []sentence
	for file := range proseFiles(t) {
		found := sentencesIn(t, file)
		folders[path.Dir(file)] = append(folders[path.Dir(file)], found...)
		all = append(all, found...)
	}
	if len(all) < 5000 {
		t.Fatalf("found only %d sentences; want 5000 or more: the check probably misses files", len(all))
	}
	for folder, sentences := range folders {
		if share := idiomShare(sentences); share > maxIdiomsPerFolder {
			t.Errorf("%s: %.1f %% of %d sentences use an idiom, %.0f %% is the limit", folder, 100*share, len(sentences), 100*maxIdiomsPerFolder)
			printIdioms(t, sentences)
		}
	}
	share := idiomShare(all)
	t.Logf("%.2f %% of %d sentences use an idiom", 100*share, len(all))
	if share > maxIdiomsOverall {
		t.Errorf("%.1f %% of all sentences use an idiom, %.0f %% is the limit", 100*share, 100*maxIdiomsOverall)
		printIdioms(t, all)
	}
}

func TestIdioms(t *testing.T) {
	for text, want := range map[string]bool{
		"What waits is sent.":                true,
		"sends it to whoever asks":           true,
		"told to nobody":                     true,
		"a write that stands for itself":     true,
		"what is no id":                      true,
		"lets go of the lock":                true,
		"it hangs there":                     true,
		"upon return":                        true,
		"What does a reader see?":            false,
		"Returns `whoever` unchanged.":       false,
		"Zero fields match anything.":        false,
		"The request hung.":                  false,
		"Understanding the outstanding rows": false,
	} {
		if hasIdiom(text) != want {
			t.Errorf("hasIdiom(%q) = %t", text, !want)
		}
	}
}

func printIdioms(t *testing.T, sentences []sentence) {
	t.Helper()
	for _, s := range sentences {
		if s.hasIdiom() {
			t.Log(s)
		}
	}
}

func idiomShare(sentences []sentence) float64 {
	if len(sentences) == 0 {
		return 0
	}
	return float64(len(slices.DeleteFunc(slices.Clone(sentences), func(s sentence) bool { return !s.hasIdiom() }))) / float64(len(sentences))
}

func hasIdiom(text string) bool {
	text = codeSpan.ReplaceAllString(text, "code")
	return slices.ContainsFunc(idioms, func(idiom *regexp.Regexp) bool { return idiom.MatchString(text) })
}

// proseFiles yields the paths of the Go, Markdown, SQL and make files of all modules, relative to the root. web/prose.test.ts
// checks TypeScript and CSS.
func proseFiles(t *testing.T) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains([]string{"node_modules", "dist", "testdata", "bin", ".git", "weft-data"}, entry.Name()):
				return filepath.SkipDir
			case file != "prose_test.go" && isProse(file) && !yield(filepath.ToSlash(file)):
				return filepath.SkipAll
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func isProse(file string) bool {
	return filepath.Base(file) == "Makefile" || slices.Contains([]string{".go", ".md", ".sql"}, filepath.Ext(file))
}

func sentencesIn(t *testing.T, file string) []sentence {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(file) {
	case ".go":
		return goSentences(t, file, source)
	case ".md":
		return split(file, 1, fencedCode.ReplaceAllStringFunc(string(source), onlyNewlines))
	case ".sql":
		return lineComments(file, string(source), "--")
	default:
		return lineComments(file, string(source), "#")
	}
}

func onlyNewlines(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }

func lineComments(file, source, mark string) []sentence {
	var found []sentence
	for i, line := range strings.Split(source, "\n") {
		if comment, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
			found = append(found, split(file, i+1, comment)...)
		}
	}
	return found
}

// goSentences reads comments, the names of subtests and cases, and the messages of errors and log lines.
func goSentences(t *testing.T, file string, source []byte) []sentence {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var found []sentence
	add := func(position token.Pos, text string) {
		found = append(found, split(file, files.Position(position).Line, text)...)
	}
	for _, group := range parsed.Comments {
		add(group.Pos(), group.Text())
	}
	isTest := strings.HasSuffix(file, "_test.go")
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			for _, argument := range proseArguments(node) {
				add(argument.Pos(), text(argument))
			}
		case *ast.KeyValueExpr:
			if key, ok := node.Key.(*ast.Ident); ok && isTest && key.Name == "name" {
				add(node.Pos(), text(node.Value))
			}
			if isTest {
				add(node.Pos(), text(node.Key))
			}
		}
		return true
	})
	return found
}

// textFunctions are the functions and methods whose arguments people read: names of subtests, errors, log lines, help.
var textFunctions = regexp.MustCompile(`^(Run|New|Errorf|Invalid|NotFound|Conflict|Forbidden|Debug|Info|Warn|Error)$`)

func proseArguments(call *ast.CallExpr) []ast.Expr {
	name := ""
	switch called := call.Fun.(type) {
	case *ast.Ident:
		name = called.Name
	case *ast.SelectorExpr:
		name = called.Sel.Name
	}
	if !textFunctions.MatchString(name) {
		return nil
	}
	return call.Args
}

// text returns the value of a string literal, or "" for any other expression.
func text(expression ast.Expr) string {
	literal, ok := expression.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	value, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return value
}

var (
	blockEnd    = regexp.MustCompile(`\n\s*\n|\n\s*(?:[-*#|>]|\d+\.)\s|\s\|\s`)
	sentenceEnd = regexp.MustCompile("[.:;!?]\\s+[A-Z`]")
)

// split returns the sentences of text, which starts at the given line of a file, except the sentences of one word. An empty line, a list
// item or a table cell also ends a sentence.
func split(file string, line int, text string) []sentence {
	var found []sentence
	add := func(start, end int) {
		words := strings.Fields(strings.Trim(text[start:end], " \t\n-*#|>"))
		if len(words) > 1 {
			sentenceLine := line + strings.Count(text[:start], "\n")
			found = append(found, sentence{file, sentenceLine, strings.Join(words, " ")})
		}
	}
	start := 0
	for _, block := range append(blockEnd.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		for {
			end := sentenceEnd.FindStringIndex(text[start:block[0]])
			if end == nil {
				break
			}
			add(start, start+end[0]+1)
			start += end[1] - 1
		}
		add(start, block[0])
		start = block[1]
	}
	return found
}
