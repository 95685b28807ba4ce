package server

import (
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/backup"
	"github.com/weft-graph/weft/internal/telemetry/operation"
	"github.com/weft-graph/weft/wire"
)

// Operation holds the data sources of the routes that describe the running server to admins. If a source is nil, its routes return an empty list or
// an Unavailable error.
type Operation struct {
	Version  string           // version of the program
	Notes    string           // changes of the versions, as Markdown
	Settings []Setting        // settings of the server, without secrets
	Log      *operation.Tail  // the end of the server's log
	Jobs     *operation.Jobs  // background jobs
	Backups  *backup.Archives // nil for stores that cannot be backed up here
}

// A Setting is a setting of the server and its source.
type Setting struct {
	Name        string `json:"name"`        // name of the flag, such as "public-url"
	Group       string `json:"group"`       // "" for general ones
	Value       any    `json:"value"`       // masked if it is a secret
	Default     string `json:"default"`     // as text
	Source      string `json:"source"`      // "flag", "environment", "file" or "default"
	Environment string `json:"environment"` // name of its environment variable; "" if it has none
	Help        string `json:"help"`
}

// operationAPI serves the state of the running server to admins.
type operationAPI struct {
	Operation
	started time.Time
	traffic *operation.Traffic
	slow    *operation.SlowQueries
	disk    *diskGuard
	limits  *requestLimits
}

func (a *operationAPI) routes() []route {
	return []route{
		{"GET", "/api/admin/health", noBody, jsonEndpoint(a.health), "The health of the server: uptime, store, disk, memory; for admins", requestShape{}},
		{"GET", "/api/admin/traffic", noBody, jsonEndpoint(a.showTraffic), "Requests and their times by minute for up to a day, and by route since the start; for admins", fields("minutes int 60")},
		{"GET", "/api/admin/slow-queries", noBody, jsonEndpoint(a.slowQueries), "The last slow queries with their plans, newest first; for admins", fields("before int?", "limit int 100")},
		{"GET", "/api/admin/log", noBody, jsonEndpoint(a.log), "The end of the server's log, newest first; for admins", fields("level text?", "text text?", "before int?", "limit int 100")},
		{"GET", "/api/admin/jobs", noBody, jsonEndpoint(a.jobs), "Background jobs: last run, result, next run; for admins", requestShape{}},
		{"GET", "/api/admin/settings", noBody, jsonEndpoint(a.settings), "The settings of the server, and the source of each; for admins", requestShape{}},
		{"GET", "/api/admin/version", noBody, jsonEndpoint(a.version), "The version of the server, and its changes as Markdown; for admins", requestShape{}},
	}
}

// serverHealth is the state of the server. Sizes are in bytes.
type serverHealth struct {
	Status     string       `json:"status"` // "ok", or "degraded" with Problems
	Problems   []string     `json:"problems"`
	Version    string       `json:"version"`
	Started    time.Time    `json:"started"`
	Uptime     int64        `json:"uptime"` // seconds
	Processors int          `json:"processors"`
	Goroutines int          `json:"goroutines"`
	Memory     memoryHealth `json:"memory"`
	Disk       *diskHealth  `json:"disk"` // null if the disk is not checked
	Store      wire.Ready   `json:"store"`
	StoreTook  float64      `json:"storeTook"` // response time of the store, in milliseconds
}

type memoryHealth struct {
	Heap         int64 `json:"heap"`         // live and not yet collected objects
	System       int64 `json:"system"`       // obtained from the operating system
	Requests     int64 `json:"requests"`     // held by requests
	RequestsPeak int64 `json:"requestsPeak"` // the largest value of Requests since the start
	RequestsMax  int64 `json:"requestsMax"`  // further requests are refused
}

type diskHealth struct {
	Status  diskStatus `json:"status"`
	Free    int64      `json:"free"`
	Reserve int64      `json:"reserve"` // with less free space, nothing can be added
}

func (a *operationAPI) health(req *request) (serverHealth, error) {
	if err := req.requireAdmin(); err != nil {
		return serverHealth{}, err
	}
	h := serverHealth{
		Status: "ok", Problems: []string{}, Version: a.Version, Started: a.started.UTC(), Uptime: int64(time.Since(a.started).Seconds()),
		Processors: runtime.GOMAXPROCS(0), Goroutines: runtime.NumGoroutine(), Memory: a.memory(), Disk: a.diskHealth(),
	}
	asked := time.Now()
	seq, err := req.graph.LastSeq(req.Context())
	if err != nil {
		return h, err
	}
	h.StoreTook = float64(time.Since(asked).Microseconds()) / 1000
	identity, err := req.graph.Identity(req.Context())
	if err != nil {
		return h, err
	}
	h.Store = wire.Ready{Seq: seq, Store: identity}
	if h.Disk != nil && h.Disk.Status != diskOK {
		h.Problems = append(h.Problems, "the disk is "+string(h.Disk.Status))
	}
	for _, job := range a.Jobs.List() {
		if job.Result != "" && job.Result != "ok" {
			h.Problems = append(h.Problems, job.Name+": "+job.Result)
		}
	}
	if len(h.Problems) > 0 {
		h.Status = "degraded"
	}
	return h, nil
}

