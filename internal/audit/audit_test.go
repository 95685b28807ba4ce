package audit

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

func TestEntriesAreListedNewestFirstInPages(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := New(&kv.Memory{}, func() time.Time { return at })
	for i := range 5 {
		e := Entry{By: graph.ID(100 + i%2), Action: "user.disable", Target: fmt.Sprintf("Ann%d@example.org", i), Address: "192.0.2.1"}
		if err := l.Add(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	first, cursor, err := l.List(t.Context(), Query{Limit: 2})
	if err != nil || len(first) != 2 || first[0].Number != 5 || first[1].Target != "Ann3@example.org" || !first[0].At.Equal(at) {
		t.Errorf("the first page = %+v, %v; want entries 5 and 4, the second of Ann3 at %v", first, err, at)
	}
	rest, cursor, err := l.List(t.Context(), Query{Limit: 10, Before: cursor})
	if err != nil || len(rest) != 3 || cursor != 0 || rest[2].Number != 1 {
		t.Errorf("the rest = %+v, cursor %d, %v; want entries 3 to 1 and no cursor", rest, cursor, err)
	}
	for name, row := range map[string]struct {
		query Query
		want  int
	}{
		"by admin":  {Query{By: 101}, 2},
		"by action": {Query{Action: "user."}, 5},
		"by text":   {Query{Text: "ann2"}, 1},
		"none":      {Query{Action: "key."}, 0},
	} {
		row.query.Limit = 10
		if found, _, err := l.List(t.Context(), row.query); err != nil || len(found) != row.want {
			t.Errorf("%s: %d entries, %v; want %d", name, len(found), err, row.want)
		}
	}
	if _, _, err := l.List(t.Context(), Query{}); graph.KindOf(err) != graph.Invalid {
		t.Errorf("listing a page without a size: %v; want invalid", err)
	}
}

func TestConcurrentEntriesAllReceiveANumber(t *testing.T) {
	l := New(&kv.Memory{}, nil)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := l.Add(t.Context(), Entry{By: 1, Action: "x", Detail: strings.Repeat("ä", 1_000)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	found, _, err := l.List(t.Context(), Query{Limit: 100})
	if err != nil || len(found) != 20 || len(found[0].Detail) > maxTextBytes {
		t.Errorf("%d entries, %v", len(found), err)
	}
}

func TestTheOldestEntryIsRemovedBeyondTheMaximum(t *testing.T) {
	entries := &kv.Memory{}
	l := New(entries, nil)
	if err := entries.Commit(t.Context(), kv.Put(entryKey(1), []byte("{}")), kv.Put(nextKey, []byte(fmt.Sprint(MaxEntries+1)))); err != nil {
		t.Fatal(err)
	}
	if err := l.Add(t.Context(), Entry{By: 1, Action: "x"}); err != nil {
		t.Fatal(err)
	}
	found, _, err := l.List(t.Context(), Query{Limit: 10})
	if err != nil || len(found) != 1 || found[0].Number != MaxEntries+1 {
		t.Errorf("the entries are %+v, %v; want only the newest", found, err)
	}
}
