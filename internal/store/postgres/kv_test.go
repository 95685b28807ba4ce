package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/kv"
)

func TestCommitDeletesAThousandExpiredEntries(t *testing.T) {
	s := open(t, pgtest.Database(t))
	var expired []kv.Op
	for i := range 2_500 {
		expired = append(expired, kv.Put(fmt.Sprint("k", i), nil).Until(time.Now().Add(-time.Hour)))
	}
	for i, ops := range [][]kv.Op{expired, {kv.Add("n", 1)}, {kv.Add("n", 1)}} {
		if err := s.KV().Commit(t.Context(), ops...); err != nil {
			t.Fatal(err)
		}
		summary, err := s.Summary(t.Context())
		if want := []int64{1_500, 501, 1}[i]; err != nil || summary.Entries != want {
			t.Errorf("after commit %d there are %d entries, %v; want %d", i+1, summary.Entries, err, want)
		}
	}
}
