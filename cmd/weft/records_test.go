package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/weft-graph/weft/composition"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/race"
	"github.com/weft-graph/weft/internal/store/memory"
)

func TestRecordWriter(t *testing.T) {
	race.Skip(t, "one goroutine")
	t.Run("a list and a sequence of records have the same result", func(t *testing.T) {
		for _, text := range []string{`[{"n":1},{"n":2}]`, "{\"n\":1}\n{\"n\":2}\n"} {
			s := memory.New()
			w := importText(t, s, text, "")
			if got := allRecords(t, s); w.imported != 2 || w.added != 2 || got != `{"n":"1"} {"n":"2"}` {
				t.Errorf("%s: imported %d, added %d: %s", text, w.imported, w.added, got)
			}
		}
	})
	t.Run("a repeated import adds nothing, even if records are equal", func(t *testing.T) {
		s := memory.New()
		text := `[{"n":1},{"n":1},{}]`
		importText(t, s, text, "")
		if w := importText(t, s, text, ""); w.imported != 3 || w.added != 0 {
			t.Errorf("imported %d, added %d", w.imported, w.added)
		}
		if got := allRecords(t, s); got != `{"n":"1"} {"n":"1"} {}` {
			t.Error(got)
		}
	})
	t.Run("a file with appended records adds only the appended records", func(t *testing.T) {
		s := memory.New()
		importText(t, s, `[{"n":1}]`, "")
		if w := importText(t, s, `[{"n":1},{"n":2}]`, ""); w.added != 1 {
			t.Errorf("added %d", w.added)
		}
	})
	t.Run("an edited record is imported as a new record", func(t *testing.T) {
		s := memory.New()
		importText(t, s, `[{"n":1},{"n":2}]`, "")
		if w := importText(t, s, `[{"n":1},{"n":3}]`, ""); w.added != 1 {
			t.Errorf("added %d", w.added)
		}
	})
	t.Run("a truncated list imports its complete records and continues when repaired", func(t *testing.T) {
		s := memory.New()
		whole := recordList(1234)
		cut := strings.Index(whole, `{"n":"1100"`) + 8
		w := importText(t, s, whole[:cut], fmt.Sprintf("record 1101: the JSON is cut off after %d bytes", cut))
		if w.imported != 1100 || w.added != 1100 {
			t.Errorf("imported %d, added %d", w.imported, w.added)
		}
		if w := importText(t, s, whole, ""); w.imported != 1234 || w.added != 134 {
			t.Errorf("repaired: imported %d, added %d", w.imported, w.added)
		}
		clean := memory.New()
		importText(t, clean, whole, "")
		if allRecords(t, s) != allRecords(t, clean) {
			t.Error("the import of the repaired file differs from a clean one")
		}
	})
	t.Run("a truncated sequence imports its complete records", func(t *testing.T) {
		s := memory.New()
		importText(t, s, "{\"n\":1}\n{\"n\":", "record 2: the JSON is cut off after 13 bytes")
		if got := allRecords(t, s); got != `{"n":"1"}` {
			t.Error(got)
		}
	})
	t.Run("an error names the value that is not a record", func(t *testing.T) {
		s := memory.New()
		w := importText(t, s, `[{"n":1}, 17]`, "record 2, before byte 12, is not a record but 17")
		if w.imported != 1 || allRecords(t, s) != `{"n":"1"}` {
			t.Errorf("imported %d: %s", w.imported, allRecords(t, s))
		}
	})
	t.Run("an error names an invalid record, and the records before it are kept", func(t *testing.T) {
		s := memory.New()
		w := importText(t, s, `[{"n":1},{"a":1,"the_a":2},{"n":3}]`, "record 2: ")
		if w.imported != 1 || allRecords(t, s) != `{"n":"1"}` {
			t.Errorf("imported %d: %s", w.imported, allRecords(t, s))
		}
	})
	t.Run("an endless record is refused before memory runs out", func(t *testing.T) {
		in := io.MultiReader(strings.NewReader(`[{"n":1},{"n":"`), endlessReader{})
		w := recordWriter{store: memory.New(), typeName: "note", sender: senderOf("note", "here")}
		err := w.importAll(t.Context(), in, func(int) {})
		if graph.KindOf(err) != graph.TooLarge || !strings.Contains(err.Error(), "record 2: ") || w.imported != 1 {
			t.Errorf("after %d records: %v", w.imported, err)
		}
	})
	t.Run("an import that failed at any write can be repeated", func(t *testing.T) {
		whole := recordList(2100)
		clean := memory.New()
		importText(t, clean, whole, "")
		writes, _ := clean.LastSeq(t.Context())
		for completed := range int(writes) {
			s := memory.New()
			importText(t, &failingStore{s, completed}, whole, errBroken.Error())
			if w := importText(t, s, whole, ""); w.imported != 2100 || allRecords(t, s) != allRecords(t, clean) {
				t.Errorf("after %d of %d writes: imported %d", completed, writes, w.imported)
			}
		}
	})
}

// An endlessReader returns the letter x without end.
type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// recordList returns a JSON list of n records.
func recordList(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"n":"%d","more":{"a":[true,"%d"]}}`, i, i%7)
	}
	return "[" + b.String()[1:] + "]"
}

// importText imports the records in text. The import must fail with an error that starts with wantError, or succeed if
// wantError is empty.
func importText(t *testing.T, s graph.Store, text, wantError string) *recordWriter {
	t.Helper()
	w := &recordWriter{store: s, typeName: "note", sender: senderOf("note", "here")}
	err := w.importAll(t.Context(), strings.NewReader(text), func(int) {})
	if wantError == "" && err != nil || wantError != "" && (err == nil || !strings.HasPrefix(err.Error(), wantError)) {
		t.Errorf("the error is %v; want %q", err, wantError)
	}
	return w
}

// allRecords checks the store and returns its records in order, as JSON.
func allRecords(t *testing.T, s graph.Store) string {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	types, err := s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "note"}})
	if err != nil || len(types) != 1 {
		t.Fatal(types, err)
	}
	mains, err := s.ConceptsByType(t.Context(), types[0].ID, graph.Page{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []graph.ID
	for _, c := range mains {
		ids = append(ids, c.ID)
	}
	records, err := composition.Read(t.Context(), s, ids, composition.Plain)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range records {
		texts = append(texts, r.Get("note").String())
	}
	return strings.Join(texts, " ")
}

var errBroken = errors.New("the power failed")

// A failingStore fails after a number of writes.
type failingStore struct {
	graph.Store
	writesLeft int
}

func (s *failingStore) Write(ctx context.Context, batch graph.Batch) (graph.Receipt, error) {
	if s.writesLeft--; s.writesLeft < 0 {
		return graph.Receipt{}, errBroken
	}
	return s.Store.Write(ctx, batch)
}
