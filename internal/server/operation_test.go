package server_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-graph/weft/internal/backup"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/server"
	"github.com/weft-graph/weft/internal/server/servertest"
	"github.com/weft-graph/weft/internal/store/sqlite"
	"github.com/weft-graph/weft/internal/telemetry/operation"
)

// serveAsOperator serves an SQLite store with everything that admins see of the operation, and returns an admin.
func serveAsOperator(t *testing.T) (*servertest.Server, caller, *operation.Tail) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "backups")
	tail := operation.NewTail()
	s, admin, _ := serveWithBackups(t, folder, backup.Folder(folder), tail)
	return s, admin, tail
}

// serveWithBackups is like serveAsOperator, but stores and lists backups through the destination to. folder is the
// directory of the archives.
func serveWithBackups(t *testing.T, folder string, to backup.Destination, tail *operation.Tail) (*servertest.Server, caller, *backup.Archives) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	log := slog.New(tail.Handler(slog.NewTextHandler(t.Output(), nil)))
	archives := backup.NewArchives(t.Context(), backup.ArchivesOptions{
		Job: backup.Job{Store: store, Drafts: folder, To: to}, From: backup.Folder(folder), Place: folder, Log: log,
	})
	t.Cleanup(archives.Close)
	jobs := &operation.Jobs{}
	jobs.Add("erase removed users", "", time.Hour)
	s := servertest.Serve(t, store, func(o *server.Options) {
		o.Log = log
		o.Queries.Slow = time.Nanosecond
		o.Operation = server.Operation{
			Version: "weft test", Log: tail, Jobs: jobs, Backups: archives,
			Settings: []server.Setting{{Name: "listen", Value: "127.0.0.1:0", Source: "flag"}},
		}
	})
	return s, newCaller(t, s).withToken(servertest.Admin(t, s, "boss@example.org")), archives
}

func TestAdminsSeeTheOperationOfTheServer(t *testing.T) {
	_, admin, tail := serveAsOperator(t)
	admin.mustPost("/api/v1/samples", object{"name": "shop"})
	admin.mustPost("/api/freeschema-query", object{"type": "the_order"})
	slog.New(tail.Handler(slog.NewTextHandler(t.Output(), nil))).Error("cannot send", "error", errors.New("password=hunter2"))

	health := object{}
	if admin.get("/api/admin/health", &health); health["status"] != "ok" || health["version"] != "weft test" {
		t.Errorf("the health = %v; want the status ok and the version weft test", health)
	}
	var traffic struct {
		Minutes []operation.Minute
		Routes  []operation.Route
	}
	admin.get("/api/admin/traffic?minutes=3", &traffic)
	total := int64(0)
	for _, m := range traffic.Minutes {
		total += m.Requests
	}
	if len(traffic.Minutes) != 3 || total < 3 || len(traffic.Routes) < 3 {
		t.Errorf("the traffic = %+v; want 3 minutes, at least 3 requests and at least 3 routes", traffic)
	}
	var slow struct{ Queries []operation.SlowQuery }
	if admin.get("/api/admin/slow-queries", &slow); len(slow.Queries) == 0 || slow.Queries[0].Type != "the_order" || slow.Queries[0].Plan == "" {
		t.Errorf("the slow queries = %+v; want a query for the_order with its plan first", slow)
	}
	var log struct{ Lines []operation.Line }
	if admin.get("/api/admin/log?level=error", &log); len(log.Lines) != 1 || strings.Contains(log.Lines[0].Attrs["error"], "hunter2") {
		t.Errorf("the log = %+v; want one line, without the password", log)
	}
	var jobs []operation.Job
	if admin.get("/api/admin/jobs", &jobs); len(jobs) != 1 || jobs[0].Every != "1h0m0s" {
		t.Errorf("the jobs = %+v; want one, every hour", jobs)
	}
	var settings []server.Setting
	if admin.get("/api/admin/settings", &settings); len(settings) != 1 || settings[0].Source != "flag" {
		t.Errorf("the settings = %+v; want one, from a flag", settings)
	}
	for _, path := range []string{"/api/admin/traffic?minutes=0", "/api/admin/traffic?minutes=1441", "/api/admin/log?level=loud", "/api/admin/slow-queries?limit=1000000"} {
		admin.mustFail(http.StatusBadRequest, http.MethodGet, path, nil)
	}
}

