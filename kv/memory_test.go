package kv_test

import (
	"testing"

	"github.com/weft-graph/weft/kv"
	"github.com/weft-graph/weft/kv/kvtest"
)

func TestMemory(t *testing.T) {
	kvtest.Run(t, func(*testing.T) kv.Store { return new(kv.Memory) })
}
