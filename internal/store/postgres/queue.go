package postgres

import (
	"context"
)

// A queue has one goroutine that commits the waiting requests as a group, so that many small requests share a transaction
// and its wait for the disk.
type queue[W any] struct {
	commit  func(group []*request[W])
	isAlone func(W) bool // reports whether the work must be alone in its group
	size    func(W) int

	in      chan *request[W]
	closing chan struct{}
	closed  chan struct{}
}

// A request is work waiting to be committed.
type request[W any] struct {
	ctx  context.Context
	work W
	err  error
	done chan struct{}
}

// Limits of a group. A group has at most groupRequests requests, and ends with the request with which the sum of their sizes reaches
// groupSize.
const (
	groupRequests = 256
	groupSize     = 20_000
)

func newQueue[W any](commit func([]*request[W]), isAlone func(W) bool, size func(W) int) *queue[W] {
	q := &queue[W]{
		commit: commit, isAlone: isAlone, size: size,
		in: make(chan *request[W], groupRequests), closing: make(chan struct{}), closed: make(chan struct{}),
	}
	go q.run()
	return q
}

// do queues work. It returns when the work is committed or ctx ends.
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
		return r.result()
	}
}

// result returns the result of a request after the goroutine has stopped. The goroutine may have completed the request before.
func (r *request[W]) result() error {
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
		q.complete(group)
	}
}

// gather returns a group: the first request and the requests that wait behind it. It stops at a request that must be
// alone, and returns that request as next.
func (q *queue[W]) gather(first *request[W]) (group []*request[W], next *request[W]) {
	group, size := []*request[W]{first}, q.size(first.work)
	if q.isAlone(first.work) {
		return group, nil
	}
	for len(group) < groupRequests && size < groupSize {
		select {
		case r := <-q.in:
			if q.isAlone(r.work) {
				return group, r
			}
			group, size = append(group, r), size+q.size(r.work)
		default:
			return group, nil
		}
	}
	return group, nil
}

// complete commits the requests of a group whose context has not ended, and reports the result to all requests of
// the group.
func (q *queue[W]) complete(group []*request[W]) {
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
