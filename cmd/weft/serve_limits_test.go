package main

import "testing"

func TestTheDefaultMemoryLimitIsAtLeastTheMinimumOfTheFlag(t *testing.T) {
	t.Parallel()
	for machine, want := range map[int64]int64{128 << 20: minMemoryLimit, 2 * minMemoryLimit: minMemoryLimit, 4 << 30: 2 << 30} {
		if limit := defaultMemoryLimit(machine); limit != want {
			t.Errorf("the default on a machine with %s is %s; want %s", byteSize(machine), byteSize(limit), byteSize(want))
		}
	}
}
