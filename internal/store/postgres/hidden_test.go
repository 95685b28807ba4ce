package postgres_test

import (
	"testing"

	"github.com/weft-graph/weft/internal/pgtest"
	"github.com/weft-graph/weft/internal/store/postgres"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// The work is counted in index entries that were read.
func TestHiddenRecordsCostNothing(t *testing.T) {
	t.Parallel()
	storetest.RunHidden(t, func(t *testing.T) storetest.CountedStore {
		url := pgtest.Database(t)
		s := open(t, url)
		r, err := postgres.OpenReader(t.Context(), url+"&pool_max_conns=1")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		return storetest.CountedStore{Store: s, Reader: r, Work: func() int64 {
			n, err := r.IndexReads(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}}
	})
}
