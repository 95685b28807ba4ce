package track_test

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/clock"
	"github.com/weft-graph/weft/internal/everystore"
	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/track"
)

const (
	ann graph.ID = 70_001
	bob graph.ID = 70_002
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// Every test runs in every store.
func everywhere(t *testing.T, test func(*testing.T, kv.Store)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, kv.In(store)) })
}

type world struct {
	*track.Tracker
	*clock.Clock
	t *testing.T
}

func newWorld(t *testing.T, store kv.Store) world {
	c := clock.At(time.Now())
	return world{track.New(store, c.Now), c, t}
}

func (w world) count(user graph.ID, uses track.Uses) {
	w.t.Helper()
	own := track.Counts{Concepts: uses}
	if err := w.Count(w.t.Context(), user, own, own); err != nil {
		w.t.Fatal(err)
	}
}

func (w world) ranking(user graph.ID, n int) []graph.ID {
	w.t.Helper()
	w.Move(2 * time.Minute) // so that it looks at what has come in
	ids, err := w.Ranking(w.t.Context(), user, track.Concepts, n)
	if err != nil {
		w.t.Fatal(err)
	}
	return ids
}

func TestRanking(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		w := newWorld(t, store)
		w.count(ann, track.Uses{1: 5, 2: 7, 3: 1})
		w.count(ann, track.Uses{1: 5, 4: -1, 0: 9, -3: 9})
		w.count(bob, track.Uses{3: 50, 9: 20})
		for name, row := range map[string]struct {
			user graph.ID
			n    int
			want []graph.ID
		}{
			"one's own first, then everybody's": {ann, 10, []graph.ID{1, 2, 3, 9}},
			"another's":                         {bob, 10, []graph.ID{3, 9, 1, 2}},
			"of a guest, everybody's":           {graph.Anonymous, 10, []graph.ID{3, 9, 1, 2}},
			"only so many":                      {bob, 1, []graph.ID{3}},
		} {
			if diff := cmp.Diff(row.want, w.ranking(row.user, row.n)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
		if ids, err := w.Ranking(t.Context(), ann, track.Connections, 10); err != nil || ids != nil {
			t.Errorf("connections %v, %v; nobody used any", ids, err)
		}
	})
}

func TestUsesFade(t *testing.T) {
	w := newWorld(t, &kv.Memory{})
	w.count(ann, track.Uses{1: 100})
	w.Move(track.HalfLife)
	w.count(ann, track.Uses{2: 49})
	if diff := cmp.Diff([]graph.ID{1, 2}, w.ranking(ann, 10)); diff != "" {
		t.Errorf("49 uses now are less than 100 a half-life ago:\n%s", diff)
	}
	w.count(ann, track.Uses{2: 2})
	if diff := cmp.Diff([]graph.ID{2, 1}, w.ranking(ann, 10)); diff != "" {
		t.Errorf("51 uses are more:\n%s", diff)
	}
	w.Move(5 * track.HalfLife)
	w.count(ann, track.Uses{3: 2})
	if diff := cmp.Diff([]graph.ID{3, 2, 1}, w.ranking(ann, 10)); diff != "" {
		t.Errorf("six half-lives later two are more:\n%s", diff)
	}
}

func TestWhatIsNotForAllIsNobodyElses(t *testing.T) {
	w := newWorld(t, &kv.Memory{})
	own := track.Counts{Concepts: track.Uses{1: 5, 2: 1}}
	if err := w.Count(t.Context(), ann, own, track.Counts{Concepts: track.Uses{2: 1}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]graph.ID{2}, w.ranking(bob, 10)); diff != "" {
		t.Error(diff)
	}
}

