// Package track counts how often concepts and connections are used, and says which are used most: by one
// user, and by everybody. Everything stands in the kv store beside the graph, under "track/".
//
// A use loses half its weight in HalfLife. So that scores that stand still need not be written again, a score
// is kept as the logarithm to base 2 of a sum in which a use at time t weighs 2^(t/HalfLife): a single use is
// worth t/HalfLife, the same use a half-life later one more, and the order of two scores never changes by
// waiting. Two scores a ≥ b together are a + log2(1 + 2^(b-a)).
//
// A call is written as one small entry, which nobody else writes. Entries are folded into the tables when
// somebody asks, or when there are many: a table changes and the entries disappear in one commit, so each
// counts exactly once, whatever number of servers fold at a time. The contract gives calls no name, so a call
// that is sent twice counts twice.
package track

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

// HalfLife is the time in which a use loses half its weight.
const HalfLife = 7 * 24 * time.Hour

// Limits on calls and on what is kept.
const (
	MaxIDs   = 10_000 // of one call
	MaxCount = 10_000 // of one id in one call; more count as this many
	MaxOwn   = 500    // ids in a table of a user
	MaxAll   = 2_000  // ids in a table of everybody
	keepOwn  = 16 * HalfLife
)

// Uses say how often ids were used.
type Uses map[graph.ID]int64

// Counts are the uses of concepts and of connections.
type Counts struct {
	Concepts    Uses `json:"concepts"`
	Connections Uses `json:"connections"`
}

// A Tracker is safe for use by many goroutines, and by many servers where the database is.
type Tracker struct {
	kv  kv.Store
	now func() time.Time

	mu      sync.Mutex
	pending int // calls since this server folded last
	folded  time.Time
}

// New returns the tracker in a store. Now tells the time; nil means time.Now.
func New(store kv.Store, now func() time.Time) *Tracker {
	if now == nil {
		now = time.Now
	}
	return &Tracker{kv: store, now: now}
}

// A call is what one user sent at once, until it is folded. All are the uses that count for everybody.
type call struct {
	User graph.ID  `json:"user"`
	At   time.Time `json:"at"`
	Own  Counts    `json:"own"`
	All  Counts    `json:"all"`
}

const callPrefix = "track/call/"

// Count keeps uses: own ones for the user's ranking, and all, those of them that everybody may know of, for
// the ranking of everybody. They are durable when it returns. It returns TooLarge for more than MaxIDs.
func (t *Tracker) Count(ctx context.Context, user graph.ID, own, all Counts) error {
	if n := len(own.Concepts) + len(own.Connections); n > MaxIDs {
		return graph.Errorf(graph.TooLarge, "%d ids; the most is %d", n, MaxIDs)
	}
	c := call{user, t.now().UTC().Truncate(time.Millisecond), own.clamped(), all.clamped()}
	if len(c.Own.Concepts)+len(c.Own.Connections) == 0 {
		return nil
	}
	key := callKey(c.At) + "-" + strings.ToLower(rand.Text()[:12])
	if err := t.kv.Commit(ctx, kv.Put(key, encode(c))); err != nil {
		return err
	}
	if t.due(1) {
		_ = t.fold(ctx) // the uses are kept; whoever folds next meets what is wrong
	}
	return nil
}

func callKey(at time.Time) string { return fmt.Sprintf("%s%013d", callPrefix, at.UnixMilli()) }

// Erase forgets what a user used. Uses that count for everybody go on counting, under nobody's name. It may be
// done again.
func (t *Tracker) Erase(ctx context.Context, user graph.ID) error {
	for last := callKey(t.now().Add(time.Minute)); ; { // clocks differ
		waiting, err := t.kv.List(ctx, kv.Range{Prefix: callPrefix, Limit: 1})
		if err != nil {
			return err
		}
		if len(waiting) == 0 || waiting[0].Key > last {
			return kv.Clear(ctx, t.kv, fmt.Sprintf("track/own/%d/", user))
		}
		if err := t.fold(ctx); err != nil {
			return err
		}
	}
}

// clamped leaves out what counts nothing and bounds the rest.
func (c Counts) clamped() Counts {
	clamp := func(uses Uses) Uses {
		kept := make(Uses, len(uses))
		for id, n := range uses {
			if id.Real() && n > 0 {
				kept[id] = min(n, MaxCount)
			}
		}
		return kept
	}
	return Counts{clamp(c.Concepts), clamp(c.Connections)}
}

// Calls wait to be folded until there are waiting of them, or somebody asks and they may be stale old.
const (
	waiting = 64
	stale   = time.Minute
)

// due says whether it is time to fold, after some more calls.
func (t *Tracker) due(more int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending += more
	now := t.now()
	if t.pending < waiting && (more > 0 || now.Sub(t.folded) < stale) {
		return false
	}
	t.pending, t.folded = 0, now
	return true
}

// A Kind says what is ranked.
type Kind string

// The kinds.
const (
	Concepts    Kind = "concepts"
	Connections Kind = "connections"
)

// Ranking returns up to n ids: those the user uses most, the most used first, and then those that everybody
// uses most. A user of Anonymous has none of their own. It may be a minute behind.
func (t *Tracker) Ranking(ctx context.Context, user graph.ID, kind Kind, n int) ([]graph.ID, error) {
	if t.due(0) {
		if err := t.fold(ctx); err != nil {
			return nil, err
		}
	}
	var ids []graph.ID
	listed := map[graph.ID]bool{}
	for _, key := range []string{ownKey(user, kind), allKey(kind)} {
		table, _, err := t.table(ctx, key, 0)
		if err != nil {
			return nil, err
		}
		for _, id := range table.ranking() {
			if !listed[id] && len(ids) < n {
				listed[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids, nil
}

func ownKey(user graph.ID, kind Kind) string { return fmt.Sprintf("track/own/%d/%s", user, kind) }

func allKey(kind Kind) string { return "track/all/" + string(kind) }

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own records all have a JSON form
	}
	return text
}
