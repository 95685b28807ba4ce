package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/raw"
)

// RunRaw checks the contract of raw.Store. The function open returns an empty store and closes it when the test
// ends.
func RunRaw(t *testing.T, open func(t *testing.T) raw.Store) { RunCopy(t, open, open) }

// RunCopy checks that one kind of store can be copied to another.
func RunCopy(t *testing.T, openFrom, openTo func(t *testing.T) raw.Store) {
	for _, p := range []struct {
		name  string
		check func(t *testing.T, from, to raw.Store)
	}{
		{"a copy equals the original and continues its numbers", checkCopyIsEqual},
		{"an interrupted copy continues where it stopped", checkCopyContinues},
		{"refuses a destination that is not empty", checkCopyRefusesUsedStores},
		{"detects a copy that differs", checkCopyDetectsDifferences},
		{"Rows sorts rows by key, and may start after a key", checkRowOrder},
		{"deleting old changes leaves no gap after a clock was set back", checkClockSetBack},
		{"copies an empty store", func(t *testing.T, from, to raw.Store) { copyAll(t, from, to) }},
	} {
		t.Run(p.name, func(t *testing.T) { p.check(t, openFrom(t), openTo(t)) })
	}
}

func copyAll(t *testing.T, from, to raw.Store) {
	t.Helper()
	if err := raw.Copy(t.Context(), from, to, nil); err != nil {
		t.Fatalf("copying: %v", err)
	}
	if err := to.Check(t.Context()); err != nil {
		t.Errorf("Check of the copy: %v", err)
	}
	if err := raw.CheckFinished(t.Context(), to); err != nil {
		t.Errorf("CheckFinished of the copy: %v", err)
	}
	for _, table := range raw.Tables {
		want(t, table.Name, sum(t, to, table), sum(t, from, table))
	}
	want(t, "the summary", summary(t, to), summary(t, from))
}

func sum(t *testing.T, s raw.Store, table raw.Table) raw.Sum {
	t.Helper()
	return read[raw.Sum](t)(raw.SumOf(t.Context(), s, table))
}

func summary(t *testing.T, s raw.Store) raw.Summary {
	t.Helper()
	found := read[raw.Summary](t)(s.Summary(t.Context()))
	found.Version = 0 // kinds of stores have different versions
	return found
}

// filled lists what fill wrote: rows in every table.
type filled struct {
	batches  []graph.Batch
	receipts []graph.Receipt
	reserved []graph.ID
}