// Eight writers on two servers count at once while others ask.
func TestNoCountIsLost(t *testing.T) {
	everywhere(t, func(t *testing.T, store kv.Store) {
		const writers, calls = 8, 100
		c := clock.At(time.Now())
		servers := []*track.Tracker{track.New(store, c.Now), track.New(store, c.Now)}
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				uses := track.Counts{Concepts: track.Uses{7: 3}, Connections: track.Uses{8: 1}}
				for range calls {
					if err := servers[i%2].Count(context.Background(), ann+graph.ID(i%4), uses, uses); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		start := c.Now()
		c.Move(2 * time.Minute)
		for _, s := range servers {
			if _, err := s.Ranking(t.Context(), ann, track.Concepts, 1); err != nil {
				t.Fatal(err)
			}
		}
		for key, want := range map[string]float64{
			"track/all/concepts": writers * calls * 3, "track/all/connections": writers * calls,
			"track/own/70001/concepts": writers * calls * 3 / 4,
		} {
			got := counted(t, store, key, start)
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("%s holds %v uses; want %v", key, got, want)
			}
		}
		left, err := store.List(t.Context(), kv.Range{Prefix: "track/call/"})
		if err != nil || len(left) != 0 {
			t.Errorf("%d calls are not folded, %v", len(left), err)
		}
	})
}

// counted is how many uses at one moment the only score of a table is worth.
func counted(t *testing.T, store kv.Store, key string, at time.Time) float64 {
	t.Helper()
	found, err := store.Get(t.Context(), key)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d entries, %v", key, len(found), err)
	}
	var table struct{ Scores map[string]float64 }
	if err := json.Unmarshal(found[0].Value, &table); err != nil || len(table.Scores) != 1 {
		t.Fatalf("%s holds %s, %v", key, found[0].Value, err)
	}
	for _, score := range table.Scores {
		return math.Exp2(score - float64(at.UnixMilli())/float64(track.HalfLife.Milliseconds()))
	}
	return 0
}

// However many ids are used, the tables stay small, and what is used most stays in them.
func TestTablesAreBounded(t *testing.T) {
	store := &kv.Memory{}
	w := newWorld(t, store)
	next := graph.ID(1_000_000)
	for round := range 8 {
		uses := track.Uses{}
		for range track.MaxIDs - 1 {
			next++
			uses[next] = 2
		}
		uses[5] = 3 // in every call, a little more than any other
		w.count(ann, uses)
		got := w.ranking(ann, 10_000)
		if len(got) > track.MaxOwn+track.MaxAll || got[0] != 5 {
			t.Fatalf("round %d: %d ids, first of all %d; want 5", round, len(got), got[0])
		}
	}
	tables, err := store.List(t.Context(), kv.Range{Prefix: "track/"})
	if err != nil || len(tables) != 2 {
		t.Fatal(len(tables), err)
	}
	for _, e := range tables {
		if len(e.Value) > 100_000 || e.Expires.IsZero() {
			t.Errorf("%s is %d bytes and expires %v", e.Key, len(e.Value), e.Expires)
		}
	}
}

// What is used a little in every call gets into a table that others fill.
func TestWhatIsUsedOftenIsNotMissed(t *testing.T) {
	w := newWorld(t, &kv.Memory{})
	uses := track.Uses{}
	for i := range track.MaxAll {
		uses[graph.ID(1_000_000+i)] = 10
	}
	w.count(ann, uses)
	for range 30 {
		w.count(bob, track.Uses{5: 1})
	}
	if got := w.ranking(graph.Anonymous, track.MaxAll); got[0] != 5 || len(got) != track.MaxAll {
		t.Errorf("of %d the first is %d; want 5, which was used 30 times", len(got), got[0])
	}
}

func TestCallsAreBounded(t *testing.T) {
	w := newWorld(t, &kv.Memory{})
	uses := track.Uses{}
	for i := range track.MaxIDs + 1 {
		uses[graph.ID(i+1)] = 1
	}
	own := track.Counts{Concepts: uses}
	if got := graph.KindOf(w.Count(t.Context(), ann, own, own)); got != graph.TooLarge {
		t.Errorf("%d ids are %q", len(uses), got)
	}
	w.count(ann, track.Uses{1: math.MaxInt64, 2: track.MaxCount})
	w.count(ann, track.Uses{2: 1})
	if diff := cmp.Diff([]graph.ID{2, 1}, w.ranking(ann, 10)); diff != "" {
		t.Errorf("a count is not bounded:\n%s", diff)
	}
}
