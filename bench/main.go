// Command bench summarises the output of `go test -bench . -count N` in one table of medians, so that figures are
// always quoted in the same form:
//
//	go test -run '^$' -bench . -count 5 ./... | go run ./bench
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func main() {
	t, err := readResults(os.Stdin)
	if err == nil {
		err = t.print(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A table holds benchmarks in the order in which they ran, with the figures of every run.
type table struct {
	names   []string
	figures map[string]map[string][]float64 // keyed by name, then unit
	failed  []string
}

// resultLine matches a result: the name without the number of processors, the number of iterations, then figures with
// units.
var resultLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+(\d+)\s+(.*)$`)

// readResults reads the output of go test.
func readResults(r io.Reader) (table, error) {
	t := table{figures: map[string]map[string][]float64{}}
	lines := bufio.NewScanner(r)
	pkg := ""
	for lines.Scan() {
		text := lines.Text()
		if path, ok := strings.CutPrefix(text, "pkg: "); ok {
			pkg = strings.TrimPrefix(path, "github.com/weft-graph/weft/") + ": "
			fmt.Fprintln(os.Stderr, text) // shows progress
		}
		if strings.HasPrefix(text, "--- FAIL") || strings.HasPrefix(text, "FAIL") {
			t.failed = append(t.failed, text)
		}
		if found := resultLine.FindStringSubmatch(text); found != nil {
			t.add(pkg+found[1], strings.Fields(found[3]))
		}
	}
	return t, lines.Err()
}

// add adds the figures of one run: pairs of a number and a unit.
func (t *table) add(name string, fields []string) {
	if t.figures[name] == nil {
		t.names = append(t.names, name)
		t.figures[name] = map[string][]float64{}
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if n, err := strconv.ParseFloat(fields[i], 64); err == nil {
			t.figures[name][fields[i+1]] = append(t.figures[name][fields[i+1]], n)
		}
	}
}

func (t *table) print(w io.Writer) error {
	if len(t.failed) > 0 {
		return fmt.Errorf("a benchmark failed: %s", strings.Join(t.failed, "; "))
	}
	if len(t.names) == 0 {
		return fmt.Errorf("no results in the input")
	}
	fmt.Fprint(w, "## Go\n\n| benchmark | medians |\n|---|---|\n")
	for _, name := range t.names {
		fmt.Fprintf(w, "| %s | %s |\n", strings.ReplaceAll(name, "_", " "), strings.ReplaceAll(formatMedians(t.figures[name]), "_", " "))
	}
	return nil
}

// formatMedians returns the median of each unit, sorted by unit.
func formatMedians(figures map[string][]float64) string {
	var parts []string
	for unit, all := range figures {
		slices.Sort(all)
		parts = append(parts, formatFigure(all[len(all)/2], unit))
	}
	slices.SortFunc(parts, func(a, b string) int { return strings.Compare(unitOf(a), unitOf(b)) })
	return strings.Join(parts, " · ")
}

// formatFigure formats a figure with at least three significant digits. Durations are shown in a suitable unit.
func formatFigure(n float64, unit string) string {
	if unit == "ns/op" {
		switch {
		case n >= 1e9:
			n, unit = n/1e9, "s/op"
		case n >= 1e6:
			n, unit = n/1e6, "ms/op"
		case n >= 1e3:
			n, unit = n/1e3, "µs/op"
		}
	}
	return strconv.FormatFloat(n, 'g', max(3, len(strconv.Itoa(int(n)))), 64) + " " + unit
}

func unitOf(figure string) string {
	_, unit, _ := strings.Cut(figure, " ")
	return unit
}
