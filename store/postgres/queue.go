package postgres

import (
	"context"
)

// A queue hands what waits to one goroutine, as much at once as there is, so that many small pieces of work
// share one transaction and its wait for the disk.
type queue[W any] struct {
	commit func(group []*request[W])
	alone  func(W) bool // must not share
	size   func(W) int

	in      chan *request[W]
	closing chan struct{}
	closed  chan struct{}
}

// A request is work that waits.
type request[W any] struct {
	ctx  context.Context
	work W
	err  error
	done chan struct{}
}

// A group is at most so many requests, and so much if they are large.
const (
	groupRequests = 256
	groupSize     = 20_000
)

func newQueue[W any](commit func([]*request[W]), alone func(W) bool, size func(W) int) *queue[W] {
	q := &queue[W]{
		commit: commit, alone: alone, size: size,
		in: make(chan *request[W], groupRequests), closing: make(chan struct{}), closed: make(chan struct{}),
	}
	go q.run()
	return q
}

// do waits until the work is committed, or ctx ends.
func (q *queue[W]) do(ctx context.Context, work W) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request[W]{ctx: ctx, work: work, done: make(chan struct{})}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-q.closing:
		return errClosed
	case q.in <- r:
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-q.closed:
		return r.atLast()
	}
}

// atLast is the answer when the goroutine has stopped: it may have done this as its last.
func (r *request[W]) atLast() error {
	select {
	case <-r.done:
		return r.err
	default:
		return errClosed
	}
}

func (q *queue[W]) close() {
	close(q.closing)
	<-q.closed
}

func (q *queue[W]) run() {
	defer close(q.closed)
	var next *request[W]
	for {
		if next == nil {
			select {
			case next = <-q.in:
			case <-q.closing:
				return
			}
		}
		var group []*request[W]
		group, next = q.gather(next)
		q.answer(group)
	}
}

// gather takes what waits behind the first request, without waiting itself, up to one that must be alone.
func (q *queue[W]) gather(first *request[W]) (group []*request[W], next *request[W]) {
	group, size := []*request[W]{first}, q.size(first.work)
	if q.alone(first.work) {
		return group, nil
	}
	for len(group) < groupRequests && size < groupSize {
		select {
		case r := <-q.in:
			if q.alone(r.work) {
				return group, r
			}
			group, size = append(group, r), size+q.size(r.work)
		default:
			return group, nil
		}
	}
	return group, nil
}

// answer commits those of a group who still wait.
func (q *queue[W]) answer(group []*request[W]) {
	var waiting []*request[W]
	for _, r := range group {
		if r.err = r.ctx.Err(); r.err == nil {
			waiting = append(waiting, r)
		}
	}
	if len(waiting) > 0 {
		q.commit(waiting)
	}
	for _, r := range group {
		close(r.done)
	}
}
