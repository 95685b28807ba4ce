package main

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// A trial lets what was made for tests be used in a program.
type trial struct {
	testing.TB
	after []func()
	errs  []error
}

// Helper implements testing.TB.
func (*trial) Helper() {}

// Fatal implements testing.TB.
func (*trial) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// Error implements testing.TB.
func (t *trial) Error(args ...any) { t.errs = append(t.errs, errors.New(fmt.Sprint(args...))) }

// Cleanup implements testing.TB.
func (t *trial) Cleanup(f func()) { t.after = append(t.after, f) }

// end cleans up, the last first.
func (t *trial) end() error {
	for _, f := range slices.Backward(t.after) {
		f()
	}
	return errors.Join(t.errs...)
}
