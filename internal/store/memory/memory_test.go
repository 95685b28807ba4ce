package memory_test

import (
	"testing"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/kv/kvtest"
	"github.com/weft-graph/weft/internal/store/memory"
	"github.com/weft-graph/weft/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) graph.Store { return memory.New() })
}

func TestKV(t *testing.T) {
	kvtest.Run(t, func(*testing.T) kv.Store { return kv.In(memory.New()) })
}

func BenchmarkStore(b *testing.B) {
	storetest.Bench(b, func(*testing.B) graph.Store { return memory.New() })
}
