package kv_test

import (
	"testing"

	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/store/kv/kvtest"
)

func TestMemory(t *testing.T) {
	kvtest.Run(t, func(*testing.T) kv.Store { return new(kv.Memory) })
}
