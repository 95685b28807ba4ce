package operation

import (
	"slices"
	"sync"
	"time"
)

// A Job is a background job of the server.
type Job struct {
	Name    string    `json:"name"`
	Every   string    `json:"every"` // such as "1h0m0s"; "" for a job that runs once or continuously
	Running bool      `json:"running"`
	Began   time.Time `json:"began,omitzero"`    // start of the last run, which may be in progress
	Took    float64   `json:"took"`              // duration of the last finished run, in milliseconds
	Result  string    `json:"result"`            // "" before the end of the first run, then "ok" or the error
	Next    time.Time `json:"next,omitzero"`     // start of the next run, if it is known
	Details string    `json:"details,omitempty"` // a description of the job for readers
}

// Jobs records the background jobs of a server. A nil *Jobs records nothing.
type Jobs struct {
	mu   sync.Mutex
	jobs []Job
}

// Add adds a job. every is the interval of the job, or 0.
func (j *Jobs) Add(name, details string, every time.Duration) {
	j.update(name, func(job *Job) {
		job.Details = details
		if every > 0 {
			job.Every = every.String()
		}
	})
}

// Begin records that a job has started. The caller must call end when the run has ended; next is the time until the next
// run, or 0 if unknown.
func (j *Jobs) Begin(name string) (end func(err error, next time.Duration)) {
	began := time.Now()
	j.update(name, func(job *Job) { job.Running, job.Began, job.Next = true, began.UTC(), time.Time{} })
	return func(err error, next time.Duration) {
		j.update(name, func(job *Job) {
			job.Running, job.Took, job.Result = false, milliseconds(time.Since(began)), "ok"
			if err != nil {
				job.Result = mask(err.Error())
			}
			if next > 0 {
				job.Next = time.Now().Add(next).UTC()
			}
		})
	}
}

func (j *Jobs) update(name string, change func(*Job)) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	i := slices.IndexFunc(j.jobs, func(job Job) bool { return job.Name == name })
	if i < 0 {
		j.jobs = append(j.jobs, Job{Name: name})
		i = len(j.jobs) - 1
	}
	change(&j.jobs[i])
}

// List returns the jobs in the order in which they were added.
func (j *Jobs) List() []Job {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.jobs)
}
