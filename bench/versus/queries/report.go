package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A report is text in Markdown that grows.
type report struct {
	strings.Builder
	shown int // bytes
}

const heading = "## Queries, beside statements by hand\n"

// table prints what was measured on a store: the shop beside a tenth of it, and then WordNet.
func (p *report) table(store string, small, large, words []result) {
	fmt.Fprintf(p, "\n### %s\n\n", store)
	header := []string{
		"milliseconds, median", "roots", "links", "Weft", "p95", "by hand", "ratio", "as a user", "p95", "by hand", "ratio", "HTTP", "a tenth of the data",
	}
	p.header(header...)
	for i, r := range large {
		p.result(r, small[i].time(asSystem))
	}
	for _, r := range words {
		p.result(r, "")
	}
	for _, r := range append(append(small, large...), words...) {
		if r.wrong != nil {
			fmt.Fprintf(p, "\nNot the same: %s: %v\n", r.name, r.wrong)
		}
	}
}

func (p *report) header(cells ...string) {
	p.row(cells...)
	p.row(strings.Split(strings.Repeat("---,", len(cells)-1)+"---", ",")...)
}

func (p *report) row(cells ...string) { fmt.Fprintln(p, "| "+strings.Join(cells, " | ")+" |") }

func (p *report) result(r result, before string) {
	p.row(r.name, strconv.Itoa(r.roots), strconv.Itoa(r.links),
		r.time(asSystem), r.late(asSystem), r.time(byHand), r.ratio(asSystem, byHand),
		r.time(asUser), r.late(asUser), r.time(byCheckingHand), r.ratio(asUser, byCheckingHand), r.time(overHTTP), before)
}

func (r result) time(n int) string { return r.figure(n, (*way).median) }

func (r result) late(n int) string { return r.figure(n, (*way).p95) }

func (r result) figure(n int, of func(*way) time.Duration) string {
	w := r.ways[n]
	if w.err != nil {
		return fmt.Sprintf("%.60s", w.err)
	}
	ms := float64(of(w)) / float64(time.Millisecond)
	return strconv.FormatFloat(ms, 'f', max(0, 3-len(strconv.Itoa(int(ms)))), 64)
}

func (r result) ratio(n, by int) string {
	if r.ways[n].err != nil || r.ways[by].err != nil {
		return "–"
	}
	return fmt.Sprintf("%.1f×", float64(r.ways[n].median())/float64(r.ways[by].median()))
}

// show prints what is new in the report, or puts all of it into a file in place of what stands there under its heading, or at
// the end. It is called whenever there is something new, so that nothing is lost when a long run is broken off.
func (p *report) show(file string) error {
	if file == "" {
		fresh := p.String()[p.shown:]
		p.shown = p.Len()
		_, err := fmt.Print(fresh)
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
