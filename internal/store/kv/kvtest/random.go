package kvtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// testRandomCommits commits the same operations to a store and to kv.Memory, and compares the entries after each commit.
func testRandomCommits(t *testing.T, open func(t *testing.T) kv.Store) {
	store := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		for _, key := range someKeys { // remove the entries of the previous sequence
			if err := store.Commit(t.Context(), kv.Delete(key)); err != nil {
				rt.Fatal(err)
			}
		}
		model := kv.Store(new(kv.Memory))
		for range rapid.IntRange(1, 15).Draw(rt, "commits") {
			ops, modelOps := drawOps(rt, store, model)
			err, wantErr := store.Commit(t.Context(), ops...), model.Commit(t.Context(), modelOps...)
			if graph.KindOf(err) != graph.KindOf(wantErr) {
				rt.Fatalf("committing %+v: %v; want %v", ops, err, wantErr)
			}
			for _, r := range []kv.Range{{}, drawRange(rt)} {
				got, err := store.List(t.Context(), r)
				expected, _ := model.List(t.Context(), r)
				if diff := cmp.Diff(expected, got, cmpopts.IgnoreFields(kv.Entry{}, "Version"), cmpopts.EquateEmpty()); err != nil || diff != "" {
					rt.Fatalf("listing %+v (error %v, -want +got):\n%s", r, err, diff)
				}
			}
		}
	})
}

// someKeys has few keys, so that several operations often concern the same entry.
var someKeys = []string{"a", "a/1", "a/2", "b", "é"}

// drawOps draws the operations of one commit, for the store and for the model. The two lists differ only in the expected
// versions, because each store has versions of its own.
func drawOps(t *rapid.T, store, model kv.Store) (ops, modelOps []kv.Op) {
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
		modelOp := op
		switch rapid.IntRange(0, 5).Draw(t, "if") {
		case 0:
			op.IfVersion, modelOp.IfVersion = kv.Absent, kv.Absent
		case 1:
			op.IfVersion, modelOp.IfVersion = versionOf(t, store, op.Key), versionOf(t, model, op.Key)
		}
		ops, modelOps = append(ops, op), append(modelOps, modelOp)
	}
	return ops, modelOps
}

// versionOf returns the version of the entry with a key. If the entry does not exist, it returns a version that
// no entry has.
func versionOf(t *rapid.T, s kv.Store, key string) int64 {
	found, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("reading %q: %v", key, err)
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
