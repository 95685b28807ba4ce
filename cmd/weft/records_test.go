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
	"github.com/weft-graph/weft/store/memory"
)

func TestRecordWriter(t *testing.T) {
	t.Run("a list and one record after another are the same", func(t *testing.T) {
		for _, text := range []string{`[{"n":1},{"n":2}]`, "{\"n\":1}\n{\"n\":2}\n"} {
			s := memory.New()
			w := write(t, s, text, "")
			if got := notes(t, s); w.seen != 2 || w.added != 2 || got != `{"n":"1"} {"n":"2"}` {
				t.Errorf("%s: seen %d, added %d: %s", text, w.seen, w.added, got)
			}
		}
	})
	t.Run("again adds nothing, not even of equal records", func(t *testing.T) {
		s := memory.New()
		text := `[{"n":1},{"n":1},{}]`
		write(t, s, text, "")
		if w := write(t, s, text, ""); w.seen != 3 || w.added != 0 {
			t.Errorf("seen %d, added %d", w.seen, w.added)
		}
		if got := notes(t, s); got != `{"n":"1"} {"n":"1"} {}` {
			t.Error(got)
		}
	})
	t.Run("a file that has grown adds what is new", func(t *testing.T) {
		s := memory.New()
		write(t, s, `[{"n":1}]`, "")
		if w := write(t, s, `[{"n":1},{"n":2}]`, ""); w.added != 1 {
			t.Errorf("added %d", w.added)
		}
	})
	t.Run("a record that was changed is another", func(t *testing.T) {
		s := memory.New()
		write(t, s, `[{"n":1},{"n":2}]`, "")
		if w := write(t, s, `[{"n":1},{"n":3}]`, ""); w.added != 1 {
			t.Errorf("added %d", w.added)
		}
	})
	t.Run("a cut file keeps what is complete, and goes on when it is mended", func(t *testing.T) {
		s := memory.New()
		whole := list(1234)
		cut := strings.Index(whole, `{"n":"1100"`) + 8
		w := write(t, s, whole[:cut], fmt.Sprintf("record 1101: the JSON is cut off after %d bytes", cut))
		if w.seen != 1100 || w.added != 1100 {
			t.Errorf("seen %d, added %d", w.seen, w.added)
		}
		if w := write(t, s, whole, ""); w.seen != 1234 || w.added != 134 {
			t.Errorf("mended: seen %d, added %d", w.seen, w.added)
		}
		clean := memory.New()
		write(t, clean, whole, "")
		if notes(t, s) != notes(t, clean) {
			t.Error("the mended import differs from a clean one")
		}
	})
	t.Run("so does a file without a list around the records", func(t *testing.T) {
		s := memory.New()
		write(t, s, "{\"n\":1}\n{\"n\":", "record 2: the JSON is cut off after 13 bytes")
		if got := notes(t, s); got != `{"n":"1"}` {
			t.Error(got)
		}
	})
	t.Run("what is no record is named", func(t *testing.T) {
		s := memory.New()
		w := write(t, s, `[{"n":1}, 17]`, "record 2, before byte 12, is no record but 17")
		if w.seen != 1 || notes(t, s) != `{"n":"1"}` {
			t.Errorf("seen %d: %s", w.seen, notes(t, s))
		}
	})
	t.Run("a record that cannot be kept is named, and those before it stay", func(t *testing.T) {
		s := memory.New()
		w := write(t, s, `[{"n":1},{"a":1,"the_a":2},{"n":3}]`, "record 2: ")
		if w.seen != 1 || notes(t, s) != `{"n":"1"}` {
			t.Errorf("seen %d: %s", w.seen, notes(t, s))
		}
	})
	t.Run("a record without an end is refused before the memory is full", func(t *testing.T) {
		in := io.MultiReader(strings.NewReader(`[{"n":1},{"n":"`), endless{})
		w := recordWriter{store: memory.New(), typeName: "note", sender: senderOf("note", "here")}
		err := w.all(t.Context(), in, func(int) {})
		if graph.KindOf(err) != graph.TooLarge || !strings.Contains(err.Error(), "record 2: ") || w.seen != 1 {
			t.Errorf("after %d records: %v", w.seen, err)
		}
	})
	t.Run("broken off anywhere", func(t *testing.T) {
		whole := list(2100)
		clean := memory.New()
		write(t, clean, whole, "")
		writes, _ := clean.LastSeq(t.Context())
		for left := range int(writes) {
			s := memory.New()
			write(t, &breaking{s, left}, whole, errBroken.Error())
			if w := write(t, s, whole, ""); w.seen != 2100 || notes(t, s) != notes(t, clean) {
				t.Errorf("after %d of %d writes: seen %d", left, writes, w.seen)
			}
		}
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func list(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"n":"%d","more":{"a":[true,"%d"]}}`, i, i%7)
	}
	return "[" + b.String()[1:] + "]"
}

// write imports a text and checks that the error, if one is wanted, begins so.
func write(t *testing.T, s graph.Store, text, wrong string) *recordWriter {
	t.Helper()
	w := &recordWriter{store: s, typeName: "note", sender: senderOf("note", "here")}
	err := w.all(t.Context(), strings.NewReader(text), func(int) {})
	if wrong == "" && err != nil || wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), wrong)) {
		t.Errorf("the error is %v; want %q", err, wrong)
	}
	return w
}

// notes are all records, in order.
func notes(t *testing.T, s graph.Store) string {
	t.Helper()
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	typ, err := s.ConceptsByValue(t.Context(), []graph.ValueKey{{Value: "note"}})
	if err != nil || len(typ) != 1 {
		t.Fatal(typ, err)
	}
	heads, err := s.ConceptsByType(t.Context(), typ[0].ID, graph.Page{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []graph.ID
	for _, c := range heads {
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

// breaking is a store that dies after some batches.
type breaking struct {
	graph.Store
	left int
}

func (b *breaking) Write(ctx context.Context, batch graph.Batch) (graph.Receipt, error) {
	if b.left--; b.left < 0 {
		return graph.Receipt{}, errBroken
	}
	return b.Store.Write(ctx, batch)
}
