package usage_test

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
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/telemetry/usage"
)

const (
	ann graph.ID = 70_001
	bob graph.ID = 70_002
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main{M: m}) }

// onEveryStore runs a test in every store.
func onEveryStore(t *testing.T, test func(*testing.T, kv.Store)) {
	everystore.Run(t, func(t *testing.T, store graph.Store) { test(t, kv.In(store)) })
}

// A fixture is a tracker with a clock that the test advances.
type fixture struct {
	*usage.Tracker
	*clock.Clock
	t *testing.T
}

func newFixture(t *testing.T, store kv.Store) fixture {
	c := clock.At(time.Now())
	return fixture{usage.New(store, c.Now), c, t}
}

func (f fixture) count(user graph.ID, uses usage.Uses) {
	f.t.Helper()
	own := usage.Counts{Concepts: uses}
	if err := f.Count(f.t.Context(), user, own, own); err != nil {
		f.t.Fatal(err)
	}
}

func (f fixture) ranking(user graph.ID, n int) []graph.ID {
	f.t.Helper()
	f.Move(2 * time.Minute) // so that the next ranking folds the calls
	ids, err := f.Ranking(f.t.Context(), user, usage.Concepts, n)
	if err != nil {
		f.t.Fatal(err)
	}
	return ids
}

func TestRankingListsOwnUsesBeforeThoseOfAllUsers(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		f := newFixture(t, store)
		f.count(ann, usage.Uses{1: 5, 2: 7, 3: 1})
		f.count(ann, usage.Uses{1: 5, 4: -1, 0: 9, -3: 9})
		f.count(bob, usage.Uses{3: 50, 9: 20})
		for name, row := range map[string]struct {
			user graph.ID
			n    int
			want []graph.ID
		}{
			"a user: own ids first, then the ids of all users": {ann, 10, []graph.ID{1, 2, 3, 9}},
			"another user":                  {bob, 10, []graph.ID{3, 9, 1, 2}},
			"a guest: the ids of all users": {graph.Anonymous, 10, []graph.ID{3, 9, 1, 2}},
			"at most n ids":                 {bob, 1, []graph.ID{3}},
		} {
			if diff := cmp.Diff(row.want, f.ranking(row.user, row.n)); diff != "" {
				t.Errorf("%s:\n%s", name, diff)
			}
		}
		if ids, err := f.Ranking(t.Context(), ann, usage.Connections, 10); err != nil || ids != nil {
			t.Errorf("connections %v, %v; want none, because no user has used a connection", ids, err)
		}
	})
}

func TestUsesLoseWeightOverTime(t *testing.T) {
	f := newFixture(t, &kv.Memory{})
	f.count(ann, usage.Uses{1: 100})
	f.Move(usage.HalfLife)
	f.count(ann, usage.Uses{2: 49})
	if diff := cmp.Diff([]graph.ID{1, 2}, f.ranking(ann, 10)); diff != "" {
		t.Errorf("49 uses now are less than 100 a half-life ago:\n%s", diff)
	}
	f.count(ann, usage.Uses{2: 2})
	if diff := cmp.Diff([]graph.ID{2, 1}, f.ranking(ann, 10)); diff != "" {
		t.Errorf("51 uses are more:\n%s", diff)
	}
	f.Move(5 * usage.HalfLife)
	f.count(ann, usage.Uses{3: 2})
	if diff := cmp.Diff([]graph.ID{3, 2, 1}, f.ranking(ann, 10)); diff != "" {
		t.Errorf("six half-lives later two are more:\n%s", diff)
	}
}

func TestPrivateUsesStayPrivate(t *testing.T) {
	f := newFixture(t, &kv.Memory{})
	own := usage.Counts{Concepts: usage.Uses{1: 5, 2: 1}}
	if err := f.Count(t.Context(), ann, own, usage.Counts{Concepts: usage.Uses{2: 1}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]graph.ID{2}, f.ranking(bob, 10)); diff != "" {
		t.Error(diff)
	}
}

