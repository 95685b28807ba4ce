package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/bench/versus/child"
)

// clients is how many ask at once, and how many read while one writes.
const clients = 8

// A column is whoever answers a question in one cell of a line.
type column struct {
	name string
	asks func(what string) (question, error)
}

// columns are every contestant, beside each Weft its limit, and at last nothing but HTTP.
func columns(all []*contestant, hands []*child.Process) []column {
	var list []column
	for i, c := range all {
		list = append(list, column{c.name, func(what string) (question, error) { return c.asks[what], nil }})
		if i < len(hands) {
			list = append(list, column{"by hand", func(what string) (question, error) { return like(hands[i], what, c.asks[what], false) }})
		}
	}
	if len(hands) > 0 {
		list = append(list, column{"bare HTTP", func(what string) (question, error) { return like(hands[0], what, all[0].asks[what], true) }})
	}
	return list
}

// contest asks everybody everything, by turns, and prints what came of it.
func (o options) contest(ctx context.Context, all []*contestant, wefts []*weft) error {
	var hands []*child.Process
	for _, w := range wefts {
		h, err := handOf(ctx, w)
		if err != nil {
			return err
		}
		defer h.Stop() //nolint:errcheck // it has nothing to lose
		hands = append(hands, h)
	}
	list := columns(all, hands)
	header := []string{"requests per second, median"}
	for _, c := range list {
		header = append(header, c.name)
	}
	row(append(header, "SQLite / by hand", "SQLite / PocketBase")...)
	row(strings.Split(strings.Repeat("---,", len(header)+2), ",")[:len(header)+2]...)
	for _, what := range []string{getByID, getByPair, adjacency, nested, bulk} {
		if err := o.read(what, list); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	fmt.Println()
	header = []string{"records per second, median"}
	for _, c := range all {
		header = append(header, c.name)
	}
	row(append(header, "SQLite / PocketBase")...)
	row(strings.Split(strings.Repeat("---,", len(header)+1), ",")[:len(header)+1]...)
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

func (o options) read(what string, list []column) error {
	note("%s", what)
	asks, figures := make([]question, len(list)), make([][]float64, len(list))
	for i, c := range list {
		var err error
		if asks[i], err = c.asks(what); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for range o.rounds {
		for i, q := range asks {
			if q == nil {
				continue
			}
			r, err := load(q, clients, o.turn)
			if err != nil {
				return fmt.Errorf("%s: %w", list[i].name, err)
			}
			figures[i] = append(figures[i], r.perSecond)
		}
	}
	cells := []string{what}
	for _, f := range figures {
		cells = append(cells, whole(f))
	}
	row(append(cells, fmt.Sprintf("%.0f %%", 100*median(figures[0])/median(figures[1])), ratio(list, figures))...)
	return nil
}

func whole(figures []float64) string {
	if len(figures) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", median(figures))
}

// ratio is how many times as much the first does as PocketBase, where that can do it.
func ratio(list []column, figures [][]float64) string {
	for i, c := range list {
		if c.name == pocketName && len(figures[i]) > 0 {
			return fmt.Sprintf("%.1f×", median(figures[0])/median(figures[i]))
		}
	}
	return "–"
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
	cells := []string{what}
	for _, f := range figures {
		cells = append(cells, whole(f))
	}
	row(append(cells, ratio(columns(all, nil), figures))...)
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
		fmt.Sprintf("%.0f", c.process.Memory()))
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
