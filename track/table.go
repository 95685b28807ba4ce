package track

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

// A table holds the scores of the ids used most. When it is full the lowest are dropped, and the highest
// score that was ever dropped is kept as its floor. An id that comes in starts from the floor, because that
// much it may have had before: so what is used often is never missed, and what is used seldom is ranked too
// high at most by the floor, which fades like everything.
type table struct {
	Scores map[graph.ID]float64 `json:"scores"`
	Floor  *float64             `json:"floor,omitempty"`
}

// table reads one, and the version to replace it by.
func (t *Tracker) table(ctx context.Context, key string, absent int64) (table, int64, error) {
	read := table{Scores: map[graph.ID]float64{}}
	found, err := t.kv.Get(ctx, key)
	if err != nil || len(found) == 0 {
		return read, absent, err
	}
	if err := json.Unmarshal(found[0].Value, &read); err != nil {
		return read, 0, graph.Wrap(graph.Internal, err, "the table %q is damaged", key)
	}
	return read, found[0].Version, nil
}

// add counts uses at a moment.
func (t *table) add(uses Uses, at time.Time) {
	for id, n := range uses {
		use := math.Log2(float64(n)) + worth(at)
		score, known := t.Scores[id]
		switch {
		case known:
			use = sum(score, use)
		case t.Floor != nil:
			use = sum(*t.Floor, use)
		}
		t.Scores[id] = use
	}
}

// worth is the score of one use at a moment.
func worth(at time.Time) float64 { return float64(at.UnixMilli()) / float64(HalfLife.Milliseconds()) }

// sum is the score of two scores together.
func sum(a, b float64) float64 {
	return max(a, b) + math.Log2(1+math.Exp2(-math.Abs(a-b)))
}

// cut drops all but the highest scores.
func (t *table) cut(most int) {
	if len(t.Scores) <= most {
		return
	}
	ranking := t.ranking()
	floor := t.Scores[ranking[most]]
	if t.Floor == nil || floor > *t.Floor {
		t.Floor = &floor
	}
	for _, id := range ranking[most:] {
		delete(t.Scores, id)
	}
}

// ranking lists the ids, the highest score first; of two alike the newer one.
func (t *table) ranking() []graph.ID {
	return slices.SortedFunc(maps.Keys(t.Scores), func(a, b graph.ID) int {
		return cmp.Or(cmp.Compare(t.Scores[b], t.Scores[a]), cmp.Compare(b, a))
	})
}
