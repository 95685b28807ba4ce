package keylock

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
)

func TestACallerThatWaitsForALockStopsWhenItsContextEnds(t *testing.T) {
	l := New(256)
	index := func(key string) int32 { return l.Indexes(key)[0] }
	first, second := "0", "1" // keys, in the order in which their locks are locked
	for n := 2; index(first) == index(second); n++ {
		second = strconv.Itoa(n)
	}
	if index(first) > index(second) {
		first, second = second, first
	}
	unlock, err := l.Lock(t.Context(), l.Indexes(second))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := l.Lock(ctx, l.Indexes(second, first))
		result <- err
	}()
	for len(l.locks[index(first)]) == 0 { // until the caller has the first lock and waits for the second lock
		runtime.Gosched()
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v; want that of the context", err)
	}
	if len(l.locks[index(first)]) != 0 {
		t.Error("the first lock is still held")
	}
	unlock()
	if unlock, err = l.Lock(t.Context(), l.Indexes(first, second)); err != nil {
		t.Fatal(err)
	}
	unlock()
}
