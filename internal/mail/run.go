package mail

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/internal/store/kv"
)

const (
	pollInterval  = 5 * time.Second // interval of reading the queue, for messages from other servers
	maxConcurrent = 4               // maximum number of messages that are delivered concurrently
	claimDuration = 2 * time.Minute // how long a server may deliver a message that it has claimed; sending one e-mail takes less time
	sendTimeout   = time.Minute
	shutdownGrace = 15 * time.Second // time limit for e-mails in progress when the server stops
)

// Run delivers due messages until ctx is cancelled, and then finishes the e-mails in progress within shutdownGrace. The
// store must stay open until Run returns.
func (q *Queue) Run(ctx context.Context, sender Sender) {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(shutdownGrace, cancel) })()
	var running sync.WaitGroup
	defer running.Wait()
	free := make(chan struct{}, maxConcurrent)
	for failing := false; ; {
		select {
		case free <- struct{}{}: // taken before a claim, so that no claim expires during the wait for a slot
		case <-ctx.Done():
			return
		}
		claim, wait, err := q.claim(ctx)
		if wait == 0 {
			running.Go(func() {
				defer func() { <-free }()
				q.deliver(sending, sender, claim)
			})
			continue
		}
		<-free
		if err != nil && !failing && ctx.Err() == nil { // only the first of consecutive failures
			q.log.Error("cannot read the mail queue", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		case <-time.After(wait):
		}
	}
}

// claim claims a due message, or returns the time until the next attempt.
func (q *Queue) claim(ctx context.Context) (claimed kv.Entry, wait time.Duration, err error) {
	for {
		found, err := q.kv.List(ctx, kv.Range{Prefix: dueArea, Limit: 1})
		if err != nil || len(found) == 0 {
			return kv.Entry{}, pollInterval, err
		}
		at, _, err := readDueKey(found[0].Key)
		if err != nil {
			return kv.Entry{}, pollInterval, err
		}
		if ahead := time.Until(at); ahead > 0 {
			return kv.Entry{}, min(ahead, pollInterval), nil
		}
		claimed, err = q.move(ctx, found[0], time.Now().Add(claimDuration))
		switch {
		case graph.KindOf(err) == graph.Conflict: // another server claimed the message
		case err != nil:
			return kv.Entry{}, pollInterval, err
		default:
			return claimed, 0, nil
		}
	}
}

// move changes the due time of a message, and commits further operations with it. The error is Conflict if another
// server has moved the message first.
func (q *Queue) move(ctx context.Context, entry kv.Entry, to time.Time, more ...kv.Op) (kv.Entry, error) {
	_, id, err := readDueKey(entry.Key)
	if err != nil {
		return kv.Entry{}, err
	}
	key := dueKey(to, id)
	ops := append([]kv.Op{kv.Delete(entry.Key).If(entry.Version), kv.Put(key, entry.Value)}, more...)
	if err := q.kv.Commit(ctx, ops...); err != nil {
		return kv.Entry{}, err
	}
	found, err := q.kv.Get(ctx, key)
	if err == nil && len(found) == 0 {
		err = kv.ConflictError(ops[0])
	}
	if err != nil {
		return kv.Entry{}, err
	}
	return found[0], nil
}

// deliver sends the outstanding e-mails of a claimed message.
func (q *Queue) deliver(ctx context.Context, sender Sender, claim kv.Entry) {
	_, id, err := readDueKey(claim.Key)
	if err == nil {
		err = q.attempt(ctx, sender, claim, id)
	}
	if err != nil && graph.KindOf(err) != graph.Conflict {
		q.log.Error("cannot deliver a message; it will be retried", "mail", id, "error", err)
	}
}

// attempt sends the queued e-mails of a message, and stores the result of each e-mail before it sends the next.
func (q *Queue) attempt(ctx context.Context, sender Sender, claim kv.Entry, id string) error {
	status, err := q.Status(ctx, id)
	if graph.KindOf(err) == graph.NotFound {
		return q.kv.Commit(ctx, kv.Delete(claim.Key).If(claim.Version)) // the message has expired
	}
	if err != nil {
		return err
	}
	status.Attempts++
	message, content, err := q.readContent(ctx, id)
	if err != nil {
		return errors.Join(err, q.finish(ctx, claim, status, content))
	}
	for i := range status.To {
		if status.To[i].State != Queued {
			continue
		}
		failure := q.sendMail(ctx, sender, &message, &status, i)
		if errors.Is(failure, ErrUnreachable) {
			break
		}
		if claim, err = q.move(ctx, claim, time.Now().Add(claimDuration), status.putOp()); err != nil {
			return err
		}
	}
	return q.finish(ctx, claim, status, content)
}

// sendMail sends one e-mail and updates its status.
func (q *Queue) sendMail(ctx context.Context, sender Sender, message *Message, status *Status, i int) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	to := &status.To[i]
	err := sender.Send(ctx, Email{Message: message, ID: status.mailID(i), To: to.Address, Created: status.Created})
	switch {
	case err == nil:
		to.State, to.Error = Sent, ""
		return nil
	case errors.Is(err, ErrRejected):
		to.State = Failed
	}
	to.Error = err.Error()
	q.log.Warn("the mail server did not accept an e-mail", "mail", status.ID, "attempt", status.Attempts, "error", err)
	return err
}

// finish schedules the next attempt, or finishes a message.
func (q *Queue) finish(ctx context.Context, claim kv.Entry, status Status, content []kv.Entry) error {
	status.updateState()
	status.Next = time.Time{}
	if status.State == Queued {
		next := time.Now().Add(retryDelay(status.Attempts))
		if next.Before(status.Created.Add(giveUp)) {
			status.Next = next.UTC()
			_, err := q.move(ctx, claim, next, status.putOp())
			return err
		}
		status.abandon()
	}
	ops := []kv.Op{kv.Delete(claim.Key).If(claim.Version), status.putOp()}
	if status.State == Failed {
		ops = append(ops, kv.Put(deadArea+status.ID, []byte(status.ID)).Until(status.Created.Add(giveUp+statusRetention)))
	} else {
		for _, piece := range content {
			ops = append(ops, kv.Delete(piece.Key))
		}
	}
	return q.kv.Commit(ctx, ops...)
}

// abandon marks the e-mails that are still queued as failed.
func (s *Status) abandon() {
	for i := range s.To {
		if s.To[i].State == Queued {
			s.To[i].State = Failed
		}
	}
	s.State = Failed
}

// retryDelay returns the delay after a number of attempts: exponential from 5 s to 4 h, with a random factor from 0.8
// to 1.2, so that messages that failed together are retried at different times.
func retryDelay(attempts int) time.Duration {
	const first, longest = 5 * time.Second, 4 * time.Hour
	wait := longest
	if doubled := attempts - 1; doubled < 12 {
		wait = min(first<<doubled, longest)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}
