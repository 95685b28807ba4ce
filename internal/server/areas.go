package server

import (
	"slices"
	"time"

	"github.com/weft-graph/weft/internal/account"
	"github.com/weft-graph/weft/internal/keylock"
	"github.com/weft-graph/weft/internal/shares"
	"github.com/weft-graph/weft/internal/store/feed"
	"github.com/weft-graph/weft/internal/store/kv"
	"github.com/weft-graph/weft/internal/telemetry/anomaly"
	"github.com/weft-graph/weft/internal/telemetry/operation"
)

// components holds the dependencies of the areas. Each area receives only those that it needs.
type components struct {
	options    Options
	kv         kv.Store // nil when the store keeps no entries
	feed       *feed.Feed
	views      *storeViews
	statistics *anomaly.Statistics
	addresses  clientAddresses
	errors     errorResponder
	metrics    *metrics
	disk       *diskGuard
	quotas     *quotas
	turns      *shares.Turns
	unique     *uniqueLimits
	limits     *requestLimits
	traffic    *operation.Traffic
	slow       *operation.SlowQueries
}

// areaSet holds the areas of the contract.
type areaSet struct {
	list  []area
	forms *formAPI

	// Areas and components that tests and erasers use.
	reference *apiReference
	waiter    *conceptWaiter
	texts     *textBuffer
	samples   *sampleAPI
	audit     *auditAPI
	options   Options
}

// newAreaSet creates the areas, in the order of the API reference.
func newAreaSet(c *components) *areaSet {
	o := c.options
	s := &areaSet{
		options:   o,
		reference: &apiReference{site: o.Site},
		waiter:    newConceptWaiter(c.feed),
		texts:     &textBuffer{kv: c.kv},
		audit:     newAuditAPI(c.kv, o.Accounts, c.addresses, c.errors),
	}
	s.samples = &sampleAPI{kv: c.kv, views: c.views, audit: s.audit}
	attempts := newAttemptLimits(o.Attempts, c.addresses)
	s.forms = &formAPI{accounts: o.Accounts, attempts: attempts, publicURL: o.PublicURL}
	s.list = append(s.list,
		area{"Start", (&configAPI{
			cacheServers: o.CacheServers, documentationWidget: o.DocumentationWidget, tracker: o.Usage, reference: s.reference, disk: c.disk, quotas: c.quotas,
		}).routes()},
		area{"Accounts", (&accountAPI{accounts: accountDirectory{o.Accounts}, attempts: attempts, publicURL: o.PublicURL, setsReaderCookies: o.IdentityLessReads != ""}).routes()},
		area{"Users", (&userAPI{accounts: accountDirectory{o.Accounts}, attempts: attempts, audit: s.audit, deleteKey: o.DeleteUserKey}).routes()},
		area{"People", append((&peopleAPI{accounts: accountDirectory{o.Accounts}, audit: s.audit}).routes(), s.audit.routes()...)},
	)
	s.list = append(s.list, s.graphAreas(c, attempts)...)
	s.list = append(s.list, s.fileAreas(c, attempts)...)
	s.list = append(s.list, telemetryAreas(c)...)
	s.reference.areas = s.list
	return s
}

