package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/web"
)

type serveCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"WEFT_LISTEN" help:"Address to listen on; port 0 takes a free one."`
	storeFlags
	AnonymousWrites bool   `env:"WEFT_ANONYMOUS_WRITES" help:"Let everybody write without signing in; what they write belongs to everybody."`
	Config          string `env:"WEFT_CONFIG" placeholder:"FILE" help:"Settings in YAML, TOML or JSON, under the names of the flags. The command line and the environment win over it."`
	PrintConfig     bool   `help:"Print the settings it would run with, secrets masked, and end."`

	accountFlags `group:"Accounts"`
	uploadFlags  `group:"Uploads"`
	mailFlags    `group:"Mail"`
	clientFlags  `group:"Clients"`
	tlsFlags     `group:"TLS"`
	limitFlags   `group:"Limits"`
	watchFlags   `group:"Watching"`
	backupFlags  `group:"Backups"`
}

// Help says what the one-line help of the flags cannot.
func (serveCommand) Help() string {
	return `Prints the URL on standard output once the server is ready, and logs as JSON lines to standard error. ` +
		`Stops on SIGINT or SIGTERM, after the requests in flight are answered.`
}

// Run serves until the process is told to stop.
func (c serveCommand) Run(line *kong.Context) error {
	if c.PrintConfig {
		return printConfig(os.Stdout, line)
	}
	if err := c.check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	l, err := listen(c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, store, l), store.Close())
}

func (c serveCommand) serve(ctx context.Context, store graph.Store, l net.Listener) error {
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	ctx, end := context.WithCancel(ctx)
	defer end()
	l, scheme, err := c.secure(ctx, l, c.Data, log)
	if err != nil {
		return err
	}
	if s, ok := graph.Behind[interface{ LogTo(*slog.Logger) }](store); ok {
		s.LogTo(log)
	}
	pages, err := site(ctx, store, log)
	if err != nil {
		return err
	}
	uploads, stopUploads, err := c.startUploads(ctx, c.storeFlags, store, log)
	if err != nil {
		return err
	}
	defer stopUploads()
	queue, stopMail, err := c.startMail(ctx, store, log)
	if err != nil {
		return err
	}
	defer stopMail()
	url := scheme + "://" + l.Addr().String()
	accounts, err := c.accounts(ctx, store, mailer(queue), url, log)
	if err != nil {
		return err
	}
	options := server.Options{
		AnonymousWrites: c.AnonymousWrites,
		Pages:           pages,
		Site:            web.Site(),
		Log:             log,
		PublicURL:       strings.TrimRight(c.PublicURL, "/"),
		Uploads:         uploads,
		Mail:            queue,
		MailConfirmed:   c.Mail != printMail && !c.MailUnconfirmed,
	}
	c.accountFlags.apply(accounts, &options)
	c.limitFlags.apply(&options)
	if err := c.clientFlags.apply(store, &options); err != nil {
		return err
	}
	backups, stopBackups, err := c.startBackups(ctx, c.storeFlags, store, log)
	if err != nil {
		return err
	}
	defer stopBackups()
	stopWatching, err := c.start(ctx, &options, log)
	if err != nil {
		return err
	}
	defer stopWatching()
	measureBackups(options.Metrics, backups)
	s := server.New(store, options) //nolint:contextcheck // it lives until Serve ends
	defer erase(ctx, accounts)()
	fmt.Println(url)
	if err := c.invite(ctx, accounts, log); err != nil {
		return err
	}
	err = s.Serve(ctx, l)
	log.Info("stopped")
	return err
}

// site puts the pages that were built in into the store and returns what shows them.
func site(ctx context.Context, store graph.Store, log *slog.Logger) (http.Handler, error) {
	if err := content.Seed(ctx, store); err != nil {
		return nil, fmt.Errorf("the site cannot be put into the store: %w", err)
	}
	return server.Pages(store, web.Site(), log)
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
