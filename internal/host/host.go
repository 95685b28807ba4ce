// Package host assembles a server from its parts: store, accounts, uploads, mail and stored pages. The command weft and
// programs that embed a server use it, with settings that they have checked.
//
//	OpenStore ──▶ Start ──▶ Host.Options, which the caller may change ──▶ NewServer ──▶ server.Server
//	                                                                                        │
//	              Stop ◀────────────────────── after the server has ended ◀─────────────────┘
package host

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/mail"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/site/content"
	"github.com/weft-graph/weft/internal/site/page"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/web"
)

// Settings are the settings of the parts.
type Settings struct {
	// Options are the options of the server. Start sets the parts, the pages and the packages. Log is required.
	Options server.Options
	// Accounts are the options of accounts. Start sets Mailer and Log.
	Accounts account.Options
	Uploads  UploadSettings
	// Mail sends e-mails; nil means that the server sends no e-mails. MailRate is the maximum number of e-mails of a user per
	// hour.
	Mail     mail.Sender
	MailRate int
	// Pages are the settings of the site; nil means that the server has no site.
	Pages *PageSettings
	// Prepare, if not nil, is called after the site was written to the store, and before the other parts start.
	Prepare func(ctx context.Context) error
}

// PageSettings are the settings of the site.
type PageSettings struct {
	Policy     page.Policy // policy for the code of widgets; its Cleaner is not set
	CacheBytes int64       // maximum size of the cache of pages
	CleanBytes int64       // maximum size of the cache of cleaned HTML
	Documented bool        // the site has a page of documentation for widgets
	Documents  []string    // paths of the pages of package manual
}

// A Host holds the parts of a server.
type Host struct {
	Options  server.Options
	Accounts *account.Accounts
	store    graph.Store
	stops    []func()
}

// Start starts the parts of a server on a store. The caller must call Stop, unless Start returns an error.
func Start(ctx context.Context, store graph.Store, s Settings) (_ *Host, err error) {
	h := &Host{Options: s.Options, store: store}
	defer func() {
		if err != nil {
			h.Stop()
		}
	}()
	h.Options.Packages = web.Packages()
	if s.Pages != nil {
		h.Options.Site, h.Options.Console = web.Site(), web.Console()
		if err := content.Seed(ctx, store); err != nil {
			return nil, fmt.Errorf("cannot write the site to the store: %w", err)
		}
	}
	if s.Prepare != nil {
		if err := s.Prepare(ctx); err != nil {
			return nil, err
		}
	}
	log := h.Options.Log
	if h.Options.Uploads, err = h.startUploads(ctx, s.Uploads, log); err != nil {
		return nil, err
	}
	if s.Mail != nil {
		h.Options.Mail = h.startMail(ctx, s.Mail, s.MailRate, log)
	}
	s.Accounts.Mailer, s.Accounts.Log = mailer(h.Options.Mail), log
	s.Accounts.BeginErasing = h.addJob("erase removed users", "erases the data that only removed users could read", time.Hour)
	if h.Accounts, err = account.New(ctx, store, s.Accounts); err != nil {
		return nil, err
	}
	h.Options.Accounts = h.Accounts
	if s.Pages != nil {
		return h, h.addPages(*s.Pages)
	}
	return h, nil
}

// addJob adds a background job to the list for admins, and returns the function that records its runs.
func (h *Host) addJob(name, details string, every time.Duration) (begin func() (end func(error, time.Duration))) {
	jobs := h.Options.Operation.Jobs
	jobs.Add(name, details, every)
	return func() func(error, time.Duration) { return jobs.Begin(name) }
}

// addPages adds the renderer of stored pages and the policy for the code of widgets to the options of the server.
func (h *Host) addPages(s PageSettings) (err error) {
	s.Policy.Cleaner = page.NewCleaner(int(s.CleanBytes), s.Policy.Looks)
	o := &h.Options
	o.Policies = server.NewPolicies(s.Policy, h.Accounts)
	o.Pages, err = server.Pages(h.store, o.Site, server.PageOptions{
		Policies: o.Policies, PublicURL: o.PublicURL, Documented: s.Documented, Documents: s.Documents,
		CacheBytes: s.CacheBytes, Log: o.Log,
	})
	return err
}

// NewServer returns the server, and starts the job that erases the data of removed users. Stop ends the job.
func (h *Host) NewServer(ctx context.Context) *server.Server {
	s := server.New(h.store, h.Options) //nolint:contextcheck // the server runs until Serve returns
	h.goUntilStop(ctx, h.Accounts.Run)
	return s
}

// OnStop adds a function that Stop calls, before the functions that were added earlier.
func (h *Host) OnStop(stop func()) { h.stops = append(h.stops, stop) }

// Stop stops the parts in reverse order of their start.
func (h *Host) Stop() {
	for _, stop := range slices.Backward(h.stops) {
		stop()
	}
	h.stops = nil
}

// goUntilStop runs work in the background. Stop cancels the context of the work and waits until the work ends.
func (h *Host) goUntilStop(ctx context.Context, work func(context.Context)) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		work(ctx)
	}()
	h.OnStop(func() {
		cancel()
		<-ended
	})
}

// startMail starts the delivery of e-mails.
func (h *Host) startMail(ctx context.Context, sender mail.Sender, rate int, log *slog.Logger) *mail.Queue {
	queue := mail.NewQueue(kv.In(h.store), rate, log)
	begin := h.addJob("deliver mail", "delivers queued mail as it becomes due, all the time", 0)
	h.goUntilStop(ctx, func(ctx context.Context) {
		end := begin()
		queue.Run(ctx, sender)
		end(nil, 0)
	})
	return queue
}

// mailer adapts the queue for accounts. It returns nil if queue is nil, that is, if the server sends no e-mails.
func mailer(queue *mail.Queue) account.Mailer {
	if queue == nil {
		return nil
	}
	return accountMailer{queue}
}

type accountMailer struct{ *mail.Queue }

// Send implements account.Mailer.
func (m accountMailer) Send(ctx context.Context, message account.Mail) error {
	_, err := m.Queue.Send(ctx, mail.Message{About: message.User, To: []string{message.To}, Subject: message.Subject, Text: message.Text})
	return err
}