// graphAreas returns the areas that read and write the graph.
func (s *areaSet) graphAreas(c *components, attempts *attemptLimits) []area {
	o := c.options
	queries := newQueryRunner(o.Queries, c.turns, c.errors.log, c.metrics)
	queries.slow = c.slow
	owned := &ownedRecords{store: c.feed, cursors: newCursorSealer(c.kv), scans: newScanGate()}
	ask := &askAPI{asker: o.Asker, attempts: attempts}
	streams := newStreamGate(o.Streams)
	registerShares(o.Metrics, "query weight", queries.weights.Refused)
	registerShares(o.Metrics, "query turns", c.turns.Refused)
	registerShares(o.Metrics, "scans", owned.scans.Refused)
	registerShares(o.Metrics, "waiting", s.waiter.waiting.Refused)
	registerShares(o.Metrics, "streams", streams.Refused)
	if o.Asker != nil {
		registerShares(o.Metrics, "questions", o.Asker.calls.Refused)
	}
	return []area{
		{"Concepts", inTurns(slices.Concat((&conceptAPI{owned}).routes(), (&typeListAPI{c.feed}).routes(), (&uniqueAPI{c.addresses, c.unique}).routes()))},
		{"Connections", inTurns((&connectionAPI{queries, owned}).routes())},
		{"Exploration", exploreAPI{}.routes()},
		{"Queries", append((&queryAPI{queries}).routes(), ask.routes()...)},
		{"Searches", inTurns((&searchAPI{queries}).routes())},
		{"Widgets", (&widgetAPI{
			views: c.views, policies: o.Policies, queries: queries, trees: newTreeGate(),
			frame: &frame{site: o.Site, policies: o.Policies}, documentation: o.DocumentationWidget,
		}).routes()},
		{"Pages", (&pageFileAPI{o.Pages}).routes()},
		{"Content", contentAPI{s.audit}.routes()},
		{"Sync", (&syncAPI{maxBatchBody: o.MaxBody, ruleLocks: keylock.New(ruleLocks)}).routes()},
		{"Creation", (&createAPI{waiter: s.waiter, texts: s.texts, maxBatchBody: o.MaxBody}).routes()},
		{"Removal", removeAPI{}.routes()},
		{"Schema", append((&schemaAPI{views: c.views, audit: s.audit, maxBatchBody: o.MaxBody}).routes(), s.samples.routes()...)},
		{"Events", (&eventAPI{
			feed: c.feed, accounts: o.Accounts, limit: streams,
			metrics: c.metrics, log: c.errors.log,
		}).routes()},
	}
}

// fileAreas returns the areas of uploads, mail, messages to the operator, packages and documentation.
func (s *areaSet) fileAreas(c *components, attempts *attemptLimits) []area {
	o := c.options
	writes := writePolicy{o.AnonymousWrites}
	uploads := &uploadAPI{uploads: o.Uploads, disk: c.disk, writes: writes, publicURL: o.PublicURL, addresses: c.addresses, errors: c.errors, audit: s.audit}
	mails := &mailAPI{
		queue: o.Mail, uploads: uploads, writes: writes,
		accounts: accountDirectory{o.Accounts}, requiresConfirmed: o.MailConfirmed,
	}
	contact := &contactAPI{views: c.views, attempts: attempts, queue: o.Mail, recipients: o.ContactTo, errors: c.errors}
	return []area{
		{"Uploads", uploads.routes()},
		{"Mail", append(mails.routes(), contact.routes()...)},
		{"Operations", slices.Concat(
			(&operationAPI{Operation: o.Operation, started: time.Now(), traffic: c.traffic, slow: c.slow, disk: c.disk, limits: c.limits}).routes(),
			(&operationDataAPI{queue: o.Mail, uploads: uploads, usage: o.Usage, accounts: accountDirectory{o.Accounts}, audit: s.audit}).routes(),
			(&backupAPI{archives: o.Operation.Backups, audit: s.audit}).routes(),
		)},
		{"Packages", newPackageAPI(o.Packages, o.PublicURL).routes()},
		{"Console", newConsoleAPI(o.Console).routes()},
		{"Documentation", (&documentationAPI{manual: o.Manual, publicURL: o.PublicURL}).routes()},
	}
}

// telemetryAreas returns the areas of logs, visits, usage and anomalies.
func telemetryAreas(c *components) []area {
	o := c.options
	logs := newClientLogs(o.ClientLog, c.addresses)
	return []area{
		{"Logs", (&clientLogAPI{logs}).routes()},
		{"Sessions", (&visitAPI{logs}).routes()},
		{"Usage", (&usageAPI{tracker: o.Usage, views: c.views}).routes()},
		{"Anomalies", (&anomalyAPI{c.statistics}).routes()},
	}
}

// erasers returns the functions that remove the data of a deleted user.
func (s *areaSet) erasers() []account.Eraser {
	o := s.options
	all := []account.Eraser{s.texts.erase, s.samples.erase}
	if o.Uploads != nil {
		all = append(all, o.Uploads.Erase)
	}
	if o.Mail != nil {
		all = append(all, o.Mail.Erase)
	}
	if o.ClientLog != nil {
		all = append(all, o.ClientLog.Erase)
	}
	if o.Usage != nil {
		all = append(all, o.Usage.Erase)
	}
	return all
}
