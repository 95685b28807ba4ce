package usage

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
)

// A table holds the scores of the most used ids. When it is full, the lowest scores are dropped, and the highest score
// that was ever dropped is stored as the floor of the table. A new id starts at the floor, because its score may have
// been that high before it was dropped. The table therefore never misses a frequently used id. A rarely used id is
// ranked too high by at most the floor, which decays like every score.
type table struct {
	Scores map[graph.ID]float64 `json:"scores"`
	Floor  *float64             `json:"floor,omitempty"`
}

// table reads a table, and the version that a replacement must expect. A missing table is empty and has the version
// absent.
func (t *Tracker) table(ctx context.Context, key string, absent int64) (table, int64, error) {
	stored := table{Scores: map[graph.ID]float64{}}
	found, err := t.kv.Get(ctx, key)
	if err != nil || len(found) == 0 {
		return stored, absent, err
	}
	if err := json.Unmarshal(found[0].Value, &stored); err != nil {
		return stored, 0, graph.Wrap(graph.Internal, err, "table %q is damaged", key)
	}
	return stored, found[0].Version, nil
}

// add adds the scores of uses that happened at a time.
func (t *table) add(uses Uses, at time.Time) {
	for id, n := range uses {
		added := math.Log2(float64(n)) + scoreAt(at)
		score, known := t.Scores[id]
		switch {
		case known:
			added = sum(score, added)
		case t.Floor != nil:
			added = sum(*t.Floor, added)
		}
		t.Scores[id] = added
	}
}

// scoreAt returns the score of one use at a time.
func scoreAt(at time.Time) float64 { return float64(at.UnixMilli()) / float64(HalfLife.Milliseconds()) }

// sum returns the score of the uses of two scores together.
func sum(a, b float64) float64 {
	return max(a, b) + math.Log2(1+math.Exp2(-math.Abs(a-b)))
}

// cut drops all but the highest scores.
func (t *table) cut(maxIDs int) {
	if len(t.Scores) <= maxIDs {
		return
	}
	ranking := t.ranking()
	floor := t.Scores[ranking[maxIDs]]
	if t.Floor == nil || floor > *t.Floor {
		t.Floor = &floor
	}
	for _, id := range ranking[maxIDs:] {
		delete(t.Scores, id)
	}
}

// ranking lists the ids, highest score first; for equal scores the newer id first.
func (t *table) ranking() []graph.ID {
	return slices.SortedFunc(maps.Keys(t.Scores), func(a, b graph.ID) int {
		return cmp.Or(cmp.Compare(t.Scores[b], t.Scores[a]), cmp.Compare(b, a))
	})
}
