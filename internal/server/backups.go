package server

import (
	"crypto/rand"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/backup"
)

// backupAPI lists, creates, verifies, downloads and deletes backups for admins.
type backupAPI struct {
	archives *backup.Archives // nil if the store cannot be backed up here
	audit    *auditAPI
	tickets  downloadTickets
}

func (a *backupAPI) routes() []route {
	return []route{
		{"GET", "/api/admin/backups", noBody, jsonEndpoint(a.list), "Backups, newest first, with the schedule and the work in progress; for admins", fields("before text?", "inpage int 100")},
		{"POST", "/api/admin/backups", noBody, jsonEndpoint(a.make), "Start a backup; for admins", requestShape{}},
		{"DELETE", "/api/admin/backups/{name}", noBody, jsonEndpoint(a.remove), "Delete a backup; for admins", requestShape{}},
		{"POST", "/api/admin/backups/{name}/verify", noBody, jsonEndpoint(a.verify), "Start restoring a backup to a temporary folder, to check it; for admins", requestShape{}},
		{"POST", "/api/admin/backups/{name}/link", noBody, jsonEndpoint(a.link), "An address to download a backup from, once within a minute, without a token; for admins", requestShape{}},
		{"GET", "/api/admin/backups/{name}", noBody, endpoint{run: a.download, contentType: binaryType, streams: true}, "A backup: for admins, and for the ticket in an address of /link", fields("ticket text?")},
	}
}

func (a *backupAPI) requireArchives(req *request) error {
	if err := req.requireAdmin(); err != nil {
		return err
	}
	if a.archives == nil {
		return graph.Errorf(graph.Unavailable, "this server cannot make backups: use the tools of its database, or weft store copy")
	}
	return nil
}

// backupPage is a page of backups.
type backupPage struct {
	Place    string           `json:"place"`    // directory or bucket
	Schedule *backupSchedule  `json:"schedule"` // null without a schedule
	Task     backup.Task      `json:"work"`     // the last task, which may still run
	Backups  []backup.Archive `json:"backups"`
	Next     string           `json:"next"` // the value of before for the next page; "" after the last
}

// backupSchedule describes the schedule of backups. A time is null before the first event of its kind.
type backupSchedule struct {
	Every     string     `json:"every"`
	Keep      int        `json:"keep"`
	Succeeded *time.Time `json:"succeeded"`
	Failed    *time.Time `json:"failed"`
	Error     string     `json:"error"` // error of the last failed run
	Next      *time.Time `json:"next"`
}

func (a *backupAPI) list(req *request) (backupPage, error) {
	if err := a.requireArchives(req); err != nil {
		return backupPage{}, err
	}
	sent, err := req.fields("before")
	if err != nil {
		return backupPage{}, err
	}
	page, err := req.textPage()
	if err != nil {
		return backupPage{}, err
	}
	// Read before the archives: a client that sees the end of a task stops polling, so it must also see the results of the task.
	task := a.archives.Task()
	found, next, err := a.archives.List(req.Context(), sent["before"], page.limit)
	return backupPage{
		Place: a.archives.Place(), Schedule: scheduleOf(a.archives.Schedule()), Task: task,
		Backups: append([]backup.Archive{}, found...), Next: next,
	}, err
}

func scheduleOf(s *backup.Schedule) *backupSchedule {
	if s == nil {
		return nil
	}
	status := s.Status()
	schedule := &backupSchedule{Every: s.Every.String(), Keep: s.Keep, Succeeded: timeOrNull(status.Succeeded), Failed: timeOrNull(status.Failed)}
	if status.Err != nil {
		schedule.Error = status.Err.Error()
	}
	if !status.Succeeded.IsZero() {
		schedule.Next = timeOrNull(status.Succeeded.Add(s.Every))
	}
	return schedule
}

// startedBackup is the response to a request that starts work in the background; GET /api/admin/backups shows its result.
type startedBackup struct {
	Name string      `json:"name"`
	Task backup.Task `json:"work"`
}

