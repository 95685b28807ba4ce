// Package usage counts how often concepts and connections are used and ranks them: for one user, and for all users.
// Clients report uses in batches and read the ranking to preload and suggest records.
//
// Everything is stored in the kv store next to the graph, under "track/":
//
//	track/call/…        calls that have not been folded (added to the tables)
//	track/own/USER/…    a table of scores for each user
//	track/all/…         the tables of all users
//
// A use loses half its weight in HalfLife. A score is stored as the base-2 logarithm of a sum in which a use at time t
// weighs 2^(t/HalfLife), so scores are not rewritten as time passes: a single use scores t/HalfLife, the same use a
// half-life later scores one more, and the order of two scores never changes without new uses. Two scores a ≥ b add up
// to a + log2(1 + 2^(b-a)).
//
// Count writes one small entry per call and needs no lock. Entries are folded into the tables when a ranking is read or
// when there are many entries. One commit changes a table and deletes its entries, so each call counts exactly once,
// however many servers fold concurrently. The wire contract gives calls no idempotency key, so a call that is sent
// twice counts twice.
//
// Reasons for the design: docs/decisions/0013.
package usage

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// HalfLife is the time in which a use loses half its weight.
const HalfLife = 7 * 24 * time.Hour

// Limits of calls and tables.
const (
	MaxIDs        = 10_000        // per call
	MaxCount      = 10_000        // per id and call; larger counts are reduced to MaxCount
	MaxOwn        = 500           // ids in the table of a user
	MaxAll        = 2_000         // ids in the table of all users
	tableLifetime = 16 * HalfLife // after the last use
)

// Uses holds the number of uses by id.
type Uses map[graph.ID]int64

// Counts holds the uses of concepts and of connections.
type Counts struct {
	Concepts    Uses `json:"concepts"`
	Connections Uses `json:"connections"`
}

// A Tracker is safe for concurrent use by goroutines, and by several servers of one database.
type Tracker struct {
	kv  kv.Store
	now func() time.Time

	mu      sync.Mutex
	pending int // calls since this server last folded
	folded  time.Time
}

// New returns the tracker of a store. The function now returns the current time; nil means time.Now.
func New(store kv.Store, now func() time.Time) *Tracker {
	if now == nil {
		now = time.Now
	}
	return &Tracker{kv: store, now: now}
}

// A call is one report of a user that has not been folded. The field All holds the uses that count in the ranking of
// all users.
type call struct {
	User graph.ID  `json:"user"`
	At   time.Time `json:"at"`
	Own  Counts    `json:"own"`
	All  Counts    `json:"all"`
}

const callPrefix = "track/call/"

// Count stores uses: own for the ranking of the user, and all for the ranking of all users. all may contain only
// records that every user may read. Uses are durable when Count returns. The error is TooLarge for more than MaxIDs
// ids.
func (t *Tracker) Count(ctx context.Context, user graph.ID, own, all Counts) error {
	if n := len(own.Concepts) + len(own.Connections); n > MaxIDs {
		return graph.Errorf(graph.TooLarge, "%d ids: more than the limit of %d", n, MaxIDs)
	}
	c := call{user, t.now().UTC().Truncate(time.Millisecond), own.clamped(), all.clamped()}
	if len(c.Own.Concepts)+len(c.Own.Connections) == 0 {
		return nil
	}
	key := callKey(c.At) + "-" + strings.ToLower(rand.Text()[:12])
	if err := t.kv.Commit(ctx, kv.Put(key, encode(c))); err != nil {
		return err
	}
	if t.shouldFold(1) {
		_ = t.fold(ctx) // an error is ignored because the uses are stored, and a later fold adds them to the tables
	}
	return nil
}

func callKey(at time.Time) string { return fmt.Sprintf("%s%013d", callPrefix, at.UnixMilli()) }

// Erase deletes the uses of a user. Their part in the ranking of all users remains anonymously. Erase is idempotent.
func (t *Tracker) Erase(ctx context.Context, user graph.ID) error {
	for last := callKey(t.now().Add(time.Minute)); ; { // the clocks of servers differ
		calls, err := t.kv.List(ctx, kv.Range{Prefix: callPrefix, Limit: 1})
		if err != nil {
			return err
		}
		if len(calls) == 0 || calls[0].Key > last {
			return kv.Clear(ctx, t.kv, fmt.Sprintf("track/own/%d/", user))
		}
		if err := t.fold(ctx); err != nil {
			return err
		}
	}
}

// clamped returns the counts without ids that are local or have no uses, and limits the other counts to MaxCount.
func (c Counts) clamped() Counts {
	clamp := func(uses Uses) Uses {
		clamped := make(Uses, len(uses))
		for id, n := range uses {
			if id.IsReal() && n > 0 {
				clamped[id] = min(n, MaxCount)
			}
		}
		return clamped
	}
	return Counts{clamp(c.Concepts), clamp(c.Connections)}
}

// Calls are folded when this server has received maxUnfolded calls, or when a ranking is read and the last fold is
// older than maxRankingAge.
const (
	maxUnfolded   = 64
	maxRankingAge = time.Minute
)

// shouldFold counts more calls and reports whether to fold now.
func (t *Tracker) shouldFold(more int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending += more
	now := t.now()
	if t.pending < maxUnfolded && (more > 0 || now.Sub(t.folded) < maxRankingAge) {
		return false
	}
	t.pending, t.folded = 0, now
	return true
}

// A Kind is the kind of record that is ranked.
type Kind string

// The kinds.
const (
	Concepts    Kind = "concepts"
	Connections Kind = "connections"
)

// Ranking returns up to n ids: the ids that the user uses most, most used first, followed by the ids that all users
// together use most. Anonymous has no separate ranking. The result may be up to maxRankingAge old.
func (t *Tracker) Ranking(ctx context.Context, user graph.ID, kind Kind, n int) ([]graph.ID, error) {
	if t.shouldFold(0) {
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
		panic(err) // our own types can always be encoded
	}
	return text
}
