package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/files/blob"
	"github.com/weft-graph/weft/internal/store/sqlite"
)

// A Source reads archives by name: a Folder or a bucket (blob.S3).
type Source interface {
	Get(ctx context.Context, name string) (io.ReadSeekCloser, blob.Info, error)
}

// Archives manages the archives of a store at one destination while the server runs: it lists, creates, verifies and removes them. Creating
// and verifying are background tasks. Only one task runs at a time.
type Archives struct {
	job      Job
	from     Source
	schedule *Schedule
	place    string
	log      *slog.Logger
	ctx      context.Context //nolint:containedctx // context of the background tasks; canceled by Close
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu       sync.Mutex
	task     Task                    // the last task
	verified map[string]Verification // keyed by name
}

// A Task creates or verifies an archive in the background. The zero Task means that none has started yet.
type Task struct {
	Kind  string    `json:"kind"` // "make" or "verify"
	Name  string    `json:"name"` // name of the archive
	Began time.Time `json:"began,omitzero"`
	Ended time.Time `json:"ended,omitzero"` // zero while the task runs
	Error string    `json:"error,omitempty"`
}

// A Verification is the result of restoring an archive to a temporary folder and checking it.
type Verification struct {
	At    time.Time `json:"at"`
	Error string    `json:"error,omitempty"` // "" if the archive can be restored
}

// An Archive describes an archive.
type Archive struct {
	Name     string        `json:"name"`
	Made     time.Time     `json:"made"`
	Size     int64         `json:"size"`     // bytes
	Verified *Verification `json:"verified"` // nil if the archive was not verified since the server started
}

// ArchivesOptions are the parameters of NewArchives.
type ArchivesOptions struct {
	Job      Job
	From     Source    // reads from the destination of the job
	Schedule *Schedule // nil if there is none
	Place    string    // the destination of the archives in readable form, without credentials
	Log      *slog.Logger
}

// NewArchives returns Archives, which the caller must close before the store.
func NewArchives(ctx context.Context, o ArchivesOptions) *Archives {
	a := &Archives{job: o.Job, from: o.From, schedule: o.Schedule, place: o.Place, log: o.Log, verified: map[string]Verification{}}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// Close cancels the running task, if any, and waits until it has ended.
func (a *Archives) Close() {
	a.cancel()
	a.running.Wait()
}

// Place returns the destination of the archives in readable form, without credentials.
func (a *Archives) Place() string { return a.place }

// Schedule returns the schedule, or nil if there is none.
func (a *Archives) Schedule() *Schedule { return a.schedule }

// Task returns the last task, which may still run.
func (a *Archives) Task() Task {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.task
}

// List returns up to limit archives, newest first, that are older than the archive named before. If before is empty, it starts with the
// newest archive. The cursor is the value of before for the next page; it is empty on the last page.
func (a *Archives) List(ctx context.Context, before string, limit int) (found []Archive, cursor string, err error) {
	all, err := listArchives(ctx, a.job.To)
	if err != nil {
		return nil, "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, info := range slices.Backward(all) {
		if before != "" && info.Name >= before {
			continue
		}
		if len(found) == limit {
			return found, found[limit-1].Name, nil
		}
		made, _ := time.Parse(nameFormat, info.Name)
		archive := Archive{Name: info.Name, Made: made, Size: info.Size}
		if v, ok := a.verified[info.Name]; ok {
			archive.Verified = &v
		}
		found = append(found, archive)
	}
	return found, "", nil
}

// listArchives returns all archives in a destination, oldest first. It ignores files whose names do not have the format of Name.
func listArchives(ctx context.Context, from Destination) ([]blob.Info, error) {
	var archives []blob.Info
	const pageSize = 1_000
	for after := ""; ; {
		found, err := from.List(ctx, after, pageSize)
		if errors.Is(err, fs.ErrNotExist) { // the folder is created with the first archive
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, info := range found {
			if _, err := time.Parse(nameFormat, info.Name); err == nil {
				archives = append(archives, info)
			}
		}
		if len(found) < pageSize {
			slices.SortFunc(archives, func(a, b blob.Info) int { return strings.Compare(a.Name, b.Name) })
			return archives, nil
		}
		after = found[len(found)-1].Name
	}
}

// Make starts a task that creates an archive, and returns the name of the archive. The error is Conflict while another task runs.
func (a *Archives) Make() (name string, err error) {
	name = Name(time.Now())
	return name, a.start("make", name, func(ctx context.Context) error {
		if err := os.MkdirAll(a.job.Drafts, 0o700); err != nil {
			return err
		}
		return a.job.Make(ctx, name)
	})
}

// Verify starts a task that restores an archive to a temporary folder and checks the result. The error is NotFound if the archive does
// not exist, and Conflict while another task runs.
func (a *Archives) Verify(ctx context.Context, name string) error {
	archive, _, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return a.start("verify", name, func(ctx context.Context) error {
		err := a.verify(ctx, name)
		v := Verification{At: time.Now().UTC()}
		if err != nil {
			v.Error = err.Error()
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.verified[name] = v
		return err
	})
}

// start runs a task in the background. The error is Conflict while another task runs.
func (a *Archives) start(kind, name string, do func(context.Context) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.task.Kind != "" && a.task.Ended.IsZero() {
		return graph.Errorf(graph.Conflict, "work on the archive %s is in progress; wait for its end", a.task.Name)
	}
	a.task = Task{Kind: kind, Name: name, Began: time.Now().UTC()}
	a.running.Go(func() {
		err := do(a.ctx)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.task.Ended = time.Now().UTC()
		if err != nil {
			a.task.Error = err.Error()
			a.log.Error("work on an archive failed", "kind", kind, "name", name, "error", err)
		}
	})
	return nil
}

// verify restores an archive to a temporary folder in the drafts folder, checks the result, and removes the folder.
func (a *Archives) verify(ctx context.Context, name string) error {
	archive, _, err := a.from.Get(ctx, name)
	if err != nil {
		return err
	}
	defer archive.Close()
	dir, err := os.MkdirTemp(a.job.Drafts, draftPrefix)
	if err != nil {
		return fmt.Errorf("verify a backup: %w", err)
	}
	unlock, err := sqlite.Lock(ctx, dir)
	if err != nil {
		return errors.Join(fmt.Errorf("verify a backup: %w", err), os.RemoveAll(dir))
	}
	restored := filepath.Join(dir, "restored")
	if err = os.Mkdir(restored, 0o700); err == nil {
		err = unpack(ctx, archive, restored)
	}
	return errors.Join(err, unlock(), os.RemoveAll(dir))
}

// Open returns an archive and its size in bytes. The caller must close the archive. The error is NotFound if no archive has this name.
func (a *Archives) Open(ctx context.Context, name string) (io.ReadSeekCloser, int64, error) {
	if _, err := time.Parse(nameFormat, name); err != nil {
		return nil, 0, graph.Errorf(graph.NotFound, "backup %q not found", graph.Clip(name))
	}
	archive, info, err := a.from.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = graph.Errorf(graph.NotFound, "backup %q not found", name)
	}
	return archive, info.Size, err
}

// Remove deletes an archive. The error is NotFound if no archive has this name.
func (a *Archives) Remove(ctx context.Context, name string) error {
	archive, _, err := a.Open(ctx, name)
	if err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	a.mu.Lock()
	delete(a.verified, name)
	a.mu.Unlock()
	return a.job.To.Remove(ctx, name)
}
