package main

import (
	"context"
	"errors"
	"testing"
)

func TestStoppingAServerWhileItStartsIsNotAnError(t *testing.T) {
	t.Parallel()
	c := serveCommand{Listen: "127.0.0.1:0", storeFlags: storeFlags{Store: "memory:", Data: t.TempDir()}}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := c.serveUntil(ctx); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	if err := ignoreCancelled(ctx, broken); !errors.Is(err, broken) {
		t.Errorf("another error became %v", err)
	}
}
