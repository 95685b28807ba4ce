package backup

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/weft-graph/weft/blob"
)

// A Schedule makes an archive every so often and keeps the newest.
type Schedule struct {
	Store  Store
	Blobs  blob.Store // nil: uploads are elsewhere
	Drafts string     // a directory with room; see Make
	To     Place
	Every  time.Duration
	Keep   int // archives; others of our names are removed
	Log    *slog.Logger

	mu     sync.Mutex
	status Status
}

// A Status says how a schedule is doing.
type Status struct {
	Succeeded time.Time // when an archive was last made; zero: not yet
	Failed    time.Time // when that last failed
	Err       error     // why
}

// Status is safe to ask for at any time.
func (s *Schedule) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Run makes archives until ctx ends, the first when the newest there is is old enough. One that fails is tried again
// after a minute, and then after twice as long each time.
func (s *Schedule) Run(ctx context.Context) {
	wait, again := s.first(ctx), soon
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if s.once(ctx) {
			wait, again = s.Every, soon
		} else {
			wait, again = min(again, s.Every), min(2*again, s.Every)
		}
	}
}

const soon = time.Minute

// first is how long to wait at the start.
func (s *Schedule) first(ctx context.Context) time.Duration {
	names, err := s.names(ctx)
	if err != nil || len(names) == 0 {
		return 0
	}
	newest, err := time.Parse(nameForm, names[len(names)-1])
	if err != nil {
		return 0
	}
	s.note(func(status *Status) { status.Succeeded = newest })
	return min(max(time.Until(newest.Add(s.Every)), 0), s.Every)
}

// once says whether an archive was made, also if older ones could not be removed: another would be one more.
func (s *Schedule) once(ctx context.Context) (made bool) {
	began := time.Now()
	name := Name(began)
	err := Make(ctx, s.Store, s.Blobs, s.Drafts, s.To, name)
	made = err == nil
	if made {
		err = s.prune(ctx)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.note(func(status *Status) { status.Failed, status.Err = began, err })
		s.Log.Error("the backup failed", "error", err)
	default:
		s.note(func(status *Status) { status.Succeeded = began })
		s.Log.Info("backed up", "name", name, "took", time.Since(began).String())
	}
	return made
}

func (s *Schedule) note(change func(*Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.status)
}

func (s *Schedule) prune(ctx context.Context) error {
	names, err := s.names(ctx)
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

// names lists the archives of our names, oldest first.
func (s *Schedule) names(ctx context.Context) ([]string, error) {
	var names []string
	const some = 1_000
	for after := ""; ; {
		found, err := s.To.List(ctx, after, some)
		if err != nil {
			return nil, err
		}
		for _, info := range found {
			if _, err := time.Parse(nameForm, info.Name); err == nil {
				names = append(names, info.Name)
			}
		}
		if len(found) < some {
			slices.Sort(names)
			return names, nil
		}
		after = found[len(found)-1].Name
	}
}
