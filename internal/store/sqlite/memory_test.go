package sqlite

import (
	"runtime"
	"testing"
)

func TestReaderCachesAreBounded(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for processors, want := range map[int]int{1: 32 << 10, 8: 64 << 10, 64: 64 << 10} {
		runtime.GOMAXPROCS(processors)
		if got := maxReaders() * readerCacheKiB(); got != want {
			t.Errorf("with %d processors readers cache %d KiB of pages; want %d", processors, got, want)
		}
	}
}
