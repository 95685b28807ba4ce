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
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/dataset/wordnet"
	"github.com/weft-graph/weft/internal/host"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/site/manual"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/internal/telemetry/operation"
)

// serveCommand holds the settings of the server: one field per flag, grouped by the file serve_<group>.go that declares the
// flags and applies them. The tag of a field declares the flag, its environment variable (WEFT_…), its default and its
// help. The configuration file uses the names of the flags (config.go).
//
// All settings are read once, when the server starts. To change one, restart the server.
type serveCommand struct {
	Listen string `default:"127.0.0.1:8080" env:"WEFT_LISTEN" help:"Address to listen on; port 0 selects a free port."`
	storeFlags
	AnonymousWrites bool   `env:"WEFT_ANONYMOUS_WRITES" help:"Permit guests to write. The anonymous user owns the records that they create, and any caller may change them."`
	SampleWords     bool   `env:"WEFT_SAMPLE_WORDS" help:"Import a sample of WordNet if the graph has no words."`
	Config          string `env:"WEFT_CONFIG" placeholder:"FILE" help:"File with settings in YAML, TOML or JSON, named like the flags. The command line and the environment take precedence."`
	PrintConfig     bool   `help:"Print the effective settings, with secrets masked, and exit."`

	accountFlags    `group:"Accounts"`
	uploadFlags     `group:"Uploads"`
	mailFlags       `group:"Mail"`
	clientFlags     `group:"Clients"`
	askFlags        `group:"Clients"`
	widgetFlags     `group:"Widgets"`
	siteFlags       `group:"Documentation"`
	tlsFlags        `group:"TLS"`
	limitFlags      `group:"Limits"`
	logFlags        `group:"Logs and metrics"`
	monitoringFlags `group:"Logs and metrics"`
	backupFlags     `group:"Backups"`

	shown []server.Setting // the settings as the console shows them to admins
}

// Help implements kong.HelpProvider.
func (serveCommand) Help() string {
	return `Prints the URL on standard output once the server is ready, and logs to standard error. ` +
		`Stops on SIGINT or SIGTERM, after the requests in flight have finished.`
}

// Run serves until the process receives SIGINT or SIGTERM.
func (c serveCommand) Run(line *kong.Context) error {
	if c.PrintConfig {
		return printConfig(os.Stdout, line)
	}
	if err := cmp.Or(c.limitFlags.check(), c.monitoringFlags.check()); err != nil {
		return err
	}
	c.shown = settingsOf(line)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.serveUntil(ctx)
}

// serveUntil serves until ctx is cancelled.
func (c serveCommand) serveUntil(ctx context.Context) error {
	l, err := listen(c.Listen)
	if err != nil {
		return err
	}
	defer l.Close()
	sqlite.LimitCaches(c.databaseCache())
	store, err := c.open(ctx)
	if err != nil {
		return ignoreCancelled(ctx, err)
	}
	return errors.Join(ignoreCancelled(ctx, c.serve(ctx, store, l)), store.Close())
}

// ignoreCancelled returns nil if err is only the consequence of a cancelled ctx, and any other error unchanged. Stopping a
// server while it starts is not a failure.
func ignoreCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// serve starts the parts of the server, prints its URL and serves until ctx is cancelled. It stops the parts in reverse
// order.
func (c serveCommand) serve(ctx context.Context, store graph.Store, l net.Listener) error {
	tail := operation.NewTail()
	log := slog.New(tail.Handler(c.logger(os.Stderr).Handler()))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, scheme, err := c.secure(ctx, l, c.Data, log)
	if err != nil {
		return err
	}
	if s, ok := graph.As[interface{ LogTo(*slog.Logger) }](store); ok {
		s.LogTo(log)
	}
	url := scheme + "://" + hostFor(l.Addr())
	shown := server.Operation{Version: version(), Settings: c.shown, Log: tail, Jobs: &operation.Jobs{}}
	h, err := c.assemble(ctx, store, url, server.Options{Log: log, Operation: shown})
	if err != nil {
		return err
	}
	defer h.Stop()
	s := h.NewServer(ctx)
	fmt.Println(url)
	if err := c.printStart(ctx, h.Accounts, url, log); err != nil {
		return err
	}
	err = s.Serve(ctx, l)
	log.Info("stopped")
	return err
}