type backupsPage struct {
	Work    backup.Task
	Backups []backup.Archive
}

// awaitBackup lists the backups until the work in the background has ended.
func awaitBackup(t *testing.T, admin caller) (page backupsPage) {
	t.Helper()
	for page.Work.Ended.IsZero() && t.Context().Err() == nil {
		page = backupsPage{}
		admin.get("/api/admin/backups", &page)
	}
	if page.Work.Error != "" {
		t.Fatalf("the work failed: %+v", page.Work)
	}
	return page
}

func TestAdminsMakeVerifyDownloadAndDeleteBackups(t *testing.T) {
	s, admin, _ := serveAsOperator(t)
	name := admin.mustPost("/api/admin/backups", nil)["name"].(string)
	if page := awaitBackup(t, admin); len(page.Backups) != 1 || page.Backups[0].Name != name || page.Backups[0].Size == 0 || page.Backups[0].Verified != nil {
		t.Fatalf("the backups = %+v; want only %s, with a size and not verified", page, name)
	}
	admin.mustPost("/api/admin/backups/"+name+"/verify", nil)
	if page := awaitBackup(t, admin); page.Backups[0].Verified == nil || page.Backups[0].Verified.Error != "" {
		t.Errorf("the verified backup = %+v; want a verification without an error", page.Backups)
	}
	path := admin.mustPost("/api/admin/backups/"+name+"/link", nil)["path"].(string)
	guest := newCaller(t, s)
	if status, size := guest.download(path); status != http.StatusOK || size == 0 {
		t.Errorf("downloading with a ticket: status %d, %d bytes; want 200 and bytes", status, size)
	}
	if status, _ := guest.download(path); status != http.StatusUnauthorized {
		t.Errorf("downloading with the ticket again: status %d; want 401", status)
	}
	if status, size := admin.download("/api/admin/backups/" + name); status != http.StatusOK || size == 0 {
		t.Errorf("downloading as an admin: status %d, %d bytes; want 200 and bytes", status, size)
	}
	for _, unknown := range []string{"x", "weft-20260101-000000.000.tar.zst", "..%2Fweft.db"} {
		admin.mustFail(http.StatusNotFound, http.MethodDelete, "/api/admin/backups/"+unknown, nil)
		admin.mustFail(http.StatusNotFound, http.MethodPost, "/api/admin/backups/"+unknown+"/verify", nil)
	}
	if status, body := admin.send(http.MethodDelete, "/api/admin/backups/"+name, nil); status != http.StatusOK {
		t.Errorf("deleting: status %d %v; want 200", status, body)
	}
	if page := awaitBackup(t, admin); len(page.Backups) != 0 {
		t.Errorf("the backups = %+v; want none", page)
	}
}

func TestBackupsOfATaskThatHasEndedAreListed(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "backups")
	to := &raceDestination{Folder: backup.Folder(folder), listed: make(chan struct{})}
	_, admin, archives := serveWithBackups(t, folder, to, operation.NewTail())
	to.hasEnded = func() bool { return !archives.Task().Ended.IsZero() }
	admin.mustPost("/api/admin/backups", nil)
	if page := awaitBackup(t, admin); len(page.Backups) != 1 {
		t.Errorf("after the end of the task, the backups = %+v; want one", page.Backups)
	}
}

// A raceDestination simulates a backup that ends while a client lists the backups: it reads the first list, then stores the archive, and
// returns that list, which lacks the archive, only when the task has ended.
type raceDestination struct {
	backup.Folder
	listed   chan struct{}
	once     sync.Once
	hasEnded func() bool
}

func (d *raceDestination) Put(ctx context.Context, name string, r io.Reader, size int64, kind string) error {
	<-d.listed
	return d.Folder.Put(ctx, name, r, size, kind)
}

func (d *raceDestination) List(ctx context.Context, after string, limit int) ([]blob.Info, error) {
	found, err := d.Folder.List(ctx, after, limit)
	d.once.Do(func() {
		close(d.listed)
		for !d.hasEnded() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	})
	return found, err
}

// download reads a response and returns its status and size in bytes.
func (c caller) download(path string) (status int, size int64) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.url+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for name, value := range c.headers {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	if size, err = io.Copy(io.Discard, response.Body); err != nil {
		c.t.Fatal(err)
	}
	return response.StatusCode, size
}
