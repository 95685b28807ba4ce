package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/wordnet"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// An import is killed repeatedly. In the end, the store must have the same records as after one uninterrupted
// import.
func TestKilledImportsNeitherLoseNorDuplicateRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("kills an import repeatedly")
	}
	t.Parallel()
	binary, files := build(t), bigWordNet(t, 3_500)
	clean, killed := t.TempDir(), t.TempDir()
	start := time.Now()
	if out, err := exec.Command(binary, "import", "wordnet", files, "--data", clean).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	duration := time.Since(start)
	kills, batchesAtKill := 0, map[graph.Seq]bool{}
	for {
		run := exec.Command(binary, "import", "wordnet", files, "--data", killed)
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		// Each run gets more time than the one before, so that the loop ends.
		timer := time.AfterFunc(duration*time.Duration(kills)/20+rand.N(duration/8), func() { _ = run.Process.Kill() })
		err := run.Wait()
		if timer.Stop() && err != nil {
			t.Fatalf("run %d failed without being killed: %v", kills, err)
		}
		if err == nil {
			break
		}
		kills++
		batchesAtKill[batchesIn(t, killed)] = true
	}
	delete(batchesAtKill, 0)
	delete(batchesAtKill, batchesIn(t, killed))
	t.Logf("%d kills; a run takes %v", kills, duration)
	if len(batchesAtKill) == 0 {
		t.Error("no kill happened between two batches, so the test proves nothing")
	}
	if want, got := countRecords(t, clean), countRecords(t, killed); want != got {
		t.Errorf("after %d kills the store has\n%s, an uninterrupted import has\n%s", kills, got, want)
	}
}

// batchesIn returns the number of batches in a store, or 0 if the store does not exist yet.
func batchesIn(t *testing.T, data string) graph.Seq {
	t.Helper()
	r, err := sqlite.OpenReader(t.Context(), data)
	if err != nil {
		return 0
	}
	defer r.Close()
	seq, err := r.LastSeq(t.Context())
	if err != nil {
		t.Error(err)
	}
	return seq
}

// countRecords checks the store and returns the numbers of concepts and connections of an import, by type.
func countRecords(t *testing.T, data string) string {
	t.Helper()
	store, err := sqlite.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	types, err := graph.TypesNamed(t.Context(), store, wordnet.Types...)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, name := range wordnet.Types {
		concepts, err := store.ConceptsByType(t.Context(), types[name].ID, graph.Page{})
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]graph.ID, len(concepts))
		for i, c := range concepts {
			ids[i] = c.ID
		}
		links, err := store.Links(t.Context(), graph.Links{Of: ids})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s: %d with %d connections", name, len(ids), len(links)))
	}
	seq, err := store.LastSeq(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(lines, fmt.Sprintf("%d changes", seq)), "\n")
}

// bigWordNet writes a dictionary in WordNet's format, in which each synset points to the next. All lines have the same
// length, which makes their byte offsets predictable.
func bigWordNet(t *testing.T, synsets int) string {
	t.Helper()
	line := func(i int) string {
		const format = "%08d 03 n 01 w%06d 0 001 ^ %08d n 0000 | thing number %06d; \"here is number %06d\"  \n"
		size := len(fmt.Sprintf(format, 0, 0, 0, 0, 0))
		return fmt.Sprintf(format, i*size, i, (i+1)%synsets*size, i, i)
	}
	var data, index strings.Builder
	for i := range synsets {
		data.WriteString(line(i))
		fmt.Fprintf(&index, "w%06d n 1 0 1 0 %.8s  \n", i, line(i))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"data.noun": data.String(), "data.verb": "", "data.adj": "", "data.adv": "",
		"index.noun": index.String(), "index.verb": "", "index.adj": "", "index.adv": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// BenchmarkImportWordNet imports the installed WordNet into a new store on disk.
func BenchmarkImportWordNet(b *testing.B) {
	const dir = "/usr/share/wordnet"
	if _, err := os.Stat(dir); err != nil {
		b.Skip("WordNet is not installed; run make wordnet")
	}
	cpuBefore, _ := processUsage()
	records, disk := 0, int64(0)
	for b.Loop() {
		data := b.TempDir()
		store, err := sqlite.Open(b.Context(), data)
		if err != nil {
			b.Fatal(err)
		}
		p, err := wordnet.Import(b.Context(), store, os.DirFS(dir), nil)
		if err := errors.Join(err, store.Close()); err != nil {
			b.Fatal(err)
		}
		records, disk = records+p.Added, directorySize(data)
	}
	cpu, memory := processUsage()
	b.ReportMetric((cpu-cpuBefore).Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(disk)/(1<<20), "MB-on-disk")
	b.ReportMetric(float64(memory)/(1<<20), "MB-of-memory")
}