// Eight writers count concurrently on two servers.
func TestNoCountIsLost(t *testing.T) {
	onEveryStore(t, func(t *testing.T, store kv.Store) {
		const writers, calls = 8, 100
		c := clock.At(time.Now())
		servers := []*usage.Tracker{usage.New(store, c.Now), usage.New(store, c.Now)}
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				uses := usage.Counts{Concepts: usage.Uses{7: 3}, Connections: usage.Uses{8: 1}}
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
			if _, err := s.Ranking(t.Context(), ann, usage.Concepts, 1); err != nil {
				t.Fatal(err)
			}
		}
		for key, want := range map[string]float64{
			"track/all/concepts": writers * calls * 3, "track/all/connections": writers * calls,
			"track/own/70001/concepts": writers * calls * 3 / 4,
		} {
			got := usesIn(t, store, key, start)
			if math.Abs(got-want) > 1e-6*want {
				t.Errorf("%s holds %v uses; want %v", key, got, want)
			}
		}
		unfolded, err := store.List(t.Context(), kv.Range{Prefix: "track/call/"})
		if err != nil || len(unfolded) != 0 {
			t.Errorf("%d calls are not folded, %v; want none", len(unfolded), err)
		}
	})
}

// usesIn converts the only score of a table into a number of uses at one time.
func usesIn(t *testing.T, store kv.Store, key string, at time.Time) float64 {
	t.Helper()
	found, err := store.Get(t.Context(), key)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d entries, %v; want 1", key, len(found), err)
	}
	var table struct{ Scores map[string]float64 }
	if err := json.Unmarshal(found[0].Value, &table); err != nil || len(table.Scores) != 1 {
		t.Fatalf("%s holds %s, %v; want a table with one score", key, found[0].Value, err)
	}
	for _, score := range table.Scores {
		return math.Exp2(score - float64(at.UnixMilli())/float64(usage.HalfLife.Milliseconds()))
	}
	return 0
}

// The tables stay small, however many ids are used, and keep the most used ids.
func TestTablesAreBounded(t *testing.T) {
	store := &kv.Memory{}
	f := newFixture(t, store)
	next := graph.ID(1_000_000)
	for round := range 8 {
		uses := usage.Uses{}
		for range usage.MaxIDs - 1 {
			next++
			uses[next] = 2
		}
		uses[5] = 3 // in every call, a little more than any other
		f.count(ann, uses)
		got := f.ranking(ann, 10_000)
		if len(got) > usage.MaxOwn+usage.MaxAll || got[0] != 5 {
			t.Fatalf("round %d: %d ids, first of all %d; want 5", round, len(got), got[0])
		}
	}
	tables, err := store.List(t.Context(), kv.Range{Prefix: "track/"})
	if err != nil || len(tables) != 2 {
		t.Fatalf("%d tables, %v; want 2", len(tables), err)
	}
	for _, e := range tables {
		if len(e.Value) > 100_000 || e.Expires.IsZero() {
			t.Errorf("%s has %d bytes and expires %v; want at most 100,000 bytes and an expiry", e.Key, len(e.Value), e.Expires)
		}
	}
}

// An id with a few uses in every call enters a table that is full of other ids.
func TestFrequentIDsAreNotMissed(t *testing.T) {
	f := newFixture(t, &kv.Memory{})
	uses := usage.Uses{}
	for i := range usage.MaxAll {
		uses[graph.ID(1_000_000+i)] = 10
	}
	f.count(ann, uses)
	for range 30 {
		f.count(bob, usage.Uses{5: 1})
	}
	if got := f.ranking(graph.Anonymous, usage.MaxAll); got[0] != 5 || len(got) != usage.MaxAll {
		t.Errorf("of %d the first is %d; want 5, which was used 30 times", len(got), got[0])
	}
}

func TestCallsAreBounded(t *testing.T) {
	f := newFixture(t, &kv.Memory{})
	uses := usage.Uses{}
	for i := range usage.MaxIDs + 1 {
		uses[graph.ID(i+1)] = 1
	}
	own := usage.Counts{Concepts: uses}
	if got := graph.KindOf(f.Count(t.Context(), ann, own, own)); got != graph.TooLarge {
		t.Errorf("counting %d ids: %q; want tooLarge", len(uses), got)
	}
	f.count(ann, usage.Uses{1: math.MaxInt64, 2: usage.MaxCount})
	f.count(ann, usage.Uses{2: 1})
	if diff := cmp.Diff([]graph.ID{2, 1}, f.ranking(ann, 10)); diff != "" {
		t.Errorf("a count is not bounded:\n%s", diff)
	}
}
