package sqlite

import (
	"fmt"
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

func TestFullDiskRefusesBatches(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.writer.exec("pragma max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	write := func(n int) error {
		b := graph.Batch{Sender: graph.Sender{User: 1001}}
		for i := range 100 {
			text := fmt.Sprint("thing ", n, " ", i)
			b.Concepts = append(b.Concepts, graph.ConceptDraft{LocalID: graph.ID(-1 - 100*n - i), TypeName: fmt.Sprint("the_thing_", n), Value: text})
		}
		_, err := s.Write(t.Context(), b)
		return err
	}
	written := 0
	for ; err == nil && written < 1000; written++ {
		err = write(written)
	}
	written--
	if written < 1 || graph.KindOf(err) != graph.Unavailable {
		t.Fatalf("after %d batches: %v; want %s", written, err, graph.Unavailable)
	}
	if err := s.writer.exec("pragma max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	for n := range written + 2 { // the batches that were written before, the refused batch and one more batch
		if err := write(n); err != nil {
			t.Errorf("batch %d, with free space again: %v", n, err)
		}
		types, err := graph.TypesNamed(t.Context(), s, fmt.Sprint("the_thing_", n))
		if err != nil {
			t.Fatal(err)
		}
		for name, typ := range types {
			if things, err := s.CountByType(t.Context(), typ.ID, 0); things != 100 || err != nil {
				t.Errorf("%d of %s (%v); want 100", things, name, err)
			}
		}
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFullDiskRefusesEntries(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.writer.exec("pragma max_page_count = 80"); err != nil {
		t.Fatal(err)
	}
	put := func(n int) error {
		return s.KV().Commit(t.Context(), kv.Add("count", 1), kv.Put(fmt.Sprint("entry/", n), make([]byte, 5_000)))
	}
	written := 0
	for ; err == nil && written < 1000; written++ {
		err = put(written)
	}
	written--
	if written < 1 || graph.KindOf(err) != graph.Unavailable {
		t.Fatalf("after %d entries: %v; want %s", written, err, graph.Unavailable)
	}
	if _, err := s.Reserve(t.Context(), 1001, 1_000); err != nil && graph.KindOf(err) != graph.Unavailable {
		t.Errorf("reserving: %v; want %s", err, graph.Unavailable)
	}
	count := func() string {
		found, err := s.KV().Get(t.Context(), "count")
		if err != nil || len(found) != 1 {
			t.Fatalf("the entries with the key count = %v, %v; want one", found, err)
		}
		return string(found[0].Value)
	}
	if count() != fmt.Sprint(written) {
		t.Errorf("the count = %s; want %d, the number of writes", count(), written)
	}
	if err := s.writer.exec("pragma max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if err := put(written); err != nil || count() != fmt.Sprint(written+1) {
		t.Errorf("with free space again: %v, the count is %s; want %d", err, count(), written+1)
	}
	found, err := s.KV().List(t.Context(), kv.Range{Prefix: "entry/"})
	if err != nil || len(found) != written+1 {
		t.Errorf("there are %d entries, %v; want %d", len(found), err, written+1)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
