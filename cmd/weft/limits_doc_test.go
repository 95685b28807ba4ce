package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The guide for operators has a table of all limits. Every flag and every constant in the table must exist and have the
// value that the table gives. Every flag of the group Limits must have a row, and so must every constant that the
// overview of package server (doc.go) lists as a limit.
func TestTableOfLimitsAgreesWithTheCode(t *testing.T) {
	rows := limitRows(t)
	if len(rows) < 60 {
		t.Errorf("found only %d rows; want 60 or more", len(rows))
	}
	flags, constants := limitFlagDefaults(t), newConstants(t)
	for source, shown := range rows {
		var got string
		var err error
		if flag, isFlag := strings.CutPrefix(source, "--"); isFlag {
			value, known := flags[flag]
			if got = value; !known {
				err = fmt.Errorf("there is no flag --%s", flag)
			}
		} else {
			got, err = constants.find(source)
		}
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		want, err := parseQuantity(shown)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if code, err := parseQuantity(got); err != nil || code != want {
			t.Errorf("%s: the limit in the table = %q; want %q, as in the code (%v)", source, shown, got, err)
		}
	}
	checkAllListed(t, rows, constants)
}

// checkAllListed reports flags of the group Limits and limits of package server that have no row.
func checkAllListed(t *testing.T, rows map[string]string, constants *constants) {
	line, err := parser(&commands{}).Parse([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range line.Flags() {
		if flag.Group != nil && flag.Group.Key == "Limits" && rows["--"+flag.Name] == "" {
			t.Errorf("the table of limits has no row for --%s", flag.Name)
		}
	}
	doc, err := os.ReadFile("../../internal/server/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "// # Limits\n")
	table, _, _ = strings.Cut(table, "// # ")
	for _, name := range limitNames.FindAllString(table, -1) {
		if source := "server." + name; rows[source] == "" && constants.has(source) {
			t.Errorf("the table of limits has no row for %s, which internal/server/doc.go lists", source)
		}
	}
}

var (
	limitNames = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z]*\b`)
	limitRow   = regexp.MustCompile("(?m)^\\| [^|]+ \\| ([^|]+) \\| `(--[a-z-]+|[a-z]+\\.[A-Za-z]+)` \\| [^|]+ \\|$")
)

// limitRows returns the defaults in the table of limits by flag or constant.
func limitRows(t *testing.T) map[string]string {
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Limits\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]string{}
	for _, row := range limitRow.FindAllStringSubmatch(table, -1) {
		if rows[row[2]] != "" {
			t.Errorf("%s has two rows", row[2])
		}
		rows[row[2]] = row[1]
	}
	if lines := strings.Count(table, "\n|") - strings.Count(table, "\n| **") - 2; lines != len(rows) {
		t.Errorf("only %d of %d rows of the table could be read; the third column must be a flag or package.constant", len(rows), lines)
	}
	return rows
}

// limitFlagDefaults returns the defaults of the flags of weft serve, "off" for a flag without one.
func limitFlagDefaults(t *testing.T) map[string]string {
	line, err := parser(&commands{}).Parse([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	for _, flag := range line.Flags() {
		defaults[flag.Name] = flag.Default
		if flag.Default == "" {
			defaults[flag.Name] = "off"
		}
	}
	return defaults
}

// Units of the quantities in the table: bytes and nanoseconds.
var quantityUnits = map[string]float64{
	"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	"ms": float64(time.Millisecond), "s": float64(time.Second), "min": float64(time.Minute), "m": float64(time.Minute), "h": float64(time.Hour),
	"days": 24 * float64(time.Hour), "d": 24 * float64(time.Hour),
}

var quantity = regexp.MustCompile(`^([0-9][0-9,.]*) ?([A-Za-z]*)$`)

// parseQuantity returns a number of bytes or nanoseconds, or a number without a unit. For "off" it returns 0.
func parseQuantity(text string) (float64, error) {
	if text == "off" {
		return 0, nil
	}
	parts := quantity.FindStringSubmatch(text)
	if parts == nil {
		return 0, fmt.Errorf("%q is not a number with a unit", text)
	}
	unit, known := quantityUnits[parts[2]]
	if !known {
		return 0, fmt.Errorf("%q has none of the units %q", text, slices.Sorted(maps.Keys(quantityUnits)))
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(parts[1], ",", ""), 64)
	return n * unit, err
}

// constants evaluates integer constants of this module from their source. Constants of other modules are unknown, except
// the durations of package time.
type constants struct {
	folders map[string][]string            // keyed by package name; several packages may have the same name
	parsed  map[string]map[string]ast.Expr // keyed by package name, then by constant
}

// newConstants finds the packages of the module. A package is named by the last element of its path.
func newConstants(t *testing.T) *constants {
	c := &constants{folders: map[string][]string{}, parsed: map[string]map[string]ast.Expr{}}
	for _, root := range []string{"graph", "wire", "query", "composition", "internal"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				c.folders[filepath.Base(path)] = append(c.folders[filepath.Base(path)], path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func (c *constants) has(source string) bool {
	_, err := c.find(source)
	return err == nil
}

// find returns the value of package.constant in decimal digits.
func (c *constants) find(source string) (string, error) {
	pkg, name, _ := strings.Cut(source, ".")
	value, err := c.named(pkg, name)
	if err != nil {
		return "", err
	}
	return value.ExactString(), nil
}

func (c *constants) named(pkg, name string) (constant.Value, error) {
	if pkg == "time" {
		unit := map[string]time.Duration{"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour, "Millisecond": time.Millisecond}[name]
		return constant.MakeInt64(int64(unit)), nil
	}
	if c.parsed[pkg] == nil {
		c.parsed[pkg] = parseConstants(c.folders[pkg])
	}
	expr := c.parsed[pkg][name]
	if expr == nil {
		return nil, fmt.Errorf("package %s declares no constant %s", pkg, name)
	}
	return c.evaluate(pkg, expr)
}

// parseConstants returns the constants that the files of some folders declare.
func parseConstants(folders []string) map[string]ast.Expr {
	found := map[string]ast.Expr{}
	var files []string
	for _, folder := range folders {
		more, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		files = append(files, more...)
	}
	for _, file := range files {
		tree, err := goparser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == len(spec.Names) {
				for i, name := range spec.Names {
					found[name.Name] = spec.Values[i]
				}
			}
			return true
		})
	}
	return found
}

func (c *constants) evaluate(pkg string, expr ast.Expr) (constant.Value, error) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
	case *ast.ParenExpr:
		return c.evaluate(pkg, e.X)
	case *ast.Ident:
		return c.named(pkg, e.Name)
	case *ast.SelectorExpr:
		if from, ok := e.X.(*ast.Ident); ok {
			return c.named(from.Name, e.Sel.Name)
		}
	case *ast.BinaryExpr:
		x, err := c.evaluate(pkg, e.X)
		if err != nil {
			return nil, err
		}
		y, err := c.evaluate(pkg, e.Y)
		if err != nil {
			return nil, err
		}
		return operate(x, e.Op, y), nil
	}
	return nil, fmt.Errorf("cannot evaluate a %T", expr)
}

func operate(x constant.Value, op token.Token, y constant.Value) constant.Value {
	if op == token.SHL || op == token.SHR {
		n, _ := constant.Uint64Val(y)
		return constant.Shift(x, op, uint(n))
	}
	if op == token.QUO {
		op = token.QUO_ASSIGN // integer division
	}
	return constant.BinaryOp(x, op, y)
}
