package memory_test

import (
	"testing"

	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/storetest"
)

// Records that the viewer may not see must not add to the work, which is counted in records that were read.
func TestHiddenRecordsCostNothing(t *testing.T) {
	storetest.RunHidden(t, func(*testing.T) storetest.CountedStore {
		s := memory.New()
		return storetest.CountedStore{Store: s, Reader: s, Work: s.Reads}
	})
}
