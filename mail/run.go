package mail

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/weft-graph/weft/graph"
	"github.com/weft-graph/weft/kv"
)

const (
	look     = 5 * time.Second // how often other servers' messages are looked for
	atOnce   = 4               // messages
	lease    = 2 * time.Minute // longer than one mail takes to send
	oneMail  = time.Minute
	farewell = 15 * time.Second // what a mail on its way gets when the server stops
)

// Run sends what is due until the context ends, and then finishes the mails it is at. The store must stay open
// until it returns.
func (q *Queue) Run(ctx context.Context, sender Sender) {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(farewell, cancel) })()
	var running sync.WaitGroup
	defer running.Wait()
	free := make(chan struct{}, atOnce)
	for failing := false; ; {
		select {
		case free <- struct{}{}: // first, so that no claim grows old while it waits
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
		if err != nil && !failing && ctx.Err() == nil { // once, not every few seconds
			q.log.Error("the mail queue cannot be read", "error", err)
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

// claim takes a message that is due, or says how long to wait before looking again.
func (q *Queue) claim(ctx context.Context) (mine kv.Entry, wait time.Duration, err error) {
	for {
		found, err := q.kv.List(ctx, kv.Range{Prefix: dueArea, Limit: 1})
		if err != nil || len(found) == 0 {
			return kv.Entry{}, look, err
		}
		at, _, err := readDueKey(found[0].Key)
		if err != nil {
			return kv.Entry{}, look, err
		}
		if ahead := time.Until(at); ahead > 0 {
			return kv.Entry{}, min(ahead, look), nil
		}
		mine, err = q.move(ctx, found[0], time.Now().Add(lease))
		switch {
		case graph.KindOf(err) == graph.Conflict: // another server has it
		case err != nil:
			return kv.Entry{}, look, err
		default:
			return mine, 0, nil
		}
	}
}

// move takes a message from the time at which it is due to another one, with what else is to be written. A Conflict
// says that somebody else did so first.
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
		err = kv.Conflicts(ops[0])
	}
	if err != nil {
		return kv.Entry{}, err
	}
	return found[0], nil
}

// deliver sends the mails of a claimed message that are still to be sent.
func (q *Queue) deliver(ctx context.Context, sender Sender, claim kv.Entry) {
	_, id, err := readDueKey(claim.Key)
	if err == nil {
		err = q.round(ctx, sender, claim, id)
	}
	if err != nil && graph.KindOf(err) != graph.Conflict {
		q.log.Error("a mail was not delivered and will be tried again", "mail", id, "error", err)
	}
}

func (q *Queue) round(ctx context.Context, sender Sender, claim kv.Entry, id string) error {
	status, err := q.Status(ctx, id)
	if graph.KindOf(err) == graph.NotFound {
		return q.kv.Commit(ctx, kv.Delete(claim.Key).If(claim.Version)) // it has expired
	}
	if err != nil {
		return err
	}
	status.Attempts++
	message, content, err := q.content(ctx, id)
	if err != nil {
		return errors.Join(err, q.end(ctx, claim, status, content))
	}
	for i := range status.To {
		if status.To[i].State != Queued {
			continue
		}
		failure := q.one(ctx, sender, &message, &status, i)
		if errors.Is(failure, ErrDown) {
			break
		}
		if claim, err = q.move(ctx, claim, time.Now().Add(lease), status.op()); err != nil {
			return err
		}
	}
	return q.end(ctx, claim, status, content)
}

// one sends one mail and notes in the status what became of it.
func (q *Queue) one(ctx context.Context, sender Sender, message *Message, status *Status, i int) error {
	ctx, cancel := context.WithTimeout(ctx, oneMail)
	defer cancel()
	to := &status.To[i]
	err := sender.Send(ctx, Letter{Message: message, ID: status.mailID(i), To: to.Address, Created: status.Created})
	switch {
	case err == nil:
		to.State, to.Error = Sent, ""
		return nil
	case errors.Is(err, ErrRefused):
		to.State = Failed
	}
	to.Error = err.Error()
	q.log.Warn("a mail was not taken", "mail", status.ID, "attempt", status.Attempts, "error", err)
	return err
}

// end puts a message away, or off.
func (q *Queue) end(ctx context.Context, claim kv.Entry, status Status, content []kv.Entry) error {
	status.settle()
	status.Next = time.Time{}
	if status.State == Queued {
		next := time.Now().Add(pause(status.Attempts))
		if next.Before(status.Created.Add(giveUp)) {
			status.Next = next.UTC()
			_, err := q.move(ctx, claim, next, status.op())
			return err
		}
		status.abandon()
	}
	ops := []kv.Op{kv.Delete(claim.Key).If(claim.Version), status.op()}
	if status.State == Failed {
		ops = append(ops, kv.Put(deadArea+status.ID, []byte(status.ID)).Until(status.Created.Add(giveUp+keep)))
	} else {
		for _, piece := range content {
			ops = append(ops, kv.Delete(piece.Key))
		}
	}
	return q.kv.Commit(ctx, ops...)
}

// abandon gives up the mails that were never taken.
func (s *Status) abandon() {
	for i := range s.To {
		if s.To[i].State == Queued {
			s.To[i].State = Failed
		}
	}
	s.State = Failed
}

// pause is how long to wait after so many attempts: seconds at first, hours at last, and never the same for two
// messages that failed together.
func pause(attempts int) time.Duration {
	const first, longest = 5 * time.Second, 4 * time.Hour
	wait := longest
	if doubled := attempts - 1; doubled < 12 {
		wait = min(first<<doubled, longest)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}
