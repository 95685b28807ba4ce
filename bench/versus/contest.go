package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// clients is how many ask at once, and how many read while one writes.
const clients = 8

// contest asks everybody everything, by turns, and prints what came of it.
func (o options) contest(all []*contestant) error {
	limit, err := newBare()
	if err != nil {
		return err
	}
	defer limit.close() //nolint:errcheck // the process ends soon
	header := []string{"requests per second, median"}
	for _, c := range all {
		header = append(header, c.name)
	}
	row(append(header, "bare HTTP", "Weft / bare", "Weft / PocketBase")...)
	row(strings.Split(strings.Repeat("---,", len(header)+3), ",")[:len(header)+3]...)
	for _, what := range []string{getByID, getByPair, adjacency, nested, bulk} {
		if err := o.read(what, all, limit); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	for _, what := range []string{batch1k, batch2k} {
		if err := o.write(what, all); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	fmt.Println()
	row("8 readers and a writer", "reads/s", "p50", "p99", "p99 / p50", "records written/s", "memory at most, MB")
	row("---", "---", "---", "---", "---", "---", "---")
	for _, c := range all {
		if err := o.mixed(c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

func (o options) read(what string, all []*contestant, limit *bare) error {
	note("%s", what)
	figures := make([][]float64, len(all)+1)
	like, err := limit.like(all[0].asks[what])
	if err != nil {
		return err
	}
	for range o.rounds {
		for i, c := range all {
			if c.asks[what] == nil {
				continue
			}
			r, err := load(c.asks[what], clients, o.turn)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			figures[i] = append(figures[i], r.perSecond)
		}
		r, err := load(like, clients, o.turn)
		if err != nil {
			return err
		}
		figures[len(all)] = append(figures[len(all)], r.perSecond)
	}
	cells := []string{what}
	for _, f := range figures {
		cells = append(cells, whole(f))
	}
	cells = append(cells, fmt.Sprintf("%.0f %%", 100*median(figures[0])/median(figures[len(all)])), ratio(figures[0], all, figures))
	row(cells...)
	return nil
}

func whole(figures []float64) string {
	if len(figures) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", median(figures))
}

// ratio is how many times as much the first does as the last, when that is a peer that can do it.
func ratio(first []float64, all []*contestant, figures [][]float64) string {
	last := figures[len(all)-1]
	if all[len(all)-1].name != "PocketBase" || len(last) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f×", median(first)/median(last))
}

// write counts the records of batches sent one after the other.
func (o options) write(what string, all []*contestant) error {
	note("%s", what)
	figures := make([][]float64, len(all))
	for range o.rounds {
		for i, c := range all {
			r, err := load(c.asks[what], 1, o.turn)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			figures[i] = append(figures[i], r.perSecond*float64(c.rows[what]))
		}
	}
	cells := []string{what + " (records)"}
	for _, f := range figures {
		cells = append(cells, whole(f))
	}
	row(append(cells, "–", "–", ratio(figures[0], all, figures))...)
	return nil
}

// mixed lets readers ask for concepts by id while one writes batches of 1,000 as fast as they are taken.
func (o options) mixed(c *contestant) error {
	note("8 readers and a writer: %s", c.name)
	var (
		wait    sync.WaitGroup
		written run
		failed  error
	)
	duration := 3 * o.turn
	wait.Go(func() { written, failed = load(c.asks[batch1k], 1, duration) })
	r, err := load(c.asks[getByID], clients, duration)
	wait.Wait()
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	p50, p99 := r.percentile(50), r.percentile(99)
	row(c.name, fmt.Sprintf("%.0f", r.perSecond), p50.Round(time.Microsecond).String(), p99.Round(time.Microsecond).String(),
		fmt.Sprintf("%.1f×", float64(p99)/float64(p50)), fmt.Sprintf("%.0f", written.perSecond*float64(c.rows[batch1k])),
		fmt.Sprintf("%.0f", c.process.memory()))
	return nil
}

func printBatches(wefts []*weft) {
	fmt.Println()
	row("a batch of 1,000 values, in the store", "rows there already", "median")
	row("---", "---", "---")
	for _, w := range wefts {
		for _, s := range w.batches {
			row(w.name, fmt.Sprint(s.rows), s.took.Round(10*time.Microsecond).String())
		}
	}
}