func (a *backupAPI) make(req *request) (startedBackup, error) {
	if err := a.requireArchives(req); err != nil {
		return startedBackup{}, err
	}
	name, err := a.archives.Make()
	if err == nil {
		a.audit.add(req, action{"backup.make", name, ""})
	}
	return startedBackup{name, a.archives.Task()}, err
}

func (a *backupAPI) verify(req *request) (startedBackup, error) {
	if err := a.requireArchives(req); err != nil {
		return startedBackup{}, err
	}
	name := req.PathValue("name")
	err := a.archives.Verify(req.Context(), name)
	if err == nil {
		a.audit.add(req, action{"backup.verify", name, ""})
	}
	return startedBackup{name, a.archives.Task()}, err
}

func (a *backupAPI) remove(req *request) (outcome, error) {
	if err := a.requireArchives(req); err != nil {
		return outcome{}, err
	}
	name := req.PathValue("name")
	if err := a.archives.Remove(req.Context(), name); err != nil {
		return outcome{}, err
	}
	a.audit.add(req, action{"backup.delete", name, ""})
	return outcome{true, "the backup is deleted"}, nil
}

type downloadLink struct {
	Path    string    `json:"path"` // on this server; it contains the ticket, so a request for it needs no token
	Expires time.Time `json:"expires"`
}

func (a *backupAPI) link(req *request) (downloadLink, error) {
	if err := a.requireArchives(req); err != nil {
		return downloadLink{}, err
	}
	name := req.PathValue("name")
	archive, _, err := a.archives.Open(req.Context(), name)
	if err != nil {
		return downloadLink{}, err
	}
	if err := archive.Close(); err != nil {
		return downloadLink{}, err
	}
	ticket, expires, err := a.tickets.issue(name, time.Now())
	if err == nil {
		a.audit.add(req, action{"backup.download", name, ""})
	}
	return downloadLink{"/api/admin/backups/" + name + "?ticket=" + ticket, expires}, err
}

func (a *backupAPI) download(w http.ResponseWriter, req *request) error {
	name := req.PathValue("name")
	if ticket := req.URL.Query().Get("ticket"); ticket == "" || !a.tickets.use(ticket, name, time.Now()) {
		if err := a.requireArchives(req); err != nil {
			return err
		}
		a.audit.add(req, action{"backup.download", name, ""})
	}
	if a.archives == nil {
		return graph.Errorf(graph.NotFound, "backup %q not found", graph.Clip(name))
	}
	archive, _, err := a.archives.Open(req.Context(), name)
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(maxDownloadTime)); err != nil {
		return err
	}
	w.Header().Set("Content-Type", binaryType)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	http.ServeContent(w, req.Request, "", time.Time{}, archive)
	return nil
}

// maxDownloadTime is the maximum duration of the download of a backup.
const maxDownloadTime = 6 * time.Hour

// downloadTickets holds tickets that permit one download each, because browsers send no token when they follow a link.
// Tickets are kept in memory, so several servers require sticky sessions.
type downloadTickets struct {
	mu   sync.Mutex
	open map[string]downloadTicket
}

type downloadTicket struct {
	name    string
	expires time.Time
}

const (
	ticketLife = time.Minute
	maxTickets = 100
)

// issue returns a new ticket and its expiry. The error is TooMany while maxTickets are unused.
func (d *downloadTickets) issue(name string, now time.Time) (string, time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for ticket, t := range d.open {
		if !now.Before(t.expires) {
			delete(d.open, ticket)
		}
	}
	if len(d.open) >= maxTickets {
		return "", time.Time{}, graph.Errorf(graph.TooMany, "%d links for downloads are unused; try again in a minute", maxTickets)
	}
	if d.open == nil {
		d.open = map[string]downloadTicket{}
	}
	ticket, expires := rand.Text(), now.Add(ticketLife)
	d.open[ticket] = downloadTicket{name, expires}
	return ticket, expires.UTC(), nil
}

// use reports whether a ticket is valid for a name, and removes it.
func (d *downloadTickets) use(ticket, name string, now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.open[ticket]
	delete(d.open, ticket)
	return ok && t.name == name && now.Before(t.expires)
}
