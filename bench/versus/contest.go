package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/bench/versus/child"
)

// clients is the number of concurrent requests, and of readers while one client writes.
const clients = 8

// A column is a server that is measured in one column of the table.
type column struct {
	name     string
	question func(measurement string) (question, error)
}

// newColumns returns a column for each contestant. Each Weft store is followed by its server of hand-written
// statements; the last column is bare HTTP.
func newColumns(all []*contestant, handwritten []*child.Process) []column {
	var list []column
	for i, c := range all {
		list = append(list, column{c.name, func(measurement string) (question, error) { return c.questions[measurement], nil }})
		if i < len(handwritten) {
			list = append(list, column{"by hand", func(measurement string) (question, error) {
				return handwrittenQuestion(handwritten[i], measurement, c.questions[measurement], false)
			}})
		}
	}
	if len(handwritten) > 0 {
		list = append(list, column{"bare HTTP", func(measurement string) (question, error) {
			return handwrittenQuestion(handwritten[0], measurement, all[0].questions[measurement], true)
		}})
	}
	return list
}

// measureAll measures all contestants alternately and prints the results.
func (o options) measureAll(ctx context.Context, all []*contestant, wefts []*weft) error {
	var handwritten []*child.Process
	for _, w := range wefts {
		h, err := startHandwritten(ctx, w)
		if err != nil {
			return err
		}
		defer h.Stop() //nolint:errcheck // the server holds no data
		handwritten = append(handwritten, h)
	}
	list := newColumns(all, handwritten)
	header := []string{"requests per second, median"}
	for _, c := range list {
		header = append(header, c.name)
	}
	printRow(append(header, "SQLite / by hand", "SQLite / PocketBase")...)
	printRow(strings.Split(strings.Repeat("---,", len(header)+2), ",")[:len(header)+2]...)
	for _, measurement := range []string{getByID, getByPair, adjacency, nested, bulk} {
		if err := o.measureReads(measurement, list); err != nil {
			return fmt.Errorf("%s: %w", measurement, err)
		}
	}
	fmt.Println()
	header = []string{"records per second, median"}
	for _, c := range all {
		header = append(header, c.name)
	}
	printRow(append(header, "SQLite / PocketBase")...)
	printRow(strings.Split(strings.Repeat("---,", len(header)+1), ",")[:len(header)+1]...)
	for _, measurement := range []string{batch1k, batch2k} {
		if err := o.measureWrites(measurement, all); err != nil {
			return fmt.Errorf("%s: %w", measurement, err)
		}
	}
	fmt.Println()
	printRow("8 readers and a writer", "reads/s", "p50", "p99", "p99 / p50", "records written/s", "peak memory, MB")
	printRow("---", "---", "---", "---", "---", "---", "---")
	for _, c := range all {
		if err := o.measureMixed(c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func printRow(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }

// measureReads measures the requests per second of one kind of question in each column.
func (o options) measureReads(measurement string, list []column) error {
	logf("%s", measurement)
	questions, figures := make([]question, len(list)), make([][]float64, len(list))
	for i, c := range list {
		var err error
		if questions[i], err = c.question(measurement); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for range o.rounds {
		for i, q := range questions {
			if q == nil {
				continue
			}
			r, err := runLoad(q, clients, o.turn)
			if err != nil {
				return fmt.Errorf("%s: %w", list[i].name, err)
			}
			figures[i] = append(figures[i], r.perSecond)
		}
	}
	cells := []string{measurement}
	for _, f := range figures {
		cells = append(cells, formatMedian(f))
	}
	printRow(append(cells, fmt.Sprintf("%.0f %%", 100*median(figures[0])/median(figures[1])), formatRatio(list, figures))...)
	return nil
}

// formatMedian returns the median, or a dash if the operation is not supported.
func formatMedian(figures []float64) string {
	if len(figures) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", median(figures))
}

// formatRatio returns the first column's rate as a multiple of PocketBase's, if PocketBase supports the operation.
func formatRatio(list []column, figures [][]float64) string {
	for i, c := range list {
		if c.name == pocketName && len(figures[i]) > 0 {
			return fmt.Sprintf("%.1f×", median(figures[0])/median(figures[i]))
		}
	}
	return "–"
}

// measureWrites measures the records per second of consecutive batches.
func (o options) measureWrites(measurement string, all []*contestant) error {
	logf("%s", measurement)
	figures := make([][]float64, len(all))
	for range o.rounds {
		for i, c := range all {
			r, err := runLoad(c.questions[measurement], 1, o.turn)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			figures[i] = append(figures[i], r.perSecond*float64(c.batchSizes[measurement]))
		}
	}
	cells := []string{measurement}
	for _, f := range figures {
		cells = append(cells, formatMedian(f))
	}
	printRow(append(cells, formatRatio(newColumns(all, nil), figures))...)
	return nil
}

// measureMixed measures reads of concepts by id while one client writes batches of 1,000 as fast as possible.
func (o options) measureMixed(c *contestant) error {
	logf("8 readers and a writer: %s", c.name)
	var (
		wait    sync.WaitGroup
		written loadResult
		failed  error
	)
	duration := 3 * o.turn
	wait.Go(func() { written, failed = runLoad(c.questions[batch1k], 1, duration) })
	r, err := runLoad(c.questions[getByID], clients, duration)
	wait.Wait()
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	p50, p99 := r.percentile(50), r.percentile(99)
	printRow(c.name, fmt.Sprintf("%.0f", r.perSecond), p50.Round(time.Microsecond).String(), p99.Round(time.Microsecond).String(),
		fmt.Sprintf("%.1f×", float64(p99)/float64(p50)), fmt.Sprintf("%.0f", written.perSecond*float64(c.batchSizes[batch1k])),
		fmt.Sprintf("%.0f", c.process.PeakMemory()))
	return nil
}

func printBatches(wefts []*weft) {
	fmt.Println()
	printRow("a batch of 1,000 values, in the store", "rows before", "median")
	printRow("---", "---", "---")
	for _, w := range wefts {
		for _, s := range w.batches {
			printRow(w.name, fmt.Sprint(s.rows), s.duration.Round(10*time.Microsecond).String())
		}
	}
}
