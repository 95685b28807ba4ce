package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A report is Markdown that grows with each result.
type report struct {
	strings.Builder
	printed int // bytes printed so far
}

const heading = "## Queries, compared with handwritten statements\n"

// table adds the results of a store: the large shop next to the small one, and then WordNet.
func (p *report) table(store string, small, large, wordnet []result) {
	fmt.Fprintf(p, "\n### %s\n\n", store)
	header := []string{
		"milliseconds, median", "roots", "links", "Weft", "p95", "by hand", "ratio", "as a user", "p95", "by hand", "ratio", "HTTP", "a tenth of the data",
	}
	p.header(header...)
	for i, r := range large {
		p.resultRow(r, small[i].formatMedian(asSystem))
	}
	for _, r := range wordnet {
		p.resultRow(r, "")
	}
	for _, r := range append(append(small, large...), wordnet...) {
		if r.mismatch != nil {
			fmt.Fprintf(p, "\nDifferent results: %s: %v\n", r.name, r.mismatch)
		}
	}
}

func (p *report) header(cells ...string) {
	p.row(cells...)
	p.row(strings.Split(strings.Repeat("---,", len(cells)-1)+"---", ",")...)
}

func (p *report) row(cells ...string) { fmt.Fprintln(p, "| "+strings.Join(cells, " | ")+" |") }

func (p *report) resultRow(r result, tenth string) {
	p.row(r.name, strconv.Itoa(r.roots), strconv.Itoa(r.links),
		r.formatMedian(asSystem), r.p95(asSystem), r.formatMedian(byHand), r.ratio(asSystem, byHand),
		r.formatMedian(asUser), r.p95(asUser), r.formatMedian(byHandAsUser), r.ratio(asUser, byHandAsUser), r.formatMedian(overHTTP), tenth)
}

func (r result) formatMedian(n int) string { return r.formatFigure(n, (*way).median) }

func (r result) p95(n int) string { return r.formatFigure(n, (*way).p95) }

func (r result) formatFigure(n int, figure func(*way) time.Duration) string {
	w := r.ways[n]
	if w.err != nil {
		return fmt.Sprintf("%.60s", w.err)
	}
	ms := float64(figure(w)) / float64(time.Millisecond)
	return strconv.FormatFloat(ms, 'f', max(0, 3-len(strconv.Itoa(int(ms)))), 64)
}

func (r result) ratio(n, by int) string {
	if r.ways[n].err != nil || r.ways[by].err != nil {
		return "–"
	}
	return formatRatio(float64(r.ways[n].median()) / float64(r.ways[by].median()))
}

// formatRatio formats a ratio with one decimal, or with two below 1.
func formatRatio(ratio float64) string {
	if ratio < 1 {
		return fmt.Sprintf("%.2f×", ratio)
	}
	return fmt.Sprintf("%.1f×", ratio)
}

// write writes the report to a file, in place of the section with the same heading, or at the end of the file if it has no such
// section. If file is "", write prints the part of the report that was added since the last call. Callers call write after each result,
// so that an interrupted run loses nothing.
func (p *report) write(file string) error {
	if file == "" {
		unprinted := p.String()[p.printed:]
		p.printed = p.Len()
		_, err := fmt.Print(unprinted)
		return err
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := p.String()
	before, rest, found := strings.Cut(string(whole), heading)
	if !found {
		before = strings.TrimRight(before, "\n") + "\n\n"
	}
	if i := strings.Index(rest, "\n## "); i >= 0 {
		text += rest[i:]
	}
	return os.WriteFile(file, []byte(before+text), 0o644)
}
