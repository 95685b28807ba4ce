package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/weft-graph/weft/server"
)

type serveCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"WEFT_LISTEN" help:"Address to listen on; port 0 takes a free one."`
	storeFlags
	AnonymousWrites bool  `env:"WEFT_ANONYMOUS_WRITES" help:"Let everybody write without signing in; what they write belongs to everybody."`
	MaxBody         int64 `default:"33554432" env:"WEFT_MAX_BODY" help:"Largest request, in bytes."`
}

// Help says what the one-line help of the flags cannot.
func (serveCommand) Help() string {
	return `Prints the URL on standard output once the server is ready, and logs as JSON lines to standard error. ` +
		`Stops on SIGINT or SIGTERM, after the requests in flight are answered.`
}

// Run serves until the process is told to stop.
func (c serveCommand) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	l, err := listen(c.Listen)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	s := server.New(store, server.Options{
		AnonymousWrites: c.AnonymousWrites,
		MaxBody:         c.MaxBody,
		Log:             log,
	})
	fmt.Printf("http://%s\n", l.Addr())
	err = s.Serve(ctx, l)
	log.Info("stopped")
	return errors.Join(err, store.Close())
}

func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use by another program; choose another with --listen", address)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	return l, nil
}
