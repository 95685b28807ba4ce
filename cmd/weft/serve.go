package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/weft-graph/weft/account"
	"github.com/weft-graph/weft/content"
	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/server"
	"github.com/weft-graph/weft/web"
	"github.com/weft-graph/weft/wordnet"
)

type serveCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"WEFT_LISTEN" help:"Address to listen on; port 0 takes a free one."`
	storeFlags
	AnonymousWrites bool   `env:"WEFT_ANONYMOUS_WRITES" help:"Let everybody write without signing in; what they write belongs to everybody."`
	SampleWords     bool   `env:"WEFT_SAMPLE_WORDS" help:"Begin with a sample of WordNet when the graph has no words."`
	Config          string `env:"WEFT_CONFIG" placeholder:"FILE" help:"Settings in YAML, TOML or JSON, under the names of the flags. The command line and the environment win over it."`
	PrintConfig     bool   `help:"Print the settings it would run with, secrets masked, and end."`

	accountFlags `group:"Accounts"`
	uploadFlags  `group:"Uploads"`
	mailFlags    `group:"Mail"`
	clientFlags  `group:"Clients"`
	askFlags     `group:"Clients"`
	widgetFlags  `group:"Widgets"`
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
	if err := cmp.Or(c.limitFlags.check(), c.watchFlags.check()); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.until(ctx)
}

// until serves until the context ends.
func (c serveCommand) until(ctx context.Context) error {
	l, err := listen(c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	store, err := c.open(ctx)
	if err != nil {
		return stopped(ctx, err)
	}
	return errors.Join(stopped(ctx, c.serve(ctx, store, l)), store.Close())
}

// stopped is the error of what a context was for, unless it was only given up when the context ended: to be told to
// stop while it starts is no failure of a server.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
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
	url := scheme + "://" + l.Addr().String()
	p := parts{options: server.Options{Log: log}}
	defer p.stop()
	if err := c.assemble(ctx, &p, store, url); err != nil {
		return err
	}
	s := server.New(store, p.options) //nolint:contextcheck // it lives until Serve ends
	defer erase(ctx, p.accounts)()
	fmt.Println(url)
	if err := c.invite(ctx, p.accounts, log); err != nil {
		return err
	}
	err = s.Serve(ctx, l)
	log.Info("stopped")
	return err
}

// parts are what a server is made of, and how to end those that run.
type parts struct {
	options  server.Options
	accounts *account.Accounts
	stops    []func()
}

// stop ends them, the last first.
func (p *parts) stop() {
	for _, stop := range slices.Backward(p.stops) {
		stop()
	}
}

// assemble starts the parts one after the other. Those that were started have to be stopped, whatever it returns.
func (c serveCommand) assemble(ctx context.Context, p *parts, store graph.Store, url string) (err error) {
	log := p.options.Log
	p.options.AnonymousWrites = c.AnonymousWrites
	p.options.PublicURL = strings.TrimRight(c.PublicURL, "/")
	p.options.Site = web.Site()
	if err := content.Seed(ctx, store); err != nil {
		return fmt.Errorf("the site cannot be put into the store: %w", err)
	}
	if err := c.sampleWords(ctx, store); err != nil {
		return err
	}
	uploads, stopUploads, err := c.startUploads(ctx, c.storeFlags, store, log)
	if err != nil {
		return err
	}
	p.stops = append(p.stops, stopUploads)
	queue, stopMail, err := c.startMail(ctx, store, log)
	if err != nil {
		return err
	}
	p.stops = append(p.stops, stopMail)
	p.options.Uploads, p.options.Mail = uploads, queue
	if p.options.ContactTo, err = c.contacts(); err != nil {
		return err
	}
	p.options.MailConfirmed = c.Mail != printMail && !c.MailUnconfirmed
	if p.accounts, err = c.accounts(ctx, store, mailer(queue), url, log); err != nil {
		return err
	}
	c.accountFlags.apply(p.accounts, &p.options)
	if err := c.pages(store, p); err != nil {
		return err
	}
	c.limitFlags.apply(&p.options)
	if err := c.clientFlags.apply(store, &p.options); err != nil {
		return err
	}
	if p.options.Asker, err = c.asker(); err != nil {
		return err
	}
	backups, stopBackups, err := c.startBackups(ctx, c.storeFlags, store, log)
	if err != nil {
		return err
	}
	p.stops = append(p.stops, stopBackups)
	stopWatching, err := c.start(ctx, &p.options, log)
	if err != nil {
		return err
	}
	p.stops = append(p.stops, stopWatching)
	measureBackups(p.options.Metrics, backups)
	return nil
}

// sampleWords gives those who try things out something to look up.
func (c serveCommand) sampleWords(ctx context.Context, store graph.Store) error {
	if !c.SampleWords {
		return nil
	}
	n, err := wordnet.ImportSample(ctx, store)
	if err != nil {
		return fmt.Errorf("the sample of words cannot be imported: %w", err)
	}
	if n > 0 {
		fmt.Fprintf(os.Stderr, "The graph begins with a sample of %d words of WordNet 3.0; weft import wordnet brings all of it.\n", n)
	}
	return nil
}

// pages makes what shows the stored pages, and says whose widgets may run.
func (c serveCommand) pages(store graph.Store, p *parts) error {
	policy, err := c.policy()
	if err != nil {
		return err
	}
	o := &p.options
	o.Policies = server.NewPolicies(policy, p.accounts)
	o.Pages, err = server.Pages(store, o.Site, server.PageOptions{
		Policies: o.Policies, PublicURL: o.PublicURL, Documented: c.DocumentationWidget != 0, Log: o.Log,
	})
	return err
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
