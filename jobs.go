package weft

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

// A Job is a function that runs at intervals while the app is open.
type Job struct {
	Name  string        // identifies the job in the store and in the log
	Every time.Duration // the time from one start to the next
	// Run is called when the job is due. Its context is canceled when the app is closed; Close waits until Run returns. Errors and panics
	// are logged, and the job runs again at its next regular time.
	Run func(ctx context.Context, a *App) error
}

// jobPrefix starts the keys under which the time of the last start of each job is stored.
const jobPrefix = "job/"

// startJobs starts a goroutine for each job.
func (a *App) startJobs() error {
	if len(a.options.Jobs) > 0 && a.entries() == nil {
		return graph.Errorf(graph.Unavailable, "this store cannot keep the times of jobs")
	}
	for _, j := range a.options.Jobs {
		a.running.Go(func() { a.repeat(j) })
	}
	return nil
}

// repeat runs a job whenever it is due, until the app is closed. It stores the time of the last start. A restart of the app therefore
// does not run the job early, and if several servers share the database, only one of them runs it.
func (a *App) repeat(j Job) {
	ctx := a.stopping
	for ctx.Err() == nil {
		wait, err := a.claim(ctx, j, time.Now())
		switch {
		case err != nil && ctx.Err() == nil:
			a.log.ErrorContext(ctx, "the time of a job cannot be stored", "job", j.Name, "error", err)
			wait = min(j.Every, time.Minute) // the store may be unavailable for a short time only
		case err == nil && wait <= 0:
			if err := runSafely(ctx, j, a); err != nil && ctx.Err() == nil {
				a.log.ErrorContext(ctx, "a job failed", "job", j.Name, "error", err)
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// If the job is due, claim stores now as the time of the last start and returns 0. Otherwise it returns the time until the job
// is due.
func (a *App) claim(ctx context.Context, j Job, now time.Time) (wait time.Duration, err error) {
	key, version := jobPrefix+j.Name, kv.Absent
	found, err := a.entries().Get(ctx, key)
	if err != nil {
		return 0, err
	}
	if len(found) > 0 {
		var last time.Time
		if err := last.UnmarshalText(found[0].Value); err != nil {
			last = time.Time{} // a job whose last start cannot be read is due
		}
		version = found[0].Version
		// A start time in the future means that the clock was set back; the job is due.
		if due := last.Add(j.Every); due.After(now) && !last.After(now) {
			return due.Sub(now), nil
		}
	}
	text, err := now.UTC().MarshalText()
	if err != nil {
		return 0, err
	}
	err = a.entries().Commit(ctx, kv.Put(key, text).If(version))
	if graph.KindOf(err) == graph.Conflict { // another server has claimed this run
		return j.Every, nil
	}
	return 0, err
}

// runSafely runs a job. It recovers from a panic, and returns it as an error with the stack.
func runSafely(ctx context.Context, j Job, a *App) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return j.Run(ctx, a)
}
