package backup

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A Schedule creates archives at an interval and keeps the newest archives.
type Schedule struct {
	Job

	Every time.Duration // interval between archives
	Keep  int           // number of archives to keep; older archives are removed
	Log   *slog.Logger
	// Begin, unless it is nil, is called when a backup begins. It returns a function that is called when the backup ends, with the
	// error of the backup and the time until the next backup.
	Begin func() (end func(err error, next time.Duration))

	mu     sync.Mutex
	status Status
}

// firstRetryDelay is the delay after the first failure. The delay doubles with each further failure.
const firstRetryDelay = time.Minute

// A Status describes the results of the latest backups.
type Status struct {
	Succeeded time.Time // start of the last backup that created an archive; zero if there was none
	Failed    time.Time // start of the last backup that failed, or after which old archives could not be removed
	Err       error     // error of that backup
}

// Status returns the status. It is safe for concurrent use.
func (s *Schedule) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Run creates archives until ctx is cancelled. The first archive is due when the newest archive in To is older than
// Every. A failed backup is retried after a minute. The delay doubles with each further failure, up to Every.
func (s *Schedule) Run(ctx context.Context) {
	delay, retryDelay := s.firstDelay(ctx), firstRetryDelay
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(delay):
		}
		if s.runOnce(ctx) {
			delay, retryDelay = s.Every, firstRetryDelay
		} else {
			delay, retryDelay = min(retryDelay, s.Every), min(2*retryDelay, s.Every)
		}
	}
}

// firstDelay returns the time until the first backup. It records the newest archive, if any, as the last successful
// backup.
func (s *Schedule) firstDelay(ctx context.Context) time.Duration {
	names, err := s.archiveNames(ctx)
	if err != nil || len(names) == 0 {
		return 0
	}
	newest, err := time.Parse(nameFormat, names[len(names)-1])
	if err != nil {
		return 0
	}
	s.updateStatus(func(status *Status) { status.Succeeded = newest })
	return min(max(time.Until(newest.Add(s.Every)), 0), s.Every)
}

// runOnce creates an archive and removes old archives. It returns true if the archive was created, even if removing
// old archives failed, because a retry would create another archive.
func (s *Schedule) runOnce(ctx context.Context) (created bool) {
	began := time.Now()
	end := func(error, time.Duration) {}
	if s.Begin != nil {
		end = s.Begin()
	}
	name := Name(began)
	err := s.Make(ctx, name)
	created = err == nil
	if created {
		err = s.removeOldArchives(ctx)
	}
	if created {
		s.updateStatus(func(status *Status) { status.Succeeded = began })
	}
	end(err, s.Every)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.updateStatus(func(status *Status) { status.Failed, status.Err = began, err })
		s.Log.Error("backup failed", "error", err)
	default:
		s.Log.Info("backed up", "name", name, "took", time.Since(began).String())
	}
	return created
}

func (s *Schedule) updateStatus(change func(*Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.status)
}

// removeOldArchives removes all archives except the newest Keep.
func (s *Schedule) removeOldArchives(ctx context.Context) error {
	names, err := s.archiveNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names[:max(len(names)-s.Keep, 0)] {
		if err := s.To.Remove(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// archiveNames returns the names of all archives, oldest first.
func (s *Schedule) archiveNames(ctx context.Context) ([]string, error) {
	found, err := listArchives(ctx, s.To)
	names := make([]string, len(found))
	for i, info := range found {
		names[i] = info.Name
	}
	return names, err
}
