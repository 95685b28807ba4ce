package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// print prints what was measured on a store: the shop beside a tenth of it, and then WordNet.
func print(store string, small, large, words []result) {
	fmt.Printf("\n### %s\n\n", store)
	header := []string{
		"milliseconds, median", "roots", "links", "Weft", "p95", "by hand", "ratio", "as a user", "p95", "by hand", "ratio", "HTTP", "a tenth of the data",
	}
	row(header...)
	row(strings.Split(strings.Repeat("---,", len(header)-1)+"---", ",")...)
	for i, r := range large {
		r.print(small[i].time(asSystem))
	}
	for _, r := range words {
		r.print("")
	}
	for _, r := range append(append(small, large...), words...) {
		if r.wrong != nil {
			fmt.Printf("\n%s: %v\n", r.name, r.wrong)
		}
	}
}

func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

func (r result) print(before string) {
	row(r.name, fmt.Sprint(r.roots), fmt.Sprint(r.links),
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