// assemble starts the parts in order, with the given options. The caller stops them.
func (c serveCommand) assemble(ctx context.Context, store graph.Store, url string, o server.Options) (_ *host.Host, err error) {
	settings, err := c.settings(store, url, o)
	if err != nil {
		return nil, err
	}
	settings.Prepare = func(ctx context.Context) error { return c.importSampleWords(ctx, store) }
	h, err := host.Start(ctx, store, settings)
	if malformed, ok := errors.AsType[host.BucketError](err); ok {
		return nil, usageErrorf("--blobs: %w", malformed)
	}
	if err != nil {
		return nil, err
	}
	backups, stopBackups, err := c.startBackups(ctx, c.storeFlags, store, &h.Options)
	if err != nil {
		h.Stop()
		return nil, err
	}
	h.OnStop(stopBackups)
	h.Options.Operation.Backups = backups
	stopMonitoring, err := c.startMonitoring(ctx, &h.Options, o.Log)
	if err != nil {
		h.Stop()
		return nil, err
	}
	h.OnStop(stopMonitoring)
	measureBackups(h.Options.Metrics, backups)
	return h, nil
}

// settings checks the flags and returns the settings of the parts. It sets further fields of options.
func (c serveCommand) settings(store graph.Store, url string, options server.Options) (s host.Settings, err error) {
	s.Options = options
	s.Options.AnonymousWrites, s.Options.PublicURL, s.Options.Quotas = c.AnonymousWrites, strings.TrimRight(c.PublicURL, "/"), c.quotas()
	if s.Uploads, err = c.uploadFlags.settings(c.storeFlags, c.MemoryLimit); err != nil {
		return s, err
	}
	s.MailRate = c.MailRate
	if s.Mail, err = c.sender(); err != nil {
		return s, err
	}
	o := &s.Options
	if o.ContactTo, err = c.contacts(); err != nil {
		return s, err
	}
	o.MailConfirmed = c.Mail != printMail && !c.MailUnconfirmed
	if s.Accounts, err = c.accountFlags.settings(url); err != nil {
		return s, err
	}
	c.accountFlags.apply(o)
	policy, err := c.policy()
	if err != nil {
		return s, err
	}
	s.Pages = &host.PageSettings{
		Policy: policy, Documented: c.DocumentationWidget != 0,
		Documents: manual.Paths(), CacheBytes: min(maxPageCache, c.memory()/16), CleanBytes: min(maxCleanedCache, c.memory()/32),
	}
	if o.Manual, err = c.manual(); err != nil {
		return s, err
	}
	c.limitFlags.apply(o)
	if c.scheme() == "" {
		o.Disk = server.Disk{Reserve: int64(c.DiskReserve), Free: func() (int64, error) { return freeSpace(c.Data) }}
	}
	if err := c.clientFlags.apply(store, o); err != nil {
		return s, err
	}
	o.Asker, err = c.asker()
	return s, err
}

// importSampleWords imports the sample of WordNet if the flag is set and the store has no words.
func (c serveCommand) importSampleWords(ctx context.Context, store graph.Store) error {
	if !c.SampleWords {
		return nil
	}
	n, err := wordnet.ImportSample(ctx, store)
	if err != nil {
		return fmt.Errorf("cannot import the sample of words: %w", err)
	}
	if n > 0 {
		fmt.Fprintf(os.Stderr, "Imported a sample of %d words of WordNet 3.0; weft import wordnet imports all of it.\n", n)
	}
	return nil
}

// hostFor returns the host and port under which a browser on this machine reaches a listener. For a listener on all
// addresses it returns "localhost", because browsers cannot open http://[::]:8080 on every system.
func hostFor(address net.Addr) string {
	tcp, ok := address.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return address.String()
}

// listen listens on a TCP address. The error names the address.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use by another program; choose another address with --listen", address)
	case err != nil:
		return nil, fmt.Errorf("cannot listen on %q: %w", address, err)
	}
	return l, nil
}