func fill(t *testing.T, s raw.Store) (f filled) {
	t.Helper()
	f.reserved = reserve(t, s, alice, 9)
	ids := f.reserved
	largeBatch := graph.Batch{Sender: bob}
	for i := range 3_000 {
		largeBatch.Concepts = append(largeBatch.Concepts, value(graph.ID(-1-i), "the_number", fmt.Sprint(i)))
	}
	for i := range 2_500 {
		largeBatch.Connections = append(largeBatch.Connections, graph.ConnectionDraft{LocalID: graph.ID(-1 - i), From: graph.ID(-1 - i), To: graph.ID(-2 - i), TypeName: "the_number_next"})
	}
	f.batches = []graph.Batch{
		record,
		{Sender: graph.Sender{User: graph.Anonymous, Session: "é\U0001F600'", Randomizer: -5}, Concepts: []graph.ConceptDraft{
			value(-1, "the_note", strings.Repeat("long é ", 100)), value(-2, "the_note", ""), {LocalID: -4, TypeName: "the_place", Value: "here", Position: graph.Position{X: 3, Y: -0.5}}, {LocalID: -3, TypeName: "the_name", Value: "Ann", Access: graph.Public},
		}, Connections: []graph.ConnectionDraft{{LocalID: -graph.MaxID, From: -1, To: -1, TypeName: "the_note_self"}}},
		reservedRecord(ids[:6]),
		{Sender: alice, Concepts: []graph.ConceptDraft{reservedAs(ids[6], value(0, "the_name", "Ann"))}},
		{Sender: alice, Concepts: []graph.ConceptDraft{value(-90, "the_old", "going"), typ(-91, "the_prototype_of_old")}},
		largeBatch,
	}
	for _, b := range f.batches {
		f.receipts = append(f.receipts, write(t, s, b))
	}
	write(t, s, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-90}})
	expiry := time.Now().Add(time.Hour)
	for _, ops := range [][]kv.Op{
		{kv.Put("a", []byte{0, 255, 1}), kv.Put("é", nil), kv.Put("z/\U0001F600", []byte("x")).Until(expiry), kv.Add("n", 7)},
		{kv.Put("gone", []byte("x")), kv.Delete("gone"), kv.Put("past", []byte("x")).Until(time.Unix(1, 0))},
	} {
		if err := s.KV().Commit(t.Context(), ops...); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func checkCopyIsEqual(t *testing.T, from, to raw.Store) {
	f := fill(t, from)
	copyAll(t, from, to)
	want(t, "the identity of the copy", read[string](t)(to.Identity(t.Context())), read[string](t)(from.Identity(t.Context())))
	last := read[graph.Seq](t)(from.LastSeq(t.Context()))
	want(t, "the number of the last change in the copy", read[graph.Seq](t)(to.LastSeq(t.Context())), last)
	want(t, "the changes in the copy", read[[]graph.Change](t)(to.Changes(t.Context(), 0, 0)), read[[]graph.Change](t)(from.Changes(t.Context(), 0, 0)))
	for i, b := range f.batches {
		repeated := write(t, to, b)
		want(t, "the number of a batch sent again", repeated.Seq, 0)
		want(t, "the concept ids of a batch sent again", idsOf(repeated.Concepts), idsOf(f.receipts[i].Concepts))
		want(t, "the connection ids of a batch sent again", idsOf(repeated.Connections), idsOf(f.receipts[i].Connections))
		ids := idsOf(f.receipts[i].Concepts)
		want(t, "the concepts of a batch in the copy", concepts(t, to, ids...), concepts(t, from, ids...))
	}
	want(t, "the concepts with the value Ann in the copy", byValue(t, to, graph.ValueKey{Value: "Ann"}), byValue(t, from, graph.ValueKey{Value: "Ann"}))
	entries := read[[]kv.Entry](t)(from.KV().List(t.Context(), kv.Range{}))
	want(t, "the kv entries of the copy", read[[]kv.Entry](t)(to.KV().List(t.Context(), kv.Range{})), entries)

	next := write(t, to, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(0, "the_new"), reservedAs(f.reserved[8], composition(0, "the_new"))}})
	want(t, "the next number", next.Seq, last+1)
	want(t, "the concept with the new id in the original", concepts(t, from, next.Concepts[0].ID), nil)
	want(t, "the reserved id", next.Concepts[1].ID, f.reserved[8])
	if err := to.KV().Commit(t.Context(), kv.Put("new", nil)); err != nil {
		t.Fatal(err)
	}
	newest := read[[]kv.Entry](t)(to.KV().Get(t.Context(), "new"))[0].Version
	for _, e := range entries {
		if e.Version >= newest {
			t.Errorf("a new entry has version %d; want more than %d, the version of %s", newest, e.Version, e.Key)
		}
	}
}

// checkCopyContinues interrupts a copy after every few steps.
func checkCopyContinues(t *testing.T, from, to raw.Store) {
	fill(t, from)
	for n := 0; ; n++ {
		if n == 100 {
			t.Fatal("the copy does not finish")
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := raw.Copy(ctx, from, to, &interrupter{cancel: cancel})
		cancel()
		if err == nil {
			break
		}
		want(t, "the error", graph.KindOf(err), graph.Unavailable)
		if t.Failed() {
			t.Fatal(err)
		}
		want(t, "the state of the copy", graph.KindOf(raw.CheckFinished(t.Context(), to)), graph.Unavailable)
	}
	for _, table := range raw.Tables {
		want(t, table.Name, sum(t, to, table), sum(t, from, table))
	}
}

// An interrupter cancels a copy after three steps.
type interrupter struct {
	steps  int
	cancel func()
}

func (p *interrupter) Copied(raw.Table, int) {
	if p.steps++; p.steps == 3 {
		p.cancel()
	}
}

func (*interrupter) Same(raw.Table, raw.Sum) {}

func checkCopyRefusesUsedStores(t *testing.T, from, to raw.Store) {
	fill(t, from)
	write(t, to, record)
	want(t, "the error of a copy to a store in use", graph.KindOf(raw.Copy(t.Context(), from, to, nil)), graph.Conflict)
	write(t, to, graph.Batch{Sender: alice, RemoveConcepts: []graph.ID{-1, -2, -3}})
	want(t, "the error of a copy to a store that was in use", graph.KindOf(raw.Copy(t.Context(), from, to, nil)), graph.Conflict)
	want(t, "the state of the copy", raw.CheckFinished(t.Context(), to), nil)
}

func checkCopyDetectsDifferences(t *testing.T, from, to raw.Store) {
	fill(t, from)
	progress := &spoiler{t: t, to: to}
	err := raw.Copy(t.Context(), from, to, progress)
	if err == nil || !strings.Contains(err.Error(), "copy of concept differs") {
		t.Errorf("a copy with a changed row: %v", err)
	}
	want(t, "the state of the copy", graph.KindOf(raw.CheckFinished(t.Context(), to)), graph.Unavailable)
	write(t, from, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(0, "the_late")}})
	want(t, "the error after the original has changed", graph.KindOf(raw.Copy(t.Context(), from, to, nil)), graph.Conflict)
}

