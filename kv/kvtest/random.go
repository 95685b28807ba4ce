package kvtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// random commits the same operations here and in memory and compares what both say after each.
func random(t *testing.T, open func(t *testing.T) kv.Store) {
	store := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		for _, key := range someKeys { // of the draw before
			if err := store.Commit(t.Context(), kv.Delete(key)); err != nil {
				rt.Fatal(err)
			}
		}
		model := kv.Store(new(kv.Memory))
		for range rapid.IntRange(1, 15).Draw(rt, "commits") {
			own, modelled := drawOps(rt, store, model)
			err, wantErr := store.Commit(t.Context(), own...), model.Commit(t.Context(), modelled...)
			if graph.KindOf(err) != graph.KindOf(wantErr) {
				rt.Fatalf("%+v: %v; want %v", own, err, wantErr)
			}
			r := drawRange(rt)
			for _, r := range []kv.Range{{}, r} {
				got, err := store.List(t.Context(), r)
				expected, _ := model.List(t.Context(), r)
				if diff := cmp.Diff(expected, got, cmpopts.IgnoreFields(kv.Entry{}, "Version"), cmpopts.EquateEmpty()); err != nil || diff != "" {
					rt.Fatalf("%+v (%v, -want +got):\n%s", r, err, diff)
				}
			}
		}
	})
}

// Few keys, so that they meet.
var someKeys = []string{"a", "a/1", "a/2", "b", "é"}

// drawOps draws a commit for both, which differs in the versions that it expects.
func drawOps(t *rapid.T, store, model kv.Store) (own, modelled []kv.Op) {
	for range rapid.IntRange(0, 4).Draw(t, "operations") {
		op := kv.Op{Kind: kv.OpKind(rapid.IntRange(0, 3).Draw(t, "kind")), Key: rapid.SampledFrom(someKeys).Draw(t, "key")}
		if op.Kind == kv.OpPut {
			op.Value = []byte(rapid.SampledFrom([]string{"", "1", "-5", "x"}).Draw(t, "value"))
		}
		if op.Kind == kv.OpAdd {
			op.Delta = int64(rapid.IntRange(-3, 3).Draw(t, "delta"))
		}
		switch rapid.IntRange(0, 5).Draw(t, "until") {
		case 0:
			op = op.Until(time.Unix(1_000_000_000, 0))
		case 1:
			op = op.Until(time.Unix(9_000_000_000, 0))
		}
		theirs := op
		switch rapid.IntRange(0, 5).Draw(t, "if") {
		case 0:
			op.IfVersion, theirs.IfVersion = kv.Absent, kv.Absent
		case 1:
			op.IfVersion, theirs.IfVersion = version(t, store, op.Key), version(t, model, op.Key)
		}
		own, modelled = append(own, op), append(modelled, theirs)
	}
	return own, modelled
}

// version is that of an entry, or one that nothing has.
func version(t *rapid.T, s kv.Store, key string) int64 {
	found, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("reading: %v", err)
	}
	if len(found) == 0 {
		return 1 << 60
	}
	return found[0].Version
}

func drawRange(t *rapid.T) kv.Range {
	return kv.Range{
		Prefix:     rapid.SampledFrom([]string{"", "a", "a/", "c"}).Draw(t, "prefix"),
		After:      rapid.SampledFrom(append(someKeys, "", "a/11")).Draw(t, "after"),
		Descending: rapid.Bool().Draw(t, "descending"),
		Limit:      rapid.IntRange(0, 3).Draw(t, "limit"),
	}
}