func (a *operationAPI) memory() memoryHealth {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	used := a.limits.memory.Usage()
	return memoryHealth{Heap: int64(stats.HeapAlloc), System: int64(stats.Sys), Requests: used.Used, RequestsPeak: used.Peak, RequestsMax: used.Total}
}

func (a *operationAPI) diskHealth() *diskHealth {
	if a.disk == nil {
		return nil
	}
	free, status := a.disk.measure()
	return &diskHealth{Status: status, Free: free, Reserve: a.disk.Reserve}
}

type trafficPage struct {
	Minutes []operation.Minute `json:"minutes"` // oldest first; the last minute is not over
	Routes  []operation.Route  `json:"routes"`  // since the start of the server, the most frequent first
}

func (a *operationAPI) showTraffic(req *request) (trafficPage, error) {
	if err := req.requireAdmin(); err != nil {
		return trafficPage{}, err
	}
	sent, err := req.fields("minutes")
	if err != nil {
		return trafficPage{}, err
	}
	minutes, err := sent.Int("minutes", 60)
	if err == nil && (minutes < 1 || minutes > 24*60) {
		err = graph.Errorf(graph.Invalid, "%d minutes; want 1 to 1,440", minutes)
	}
	return trafficPage{a.traffic.Minutes(minutes, time.Now()), a.traffic.Routes()}, err
}

// numbersPage returns the fields "before" and "limit" of a list whose items are numbered. On the first page, before is 0.
func (req *request) numbersPage() (before int64, limit int, err error) {
	if before, err = req.cursorField("before"); err != nil {
		return 0, 0, err
	}
	sent, err := req.fields("limit")
	if err != nil {
		return 0, 0, err
	}
	limit, err = sent.Int("limit", 100)
	if err == nil && (limit < 1 || limit > maxPageSize) {
		err = graph.Errorf(graph.Invalid, "a page of %d; want 1 to %d", limit, maxPageSize)
	}
	return before, limit, err
}

type slowQueryPage struct {
	Queries []operation.SlowQuery `json:"queries"`
	Next    int64                 `json:"next"` // the value of before for the next page; 0 after the last
}

func (a *operationAPI) slowQueries(req *request) (slowQueryPage, error) {
	if err := req.requireAdmin(); err != nil {
		return slowQueryPage{}, err
	}
	before, limit, err := req.numbersPage()
	if err != nil {
		return slowQueryPage{}, err
	}
	found, next := a.slow.List(before, limit)
	return slowQueryPage{append([]operation.SlowQuery{}, found...), next}, nil
}

type logPage struct {
	Lines []operation.Line `json:"lines"`
	Next  int64            `json:"next"` // the value of before for the next page; 0 after the last
}

func (a *operationAPI) log(req *request) (logPage, error) {
	if err := req.requireAdmin(); err != nil {
		return logPage{}, err
	}
	if a.Log == nil {
		return logPage{}, graph.Errorf(graph.Unavailable, "this server does not keep the end of its log")
	}
	sent, err := req.fields("level", "text")
	if err != nil {
		return logPage{}, err
	}
	wanted := operation.LineQuery{Text: sent["text"], Level: slog.LevelDebug}
	if sent["level"] != "" {
		if err := wanted.Level.UnmarshalText([]byte(strings.ToUpper(sent["level"]))); err != nil {
			return logPage{}, graph.Errorf(graph.Invalid, "the level is %q; want debug, info, warn or error", graph.Clip(sent["level"]))
		}
	}
	if wanted.Before, wanted.Limit, err = req.numbersPage(); err != nil {
		return logPage{}, err
	}
	found, next := a.Log.List(wanted)
	return logPage{append([]operation.Line{}, found...), next}, nil
}

func (a *operationAPI) jobs(req *request) ([]operation.Job, error) {
	if err := req.requireAdmin(); err != nil {
		return nil, err
	}
	return append([]operation.Job{}, a.Jobs.List()...), nil
}

func (a *operationAPI) settings(req *request) ([]Setting, error) {
	if err := req.requireAdmin(); err != nil {
		return nil, err
	}
	return append([]Setting{}, a.Settings...), nil
}

type serverVersion struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"` // such as "linux/amd64"
	Notes   string `json:"notes"`  // changes of the versions, as Markdown; "" if the program has none
}

func (a *operationAPI) version(req *request) (serverVersion, error) {
	if err := req.requireAdmin(); err != nil {
		return serverVersion{}, err
	}
	return serverVersion{a.Version, runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, a.Notes}, nil
}