// A spoiler changes a copied row of the table raw.Concept when the table raw.Identity is copied.
type spoiler struct {
	t  *testing.T
	to raw.Store
}

func (s *spoiler) Copied(table raw.Table, _ int) {
	if table.Name != raw.Identity.Name {
		return
	}
	rows := read[[]raw.Row](s.t)(s.to.Rows(s.t.Context(), raw.Concept, raw.Row{int64(graph.FirstFree)}, 1))
	rows[0][4] = int64(4711) // the owner of the row
	if err := s.to.AddRows(s.t.Context(), raw.Concept, rows); err != nil {
		s.t.Error(err)
	}
}

func (*spoiler) Same(raw.Table, raw.Sum) {}

func checkRowOrder(t *testing.T, s, _ raw.Store) {
	fill(t, s)
	for _, table := range raw.Tables {
		all := read[[]raw.Row](t)(s.Rows(t.Context(), table, nil, 1_000_000))
		var paged []raw.Row
		for after := raw.Row(nil); ; after = table.Of(paged[len(paged)-1]) {
			page := read[[]raw.Row](t)(s.Rows(t.Context(), table, after, 700))
			if len(page) == 0 {
				break
			}
			paged = append(paged, page...)
		}
		want(t, table.Name, paged, all)
		for _, row := range all {
			want(t, table.Name+": columns", len(row), len(table.Columns))
		}
		isSorted := slices.IsSortedFunc(all, func(a, b raw.Row) int { return strings.Compare(order(table.Of(a)), order(table.Of(b))) })
		want(t, table.Name+" is in order", isSorted, true)
	}
}

// checkClockSetBack dates one record and one change in the future.
func checkClockSetBack(t *testing.T, s, _ raw.Store) {
	future := time.Now().AddDate(50, 0, 0).UTC().Truncate(time.Millisecond)
	written := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{{LocalID: -1, TypeName: "the_name", Value: "Ann", Created: future}}})
	want(t, "the time of creation", concepts(t, s, written.Concepts[0].ID)[0].Created, future)
	write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-2, "the_a")}})
	write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-3, "the_a")}})
	rows := read[[]raw.Row](t)(s.Rows(t.Context(), raw.Change, nil, 3))
	rows[1][1] = future.UnixMilli()
	if err := s.AddRows(t.Context(), raw.Change, rows[1:2]); err != nil {
		t.Fatal(err)
	}
	next := write(t, s, graph.Batch{Sender: alice, Concepts: []graph.ConceptDraft{composition(-4, "the_a")}})
	want(t, "the next number", next.Seq, 4)
	if err := s.(deleter).DeleteBefore(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	var seqs []graph.Seq
	for _, c := range read[[]graph.Change](t)(s.Changes(t.Context(), 1, 0)) {
		seqs = append(seqs, c.Seq)
	}
	want(t, "the remaining changes", seqs, []graph.Seq{2, 3, 4})
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// order returns a string that sorts like the key.
func order(key raw.Row) string {
	var text strings.Builder
	for _, v := range key {
		if n, ok := v.(int64); ok {
			fmt.Fprintf(&text, "%020d\x00", n)
		} else {
			fmt.Fprintf(&text, "%s\x00", v)
		}
	}
	return text.String()
}
